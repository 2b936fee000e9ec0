#include "graphedx/search.hpp"

#include <algorithm>
#include <cstring>

#include "graphedx/symmetry.hpp"

namespace graphedx {

namespace {

constexpr int kLarge = 40;  // rows of a tree that will hardly be searched to the end
constexpr std::size_t kShareBytes = std::size_t{4} << 20;     // for the shares of all levels: deeper ones make do ...
constexpr std::size_t kMostShareBytes = std::size_t{16} << 20;  // ... with the last that fits; for one level alone

constexpr double kSecondsAByte = 1e-9;  // to fill them

/// Rounds of sending slack at the root: a few serve a tree that will be searched to the end; a tree that never will be is
/// best served by the best bound at once, and so is one that may not be needed: most pairs that are asked for a cutoff are
/// above it.
int root_rounds(int rows, bool only_above) {
  if (rows > kLarge) return 40;
  return only_above ? 12 : std::clamp(rows / 6, 2, 4);
}

/// Rounds at every other node: fewer where stars are large, and slow to match.
int inner_rounds(const Graph& graph) { return graph.first(graph.size()) > 4 * graph.size() ? 2 : 4; }

/// Time that the first bound takes: large stars are matched one by one.
template <class W>
double seconds_to_weigh(const Weights<W>& w) {
  const double left = w.rows == 0 ? 0 : static_cast<double>(w.a->first(w.rows)) / w.rows;
  const double right = w.columns == 0 ? 0 : static_cast<double>(w.b->first(w.columns)) / w.columns;
  const double smaller = std::min(left, right);
  return smaller <= 4 ? 0 : 1.5e-9 * w.rows * w.columns * smaller * smaller * std::max(left, right);
}

int levels_that_fit(int rows, std::size_t bytes_a_level, double seconds_to_weigh, const Deadline& deadline) {
  const double seconds = static_cast<double>(bytes_a_level) * kSecondsAByte + 2 * seconds_to_weigh;
  if (bytes_a_level > kMostShareBytes || seconds > deadline.seconds_left()) return 0;
  const std::size_t affordable = kShareBytes / std::max<std::size_t>(1, bytes_a_level);
  return static_cast<int>(std::min<std::size_t>(rows + 1, std::max<std::size_t>(1, affordable)));
}

}  // namespace

template <class W>
Search<W>::Search(const Problem& problem, Deadline& deadline)
    : w_(problem),
      split_(w_, deadline),
      local_(w_, deadline),
      deadline_(deadline),
      words_(words_for(w_.columns + 1)),
      row_words_(words_for(w_.rows)),
      column_words_(words_for(w_.columns)),
      share_levels_(levels_that_fit(w_.rows, split_.size() * sizeof(W), seconds_to_weigh(w_), deadline)),
      gain_(w_.node),
      weights_(w_.node.size(), -Assignment<W>::kGone),
      shares_(split_.size() * share_levels_),
      frame_values_(static_cast<std::size_t>(w_.rows + 1) * (w_.rows + w_.stride)),
      frame_links_(static_cast<std::size_t>(w_.rows + 1) * (w_.rows + w_.stride)),
      frame_domains_(w_.rows + 1),
      children_(static_cast<std::size_t>(w_.rows + 1) * (w_.columns + 1)),
      active_rows_(w_.rows),
      active_place_(w_.rows),
      active_count_(w_.rows),
      mapped_rows_(row_words_),
      mapped_columns_(column_words_),
      row_orbits_(static_cast<std::size_t>(w_.rows + 1) * row_words_),
      column_orbit_(column_words_),
      image_(w_.rows, -1),
      scratch_(4 * static_cast<std::size_t>(w_.stride)),
      int_scratch_(w_.stride) {
  for (int i = 0; i < w_.rows; ++i) active_rows_[i] = active_place_[i] = i;
  assignment_.bind(weights_.data(), w_.stride, scratch_.data(), int_scratch_.data(), deadline);
  fill_root();
}

template <class W>
void Search<W>::fill_root() {
  const Frame f = frame(0);
  std::fill(f.duals.u, f.duals.u + w_.rows, 0);
  std::fill(f.duals.v, f.duals.v + w_.columns, 0);
  std::fill(f.duals.v + w_.columns, f.duals.v + w_.stride, Assignment<W>::kGone);
  std::fill(f.duals.column, f.duals.column + w_.rows, -1);
  std::fill(f.duals.row, f.duals.row + w_.stride, -1);
  if (share_levels_ > 0) {
    split_.fill(f.shares);
  } else {
    loose_.emplace(w_);
  }
  std::fill(f.domain, f.domain + static_cast<std::size_t>(w_.rows) * words_, 0);
  for (int i = 0; i < w_.rows; ++i) {
    for (int j = 0; j < w_.columns; ++j) set_bit(domain(f, i), j);
    if (!w_.mandatory) set_bit(domain(f, i), w_.columns);
    for (int j = 0; j < w_.columns; ++j)
      if (w_.is_forbidden(i, j)) strike_out(f, i, j);
  }
}

template <class W>
typename Search<W>::Frame Search<W>::frame(int depth) {
  const std::size_t at = static_cast<std::size_t>(depth) * (w_.rows + w_.stride);
  W* values = frame_values_.data() + at;
  int* links = frame_links_.data() + at;
  auto& domains = frame_domains_[depth];
  if (!domains) domains.reset(new Word[static_cast<std::size_t>(w_.rows) * words_]);
  return {{values, values + w_.rows, links, links + w_.rows},
          domains.get(),
          share_levels_ == 0 ? nullptr : shares_.data() + split_.size() * std::min(depth, share_levels_ - 1),
          depth < share_levels_};
}

// -- the bound ----------------------------------------------------------------------------------------------------

/// False if time ran out first.
template <class W>
bool Search<W>::weigh(const Frame& f) {
  if (loose_) loose_->count(mapped_rows_.data(), mapped_columns_.data());
  for (int r = 0; r < active_count_; ++r) {
    const int i = active_rows_[r];
    W* weights = weights_.data() + w_.at(i, 0);
    const W* gain = gain_.data() + w_.at(i, 0);
    std::fill(weights, weights + w_.columns, -Assignment<W>::kGone);
    if (w_.rows > 64 && deadline_.expired()) return false;
    if (share_levels_ > 0) {
      const auto write = [&](int j, W star) { weights[j] = gain[j] + star; };
      if (!split_.weigh_row(f.shares, i, domain(f, i), words_, write)) return false;
    } else {
      for_each_bit(domain(f, i), words_, [&](int j) {
        if (j < w_.columns) weights[j] = gain[j] + loose_->star(i, j);
      });
    }
  }
  return true;
}

template <class W>
void Search<W>::send_slack(const Frame& f, bool backwards) {
  for (int r = 0; r < w_.rows; ++r) {
    const int i = split_.row_of_sweep(r, backwards);
    if (test_bit(mapped_rows_.data(), i) || w_.a->degree(i) == 0) continue;
    if (w_.rows > 64 && deadline_.expired()) return;  // half a round is as valid as a whole one
    const W* gain = gain_.data() + w_.at(i, 0);
    const auto room = [&](int j) { return f.duals.u[i] + f.duals.v[j] - gain[j]; };
    split_.send_row(f.shares, i, backwards, domain(f, i), words_, room);
  }
}

/// Takes a cell out of the domains, and out of every star that counted on it.
template <class W>
void Search<W>::strike_out(const Frame& f, int row, int column) {
  clear_bit(domain(f, row), column);
  if (column == w_.columns || share_levels_ == 0) return;
  split_.for_each_reference(row, column, [&](std::size_t position) {
    if (!f.owns_shares) struck_.emplace_back(position, f.shares[position]);
    f.shares[position] = Shares<W>::kDead;
  });
}

template <class W>
void Search<W>::restore_shares(std::size_t mark) {
  W* shares = share_levels_ == 0 ? nullptr : shares_.data() + split_.size() * (share_levels_ - 1);
  for (; struck_.size() > mark; struck_.pop_back()) shares[struck_.back().first] = struck_.back().second;
}

/// Strikes out every cell whose use would cost more than `slack`. False if that leaves a row with nowhere to go.
template <class W>
bool Search<W>::filter(const Frame& f, W slack) {
  for (int r = 0; r < active_count_; ++r) {
    const int i = active_rows_[r];
    const W* weights = weights_.data() + w_.at(i, 0);
    const W u = f.duals.u[i];
    Word any = 0;
    for (int word = 0; word < words_; ++word) {
      for (Word rest = domain(f, i)[word]; rest; rest &= rest - 1) {
        const int j = 64 * word + lowest_bit(rest);
        if ((j == w_.columns ? u : u + f.duals.v[j] - weights[j]) > slack) strike_out(f, i, j);
      }
      any |= domain(f, i)[word];
    }
    if (!any) return false;
  }
  return true;
}

/// Maps every row that has only one place left. False if two of them want the same.
template <class W>
bool Search<W>::map_forced(const Frame& f, W& saved) {
  for (int r = 0; r < active_count_;) {
    const int i = active_rows_[r], count = count_bits(domain(f, i), words_);
    if (count == 0) return false;
    if (count > 1) {
      ++r;
      continue;
    }
    int column = 0;
    for_each_bit(domain(f, i), words_, [&](int j) { column = j; });
    if (column < w_.columns) saved += gain_[w_.at(i, column)];
    map_row(f, i, column);
    r = 0;  // that may have left another row with one place
  }
  return true;
}

/// Lowers the bound, which is what the parent promised, as long as it pays. False if nothing of interest is left below
/// this node, or if time ran out.
template <class W>
bool Search<W>::tighten(int depth, W& saved, W& bound) {
  const Frame f = frame(depth);
  const int affordable = depth == 0 ? root_rounds(w_.rows, only_above_) : inner_rounds(*w_.a);
  const int most_rounds = !f.owns_shares || split_.size() == 0 ? 0 : affordable;
  W before = 0;
  for (int round = 0;;) {
    if (!weigh(f)) return leave_open(bound), false;
    assignment_.repair(f.duals, active_rows_.data(), active_count_, floor_level() - saved);
    bound = saved + assignment_.total(f.duals, active_rows_.data(), active_count_);
    if (root_bound_ == kUnknown) root_bound_ = static_cast<std::int64_t>(bound / w_.scale);
    if (depth == 0) tightest_root_ = std::min(tightest_root_, static_cast<std::int64_t>(bound / w_.scale));
    if (bound < floor_level()) return false;
    offer_assignment(f);
    if (bound < floor_level() || !filter(f, bound - floor_level())) return false;
    const int left = active_count_;
    if (!map_forced(f, saved)) return false;
    if (active_count_ == 0) {  // the assignment above was this very mapping, if not better
      trial_ = image_;
      offer(trial_, saved);
      return false;
    }
    if (active_count_ < left) continue;
    if (round == most_rounds || deadline_.expired()) return true;
    if (w_.rows > kLarge && round > 2 && before - bound < w_.scale / 64) return true;
    before = bound;
    send_slack(f, round++ % 2 == 1);
  }
}

// -- the tree -----------------------------------------------------------------------------------------------------

template <class W>
void Search<W>::start_from(std::vector<int> columns) {
  best_ = static_cast<std::int64_t>(w_.value_of(columns) / w_.scale);
  best_columns_ = std::move(columns);
}

template <class W>
void Search<W>::run(std::int64_t threshold, std::int64_t most_nodes) {
  most_nodes_ = most_nodes;
  if (best_ < 0) start_from(w_.any_columns());
  level_ = std::max(best_, threshold);
  explore(0, 0, w_.most);
}

/// The row with the fewest images for its degree: few children, and each of them anchors many neighbours.
template <class W>
int Search<W>::branching_row(const Frame& f) const {
  int best = active_rows_[0], best_images = count_bits(domain(f, best), words_);
  for (int r = 1; r < active_count_; ++r) {
    const int i = active_rows_[r], images = count_bits(domain(f, i), words_);
    if (images * (1 + w_.a->degree(best)) < best_images * (1 + w_.a->degree(i))) best = i, best_images = images;
  }
  return best;
}

template <class W>
int Search<W>::list_children(const Frame& f, int row, Child* children) const {
  int count = 0;
  for_each_bit(domain(f, row), words_, [&](int j) {
    const W loss = f.duals.u[row] + (j == w_.columns ? 0 : f.duals.v[j] - weights_[w_.at(row, j)]);
    children[count++] = {loss, j};
  });
  std::sort(children, children + count,
            [](const Child& x, const Child& y) { return x.loss != y.loss ? x.loss < y.loss : x.column < y.column; });
  return count;
}

template <class W>
void Search<W>::explore(int depth, W saved, W promised) {
  if (deadline_.expired() || nodes_ >= most_nodes_) return leave_open(promised);
  if (++nodes_ >= next_restart_ && !only_above_) {
    next_restart_ *= 4;
    restart_locally(static_cast<int>(std::min<std::int64_t>(200, nodes_ / 4)));
  }
  const std::size_t mark = mapped_.size();
  branch(depth, saved, promised);
  while (mapped_.size() > mark) unmap_row();
}

template <class W>
void Search<W>::branch(int depth, W saved, W bound) {
  if (active_count_ == 0 || !tighten(depth, saved, bound)) return;
  if (depth == 0 && tell_) tell_();
  const Frame f = frame(depth);
  if (nodes_after_ != INT64_MAX) offer_improved(f);  // the first that is good enough ends it
  const int row = branching_row(f);
  Child* children = children_.data() + static_cast<std::size_t>(depth) * (w_.columns + 1);
  const int count = list_children(f, row, children);
  Word* row_orbit = row_orbits_.data() + static_cast<std::size_t>(depth) * row_words_;
  w_.a->symmetry().orbit(row, mapped_rows_.data(), row_orbit);
  for (int c = 0; c < count; ++c) {
    const auto [loss, column] = children[c];
    if (bound - loss < floor_level()) return;
    if (!test_bit(domain(f, row), column)) continue;
    const W gained = column == w_.columns ? 0 : gain_[w_.at(row, column)];
    const std::size_t mark = struck_.size();
    inherit(depth + 1);
    map_row(frame(depth + 1), row, column);
    explore(depth + 1, saved + gained, bound - loss);
    unmap_row();
    restore_shares(mark);
    if (stopped_) {
      if (c + 1 < count) leave_open(bound - children[c + 1].loss);
      return;
    }
    strike_out_symmetric(f, row_orbit, column);
  }
}

/// Stops the search here: below, nothing saves more than `promised`, but it may save that.
template <class W>
void Search<W>::leave_open(W promised) {
  stopped_ = true;
  open_bound_ = std::max(open_bound_, static_cast<std::int64_t>(promised / w_.scale));
}

/// A child starts from its parent's duals, domains and shares.
template <class W>
void Search<W>::inherit(int depth) {
  const Frame from = frame(depth - 1), to = frame(depth);
  std::memcpy(to.duals.u, from.duals.u, sizeof(W) * (w_.rows + w_.stride));
  std::memcpy(to.duals.column, from.duals.column, sizeof(int) * (w_.rows + w_.stride));
  std::memcpy(to.domain, from.domain, sizeof(Word) * static_cast<std::size_t>(w_.rows) * words_);
  if (to.owns_shares)
    for (int r = 0; r < active_count_; ++r) split_.copy_row(from.shares, to.shares, active_rows_[r]);
}

template <class W>
void Search<W>::map_row(const Frame& f, int row, int column) {
  mapped_.emplace_back(row, column);
  const int place = active_place_[row], last = active_rows_[--active_count_];
  active_rows_[place] = last;
  active_place_[last] = place;
  active_rows_[active_count_] = row;
  active_place_[row] = active_count_;
  image_[row] = column == w_.columns ? -1 : column;
  set_bit(mapped_rows_.data(), row);
  for_each_bit(domain(f, row), words_, [&](int j) { strike_out(f, row, j); });
  if (f.duals.column[row] >= 0) f.duals.row[f.duals.column[row]] = -1;
  f.duals.column[row] = -1;
  f.duals.u[row] = 0;
  if (column == w_.columns) return;

  for (int r = 0; r < active_count_; ++r)
    if (test_bit(domain(f, active_rows_[r]), column)) strike_out(f, active_rows_[r], column);
  if (f.duals.row[column] >= 0) f.duals.column[f.duals.row[column]] = -1;
  f.duals.row[column] = -1;
  f.duals.v[column] = Assignment<W>::kGone;
  set_bit(mapped_columns_.data(), column);
  anchor(row, column, 1);
}

/// Takes the last mapped row back; its frame is not restored, as nobody will look at it again.
template <class W>
void Search<W>::unmap_row() {
  const auto [row, column] = mapped_.back();
  mapped_.pop_back();
  if (column != w_.columns) {
    anchor(row, column, -1);
    clear_bit(mapped_columns_.data(), column);
  }
  clear_bit(mapped_rows_.data(), row);
  image_[row] = -1;
  ++active_count_;  // the row that went last is the first behind the active ones
}

/// Neighbours of a mapped pair earn (or, with sign -1, lose again) the full saving of the edge between.
template <class W>
void Search<W>::anchor(int row, int column, int sign) {
  const Neighbour *left = w_.a->neighbours(row), *right = w_.b->neighbours(column);
  for (int s = 0; s < w_.a->degree(row); ++s)
    for (int t = 0; t < w_.b->degree(column); ++t)
      gain_[w_.at(left[s].node, right[t].node)] += static_cast<W>(sign) * w_.edge_weight(left[s].kind, right[t].kind);
}

/// Once row -> column is explored, so is every mapping that an automorphism of either graph makes of it, provided that
/// it leaves the nodes mapped so far in place.
template <class W>
void Search<W>::strike_out_symmetric(const Frame& f, const Word* row_orbit, int column) {
  const bool alone = column == w_.columns;
  if (!alone) w_.b->symmetry().orbit(column, mapped_columns_.data(), column_orbit_.data());
  for_each_bit(row_orbit, row_words_, [&](int i) {
    if (alone) return strike_out(f, i, column);
    for_each_bit(column_orbit_.data(), column_words_, [&](int j) {
      if (test_bit(domain(f, i), j)) strike_out(f, i, j);
    });
  });
}

// -- incumbents ---------------------------------------------------------------------------------------------------

/// Makes the assignment of the bound a mapping: trial_.
template <class W>
void Search<W>::try_assignment(const Frame& f) {
  trial_ = image_;
  for (int r = 0; r < active_count_; ++r) trial_[active_rows_[r]] = f.duals.column[active_rows_[r]];
  if (w_.mandatory) {
    int next = 0;
    for (int r = 0; r < active_count_; ++r) {
      if (trial_[active_rows_[r]] >= 0) continue;
      while (f.duals.row[next] >= 0 || f.duals.v[next] == Assignment<W>::kGone) ++next;
      trial_[active_rows_[r]] = next++;
    }
  }
}

template <class W>
void Search<W>::offer_assignment(const Frame& f) {
  try_assignment(f);
  offer(trial_, w_.value_of(trial_));
}

/// The same after all that moves and trades can do for it, however little it saves before that.
template <class W>
void Search<W>::offer_improved(const Frame& f) {
  try_assignment(f);
  W value = w_.value_of(trial_);
  local_.improve(trial_, value);
  offer(trial_, value);
}

template <class W>
void Search<W>::offer(std::vector<int>& columns, W value) {
  if (value <= static_cast<W>(only_above_ ? level_ : best_) * w_.scale) return;
  local_.improve(columns, value);
  best_ = static_cast<std::int64_t>(value / w_.scale);
  best_columns_ = columns;
  level_ = std::max(level_, best_);
  if (nodes_after_ < most_nodes_ - nodes_) most_nodes_ = nodes_ + nodes_after_;
  if (tell_ && root_bound_ != kUnknown) tell_();
}

/// Worth its time once the tree has grown a little: a better incumbent prunes everywhere.
template <class W>
void Search<W>::restart_locally(int rounds) {
  for (int round = 0; round < rounds && !deadline_.expired(); ++round) {
    trial_ = best_columns_;
    local_.shake(trial_, 3 + round % 3);
    W value = w_.value_of(trial_);
    local_.improve(trial_, value);
    offer(trial_, value);
  }
}

template class Search<std::int32_t>;
template class Search<std::int64_t>;

}  // namespace graphedx
