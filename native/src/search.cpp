#include "graphedx/search.hpp"

#include <algorithm>
#include <cstring>

#include "graphedx/symmetry.hpp"

namespace graphedx {

namespace {

constexpr int kRootRounds = 24;   // rounds of sending slack at the root ...
constexpr int kInnerRounds = 2;   // ... and at every other node
constexpr std::int64_t kFineness = 32;               // an edge's saving is split into at least twice this many parts
constexpr std::size_t kThetaBytes = std::size_t{4} << 20;  // deeper levels read the shares of the last level that fits

std::int64_t preferred_scale(const Problem& problem) {
  std::int64_t least = 0;
  for (std::int64_t saving : problem.edge_savings)
    if (saving > 0 && (least == 0 || saving < least)) least = saving;
  return least == 0 ? 1 : 2 * std::max<std::int64_t>(1, kFineness / least);
}

}  // namespace

template <class W>
bool Search<W>::fits(const Problem& problem) {
  return problem.most_savings() + 1 < Assignment<W>::kMostWeight / preferred_scale(problem) / 4;
}

template <class W>
Search<W>::Search(const Problem& problem, Deadline& deadline)
    : problem_(problem),
      deadline_(deadline),
      a_(problem.row_graph),
      b_(problem.column_graph),
      rows_(problem.rows),
      columns_(problem.columns),
      stride_(std::max(8, (problem.columns + 7) / 8 * 8)),
      words_(words_for(problem.columns + 1)),
      row_words_(words_for(problem.rows)),
      column_words_(words_for(problem.columns)),
      column_ends_(problem.column_graph->first(problem.columns)),
      scale_(static_cast<W>(fits(problem) ? preferred_scale(problem) : 2)) {
  lay_out();
  fill_root();
}

template <class W>
void Search<W>::lay_out() {
  const std::size_t cells = static_cast<std::size_t>(rows_) * stride_;
  node_.assign(cells, -Assignment<W>::kGone);
  for (int i = 0; i < rows_; ++i)
    for (int j = 0; j < columns_; ++j)
      if (problem_.node_saving(i, j) != Problem::kForbidden)
        node_[static_cast<std::size_t>(i) * stride_ + j] = static_cast<W>(problem_.node_saving(i, j)) * scale_;
  edge_.resize(problem_.edge_savings.size());
  for (std::size_t e = 0; e < edge_.size(); ++e) edge_[e] = static_cast<W>(problem_.edge_savings[e]) * scale_;
  gain_ = node_;
  weights_.assign(cells, -Assignment<W>::kGone);
  theta_size_ = static_cast<std::size_t>(a_->first(rows_)) * column_ends_;
  const std::size_t affordable = kThetaBytes / std::max<std::size_t>(1, theta_size_ * sizeof(W));
  theta_levels_ = static_cast<int>(std::min<std::size_t>(rows_ + 1, std::max<std::size_t>(1, affordable)));
  theta_.resize(theta_size_ * theta_levels_);
  frame_values_.resize(static_cast<std::size_t>(rows_ + 1) * (rows_ + stride_));
  frame_links_.resize(frame_values_.size());
  frame_domains_.resize(static_cast<std::size_t>(rows_ + 1) * rows_ * words_);
  children_.resize(static_cast<std::size_t>(rows_ + 1) * (columns_ + 1));
  active_rows_.resize(rows_);
  active_place_.resize(rows_);
  for (int i = 0; i < rows_; ++i) active_rows_[i] = active_place_[i] = i;
  active_count_ = rows_;
  mapped_rows_.assign(row_words_, 0);
  mapped_columns_.assign(column_words_, 0);
  row_orbits_.resize(static_cast<std::size_t>(rows_ + 1) * row_words_);
  column_orbit_.resize(column_words_);
  image_.assign(rows_, -1);
  scratch_.resize(3 * static_cast<std::size_t>(stride_));
  int_scratch_.resize(2 * static_cast<std::size_t>(stride_));
  assignment_.bind(weights_.data(), stride_, scratch_.data(), int_scratch_.data());
}

template <class W>
void Search<W>::fill_root() {
  const Frame f = frame(0);
  std::fill(f.duals.u, f.duals.u + rows_, 0);
  std::fill(f.duals.v, f.duals.v + columns_, 0);
  std::fill(f.duals.v + columns_, f.duals.v + stride_, Assignment<W>::kGone);
  std::fill(f.duals.column, f.duals.column + rows_, -1);
  std::fill(f.duals.row, f.duals.row + stride_, -1);
  std::fill(f.domain, f.domain + static_cast<std::size_t>(rows_) * words_, 0);
  for (int i = 0; i < rows_; ++i) {
    Word* domain = f.domain + static_cast<std::size_t>(i) * words_;
    for (int j = 0; j < columns_; ++j)
      if (problem_.node_saving(i, j) != Problem::kForbidden) set_bit(domain, j);
    if (!problem_.mandatory) set_bit(domain, columns_);
  }
  W* shares = theta(0);
  for (int i = 0; i < rows_; ++i)
    for (int j = 0; j < columns_; ++j) {
      W* cell = block(shares, i, j);
      for (int a = 0; a < a_->degree(i); ++a)
        for (int b = 0; b < b_->degree(j); ++b)
          *cell++ = edge_weight(a_->neighbours(i)[a].kind, b_->neighbours(j)[b].kind) / 2;
    }
}

template <class W>
typename Search<W>::Frame Search<W>::frame(int depth) {
  const std::size_t at = static_cast<std::size_t>(depth) * (rows_ + stride_);
  W* values = frame_values_.data() + at;
  int* links = frame_links_.data() + at;
  return {{values, values + rows_, links, links + rows_},
          frame_domains_.data() + static_cast<std::size_t>(depth) * rows_ * words_};
}

// -- the bound ----------------------------------------------------------------------------------------------------

template <class W>
void Search<W>::gather(const Frame& f, const W* block, int i, int j, SmallStar<W>& star) const {
  star.fill(0);
  const int rows = a_->degree(i), columns = b_->degree(j);
  const Neighbour *left = a_->neighbours(i), *right = b_->neighbours(j);
  for (int a = 0; a < rows; ++a) {
    const Word* domain = f.domain + static_cast<std::size_t>(left[a].node) * words_;
    for (int b = 0; b < columns; ++b) {
      const W share = block[a * columns + b];
      star[4 * a + b] = test_bit(domain, right[b].node) && share > 0 ? share : 0;
    }
  }
}

template <class W>
W Search<W>::star_weight(const Frame& f, const W* shares, int i, int j) {
  const int rows = a_->degree(i), columns = b_->degree(j);
  const W* cell = shares + block_offset(i, j);
  if (rows <= 4 && columns <= 4) {
    SmallStar<W> star;
    gather(f, cell, i, j, star);
    return best_matching(star);
  }
  large_star_.resize(rows, columns);
  for (int a = 0; a < rows; ++a)
    for (int b = 0; b < columns; ++b)
      if (is_viable(f, a_->neighbours(i)[a].node, b_->neighbours(j)[b].node))
        large_star_.at(a, b) = std::max<W>(0, cell[a * columns + b]);
  return large_star_.solve();
}

template <class W>
void Search<W>::weigh_stars(const Frame& f, const W* shares) {
  for (int r = 0; r < active_count_; ++r) {
    const int i = active_rows_[r];
    W* weights = weights_.data() + static_cast<std::size_t>(i) * stride_;
    const W* gain = gain_.data() + static_cast<std::size_t>(i) * stride_;
    std::fill(weights, weights + columns_, -Assignment<W>::kGone);
    for_each_bit(f.domain + static_cast<std::size_t>(i) * words_, words_, [&](int j) {
      if (j < columns_) weights[j] = gain[j] + star_weight(f, shares, i, j);
    });
  }
}

template <class W>
void Search<W>::send_slack(const Frame& f, W* shares, bool backwards) {
  for (int r = 0; r < active_count_; ++r) {
    const int i = active_rows_[backwards ? active_count_ - 1 - r : r];
    for_each_bit(f.domain + static_cast<std::size_t>(i) * words_, words_, [&](int j) {
      if (j == columns_) return;
      const W room = f.duals.u[i] + f.duals.v[j] - gain_[static_cast<std::size_t>(i) * stride_ + j];
      if (a_->degree(i) <= 4 && b_->degree(j) <= 4) {
        send_from_small(f, shares, i, j, room);
      } else {
        send_from_large(f, shares, i, j, room);
      }
    });
  }
}

/// For each neighbour pair in turn: what the cell could bear more of it goes half way over from the pair's own cell.
template <class W>
void Search<W>::send_from_small(const Frame& f, W* shares, int i, int j, W room) {
  const int rows = a_->degree(i), columns = b_->degree(j);
  const Neighbour *left = a_->neighbours(i), *right = b_->neighbours(j);
  W* cell = block(shares, i, j);
  SmallStar<W> star;
  gather(f, cell, i, j, star);
  for (int a = 0; a < rows; ++a) {
    const int k = left[a].node;
    const Word* domain = f.domain + static_cast<std::size_t>(k) * words_;
    for (int b = 0; b < columns; ++b) {
      const int l = right[b].node;
      if (!test_bit(domain, l)) continue;
      W& share = cell[a * columns + b];
      const W moved = (room - share - best_matching_without(star, a, b)) / 2;
      if (moved <= 0) continue;
      share += moved;
      star[4 * a + b] = std::max<W>(0, share);
      block(shares, k, l)[left[a].back * b_->degree(l) + right[b].back] -= moved;
    }
  }
}

/// The same with the reduced costs of one assignment in place of exact maxima: weaker a round, but any degree.
template <class W>
void Search<W>::send_from_large(const Frame& f, W* shares, int i, int j, W room) {
  const int rows = a_->degree(i), columns = b_->degree(j);
  const Neighbour *left = a_->neighbours(i), *right = b_->neighbours(j);
  W* cell = block(shares, i, j);
  const W spare = (room - star_weight(f, shares, i, j)) / std::max(1, std::min(rows, columns));
  for (int a = 0; a < rows; ++a)
    for (int b = 0; b < columns; ++b) {
      const int k = left[a].node, l = right[b].node;
      if (!is_viable(f, k, l)) continue;
      W& share = cell[a * columns + b];
      const W moved = (large_star_.u(a) + large_star_.v(b) - share + spare) / 2;
      if (moved <= 0) continue;
      share += moved;
      block(shares, k, l)[left[a].back * b_->degree(l) + right[b].back] -= moved;
    }
}

template <class W>
W Search<W>::dual_total(const Frame& f) const {
  W total = 0;
  for (int r = 0; r < active_count_; ++r) total += f.duals.u[active_rows_[r]];
  for (int j = 0; j < columns_; ++j) total += f.duals.v[j] == Assignment<W>::kGone ? 0 : f.duals.v[j];
  return total;
}

// -- the tree -----------------------------------------------------------------------------------------------------

template <class W>
void Search<W>::run(std::int64_t threshold) {
  best_columns_.assign(rows_, -1);
  trial_.assign(rows_, -1);
  if (problem_.mandatory)
    for (int i = 0; i < rows_; ++i) trial_[i] = i;
  best_ = static_cast<std::int64_t>(value_of(trial_) / scale_);
  best_columns_ = trial_;
  level_ = std::max(best_, threshold);
  open_bound_ = -1;
  explore(0, 0, static_cast<W>(problem_.most_savings()) * scale_);
}

template <class W>
bool Search<W>::filter(const Frame& f, W slack) {
  for (int r = 0; r < active_count_; ++r) {
    const int i = active_rows_[r];
    Word* domain = f.domain + static_cast<std::size_t>(i) * words_;
    const W* weights = weights_.data() + static_cast<std::size_t>(i) * stride_;
    const W u = f.duals.u[i];
    Word any = 0;
    for (int word = 0; word < words_; ++word) {
      Word keep = domain[word];
      for (Word rest = keep; rest; rest &= rest - 1) {
        const int bit = lowest_bit(rest), j = 64 * word + bit;
        const W loss = j == columns_ ? u : u + f.duals.v[j] - weights[j];
        if (loss > slack) keep &= ~(Word{1} << bit);
      }
      domain[word] = keep;
      any |= keep;
    }
    if (!any) return false;
  }
  return true;
}

template <class W>
int Search<W>::branching_row(const Frame& f, int& images) const {
  int best = -1, best_ties = 0;
  for (int r = 0; r < active_count_; ++r) {
    const int i = active_rows_[r];
    const int count = count_bits(f.domain + static_cast<std::size_t>(i) * words_, words_);
    if (best >= 0 && count > images) continue;
    int ties = a_->degree(i);
    for (int a = 0; a < a_->degree(i); ++a)
      ties += 64 * static_cast<int>(test_bit(mapped_rows_.data(), a_->neighbours(i)[a].node));
    if (best < 0 || count < images || ties > best_ties) best = i, images = count, best_ties = ties;
  }
  return best;
}

/// Lowers the bound as long as it pays. False if nothing of interest is left below this node.
template <class W>
bool Search<W>::tighten(int depth, W saved, W& bound, int& row) {
  const Frame f = frame(depth);
  const int most_rounds = !owns_theta(depth) || theta_size_ == 0 ? 0 : depth == 0 ? kRootRounds : kInnerRounds;
  W before = 0;
  for (int round = 0;; ++round) {
    weigh_stars(f, theta(depth));
    assignment_.repair(f.duals, active_rows_.data(), active_count_);
    bound = saved + dual_total(f);
    if (bound < floor_level()) return false;
    offer_assignment(f);
    if (bound < floor_level() || !filter(f, bound - floor_level())) return false;
    int images = 0;
    row = branching_row(f, images);
    if (round >= most_rounds || images == 1 || deadline_.expired()) return true;
    if (round > 2 && before - bound < scale_ / 64) return true;
    before = bound;
    send_slack(f, theta(depth), round % 2 == 1);
  }
}

template <class W>
void Search<W>::explore(int depth, W saved, W promised) {
  if (deadline_.expired()) {
    stopped_ = true;
    open_bound_ = std::max(open_bound_, static_cast<std::int64_t>(promised / scale_));
    return;
  }
  ++nodes_;
  if (active_count_ == 0) {
    trial_ = image_;
    offer(trial_, saved);
    return;
  }
  if (nodes_ >= next_restart_) {
    next_restart_ *= 4;
    restart_locally(static_cast<int>(std::min<std::int64_t>(200, 8 + nodes_ / 4)));
  }
  W bound;
  int row;
  if (!tighten(depth, saved, bound, row)) return;

  const Frame f = frame(depth);
  Child* children = children_.data() + static_cast<std::size_t>(depth) * (columns_ + 1);
  int count = 0;
  for_each_bit(f.domain + static_cast<std::size_t>(row) * words_, words_, [&](int j) {
    const W loss = f.duals.u[row] +
                   (j == columns_ ? 0 : f.duals.v[j] - weights_[static_cast<std::size_t>(row) * stride_ + j]);
    children[count++] = {loss, j};
  });
  std::sort(children, children + count,
            [](const Child& x, const Child& y) { return x.loss != y.loss ? x.loss < y.loss : x.column < y.column; });
  Word* row_orbit = row_orbits_.data() + static_cast<std::size_t>(depth) * row_words_;
  a_->symmetry().orbit(row, mapped_rows_.data(), row_orbit);
  for (int c = 0; c < count; ++c) {
    const auto [loss, column] = children[c];
    if (bound - loss < floor_level()) return;
    if (!is_viable(f, row, column)) continue;
    const W gained = column == columns_ ? 0 : gain_[static_cast<std::size_t>(row) * stride_ + column];
    enter(depth + 1, row, column);
    explore(depth + 1, saved + gained, bound - loss);
    undo(row, column);
    if (stopped_) {
      if (c + 1 < count)
        open_bound_ = std::max(open_bound_, static_cast<std::int64_t>((bound - children[c + 1].loss) / scale_));
      return;
    }
    leave_out_symmetric(f, row_orbit, column);
  }
}

template <class W>
void Search<W>::remove_row(int row) {
  const int place = active_place_[row], last = active_rows_[--active_count_];
  active_rows_[place] = last;
  active_place_[last] = place;
  active_rows_[active_count_] = row;
  active_place_[row] = active_count_;
}

template <class W>
void Search<W>::enter(int depth, int row, int column) {
  const Frame from = frame(depth - 1), to = frame(depth);
  std::memcpy(to.duals.u, from.duals.u, sizeof(W) * (rows_ + stride_));
  std::memcpy(to.duals.column, from.duals.column, sizeof(int) * (rows_ + stride_));
  std::memcpy(to.domain, from.domain, sizeof(Word) * static_cast<std::size_t>(rows_) * words_);
  if (owns_theta(depth)) std::memcpy(theta(depth), theta(depth - 1), sizeof(W) * theta_size_);
  remove_row(row);
  image_[row] = column == columns_ ? -1 : column;
  set_bit(mapped_rows_.data(), row);
  Word* own = to.domain + static_cast<std::size_t>(row) * words_;
  std::fill(own, own + words_, 0);
  if (to.duals.column[row] >= 0) to.duals.row[to.duals.column[row]] = -1;
  to.duals.column[row] = -1;
  to.duals.u[row] = 0;
  if (column == columns_) return;

  if (to.duals.row[column] >= 0) to.duals.column[to.duals.row[column]] = -1;
  to.duals.row[column] = -1;
  to.duals.v[column] = Assignment<W>::kGone;
  set_bit(mapped_columns_.data(), column);
  for (int r = 0; r < active_count_; ++r)
    clear_bit(to.domain + static_cast<std::size_t>(active_rows_[r]) * words_, column);
  anchor(row, column, 1);
}

template <class W>
void Search<W>::undo(int row, int column) {
  if (column != columns_) {
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
  const Neighbour *left = a_->neighbours(row), *right = b_->neighbours(column);
  for (int a = 0; a < a_->degree(row); ++a)
    for (int b = 0; b < b_->degree(column); ++b)
      gain_[static_cast<std::size_t>(left[a].node) * stride_ + right[b].node] +=
          static_cast<W>(sign) * edge_weight(left[a].kind, right[b].kind);
}

/// Once row -> column is explored, so is every mapping that an automorphism of either graph makes of it, provided that
/// it leaves the nodes mapped so far in place.
template <class W>
void Search<W>::leave_out_symmetric(const Frame& f, const Word* row_orbit, int column) {
  if (column != columns_) b_->symmetry().orbit(column, mapped_columns_.data(), column_orbit_.data());
  for_each_bit(row_orbit, row_words_, [&](int i) {
    Word* domain = f.domain + static_cast<std::size_t>(i) * words_;
    if (column == columns_) {
      clear_bit(domain, column);
    } else {
      for (int word = 0; word < column_words_; ++word) domain[word] &= ~column_orbit_[word];
    }
  });
}

// -- incumbents ---------------------------------------------------------------------------------------------------

template <class W>
W Search<W>::value_of(const std::vector<int>& columns) const {
  W total = 0;
  for (int i = 0; i < rows_; ++i) {
    if (columns[i] < 0) continue;
    total += node_[static_cast<std::size_t>(i) * stride_ + columns[i]];
    const Neighbour* list = a_->neighbours(i);
    for (int a = 0; a < a_->degree(i) && list[a].node < i; ++a)
      if (columns[list[a].node] >= 0) total += edge_weight(list[a].kind, b_->kind(columns[i], columns[list[a].node]));
  }
  return total;
}

template <class W>
void Search<W>::offer_assignment(const Frame& f) {
  trial_ = image_;
  for (int r = 0; r < active_count_; ++r) trial_[active_rows_[r]] = f.duals.column[active_rows_[r]];
  if (problem_.mandatory) {
    int next = 0;
    for (int r = 0; r < active_count_; ++r) {
      if (trial_[active_rows_[r]] >= 0) continue;
      while (f.duals.row[next] >= 0 || f.duals.v[next] == Assignment<W>::kGone) ++next;
      trial_[active_rows_[r]] = next++;
    }
  }
  const W value = value_of(trial_);
  if (value > static_cast<W>(best_) * scale_) offer(trial_, value);
}

template <class W>
void Search<W>::offer(std::vector<int>& columns, W value) {
  if (value <= static_cast<W>(best_) * scale_) return;
  improve(columns, value);
  best_ = static_cast<std::int64_t>(value / scale_);
  best_columns_ = columns;
  level_ = std::max(level_, best_);
}

/// Savings of mapping `row` to `column` next to all other rows but `except`.
template <class W>
W Search<W>::gain_at(const std::vector<int>& columns, int row, int column, int except) const {
  if (column < 0) return 0;
  W total = node_[static_cast<std::size_t>(row) * stride_ + column];
  const Neighbour* list = a_->neighbours(row);
  for (int a = 0; a < a_->degree(row); ++a) {
    const int k = list[a].node;
    if (k != except && columns[k] >= 0) total += edge_weight(list[a].kind, b_->kind(column, columns[k]));
  }
  return total;
}

/// Local search: move a row to another column, or trade the columns of two rows, as long as that saves more.
template <class W>
void Search<W>::improve(std::vector<int>& columns, W& value) {
  inverse_.assign(columns_, -1);
  for (int i = 0; i < rows_; ++i)
    if (columns[i] >= 0) inverse_[columns[i]] = i;
  for (bool improved = true; improved;) {
    improved = false;
    for (int i = 0; i < rows_; ++i) {
      if (rows_ > 64 && deadline_.expired()) return;
      for (int j = problem_.mandatory ? 0 : -1; j < columns_; ++j) {
        const int old = columns[i];
        if (j == old) continue;
        const int k = j < 0 ? -1 : inverse_[j];
        W gain;
        if (k < 0) {
          gain = gain_at(columns, i, j, -1) - gain_at(columns, i, old, -1);
        } else {
          gain = gain_at(columns, i, j, k) + gain_at(columns, k, old, i) - gain_at(columns, i, old, k) -
                 gain_at(columns, k, j, i);
          if (old >= 0) gain += edge_weight(a_->kind(i, k), b_->kind(j, old)) - edge_weight(a_->kind(i, k), b_->kind(old, j));
        }
        if (gain <= 0) continue;
        columns[i] = j;
        if (j >= 0) inverse_[j] = i;
        if (old >= 0) inverse_[old] = k;
        if (k >= 0) columns[k] = old;
        value += gain;
        improved = true;
      }
    }
  }
}

/// A few random trades in the best mapping, then local search; worth its time once the tree has grown a little.
template <class W>
void Search<W>::restart_locally(int rounds) {
  const auto random = [&](int below) {
    random_ ^= random_ << 13;
    random_ ^= random_ >> 7;
    random_ ^= random_ << 17;
    return static_cast<int>((random_ >> 33) % static_cast<std::uint64_t>(below));
  };
  if (rows_ < 2) return;
  for (int round = 0; round < rounds && !deadline_.expired(); ++round) {
    trial_ = best_columns_;
    for (int trades = 3 + round % 3; trades > 0; --trades) {
      const int i = random(rows_), k = random(rows_);
      std::swap(trial_[i], trial_[k]);
    }
    W value = value_of(trial_);
    improve(trial_, value);
    offer(trial_, value);
  }
}

template class Search<std::int32_t>;
template class Search<std::int64_t>;

}  // namespace graphedx
