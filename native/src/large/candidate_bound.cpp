#include "graphedx/large/candidate_bound.hpp"

#include <algorithm>
#include <utility>

namespace graphedx {

namespace {

constexpr std::size_t kMostCells = 4200000;          // with their edge pairs, some 400 MB
constexpr std::size_t kMostPairs = 20000000;
constexpr std::size_t kFirstCells = 1500000;         // where not all fit: the rest is for cells that turn out to matter
constexpr std::size_t kFirstPairs = 8000000;
constexpr std::size_t kMostDeadBits = std::size_t{1} << 29;
constexpr std::size_t kNewcomers = 24;               // cells that a row lets in a round
constexpr Weight kClose = 12;                        // slack, in savings, from which on cells outside can be struck out

struct Choice {
  Weight slack;
  int agreement;
  int column;
  bool operator<(const Choice& other) const {
    if (slack != other.slack) return slack < other.slack;
    if (agreement != other.agreement) return agreement > other.agreement;
    return column < other.column;
  }
};

/// Whether a cell may be a candidate.
bool is_listable(const Savings& savings, int i, int j) {
  return savings.may_map(i, j) &&
         CandidateShares::block_size(savings, i, j) <= static_cast<std::size_t>(CandidateShares::kMostBlock);
}

/// Whether all cells that can be mapped fit in the budget.
bool all_fit(const Savings& savings) {
  if (static_cast<std::size_t>(savings.rows) * savings.columns > kMostCells) return false;
  std::size_t pairs = 0;
  for (int i = 0; i < savings.rows; ++i)
    for (int j = 0; j < savings.columns; ++j) {
      if (!savings.may_map(i, j)) continue;
      pairs += CandidateShares::block_size(savings, i, j);
      if (pairs > kMostPairs || !is_listable(savings, i, j)) return false;
    }
  return true;
}

}  // namespace

CandidateBound::CandidateBound(const Savings& savings, const TypeBound& types, const Colours& colours,
                               const std::vector<int>& include, Deadline& deadline)
    : savings_(savings),
      types_(types),
      implicit_(std::make_shared<ImplicitWeights>(savings, types)),
      deadline_(deadline),
      cells_(std::make_unique<CellLists>()),
      assignment_(savings.rows, savings.columns),
      raise_(savings.rows, 0),
      total_(types.total) {
  choose(colours, include);
  if (deadline_.expired()) return;
  cells_->index(savings_.columns);
  const CellLists& cells = *cells_;
  shares_ = std::make_unique<CandidateShares>(savings_, cells, deadline_, [&](std::size_t c, Weight* shares) {
    implicit_->fill(cells.row[c], cells.column[c], shares);
  });
  if (!shares_->complete) shares_.reset();
  const std::size_t words = static_cast<std::size_t>(words_for(savings_.columns));
  if (!complete_ && words * 64 * static_cast<std::size_t>(savings_.rows) <= kMostDeadBits) {
    dead_words_ = words;
    dead_.assign(words * savings_.rows, 0);
  }
  for (int j = 0; j < savings_.columns; ++j) assignment_.v[j] = types_.v[types_.columns.type_of[j]];
}

CandidateBound::CandidateBound(const CandidateBound& parent, int row, int place)
    : savings_(parent.savings_),
      types_(parent.types_),
      implicit_(parent.implicit_),
      deadline_(parent.deadline_),
      cells_(std::make_unique<CellLists>()),
      assignment_(parent.assignment_),
      raise_(savings_.rows, 0),
      total_(parent.total_),
      complete_(true) {
  const CellLists& old = *parent.cells_;
  std::vector<std::size_t> origin;
  cells_->first.assign(1, 0);
  for (int i = 0; i < savings_.rows; ++i) {
    for (std::size_t c = old.first[i]; c < old.first[i + 1]; ++c)
      if (parent.shares_->alive(c) && (i == row) == (old.column[c] == place))
        cells_->column.push_back(old.column[c]), origin.push_back(c);
    cells_->first.push_back(cells_->column.size());
  }
  cells_->index(savings_.columns);
  for (int i = 0; i < savings_.rows; ++i) {  // partners that are gone are partners no more
    const int j = assignment_.column[i];
    if (j >= 0 && (i == row) != (j == place)) assignment_.column[i] = assignment_.row[j] = -1;
  }
  shares_ = std::make_unique<CandidateShares>(savings_, *cells_, deadline_, [&](std::size_t c, Weight* out) {
    std::copy_n(parent.shares_->shares_of(origin[c]),
                CandidateShares::block_size(savings_, cells_->row[c], cells_->column[c]), out);
  });
  if (shares_->complete) {
    shares_->strike_outside();
  } else {
    shares_.reset();
  }
}

// -- candidates -----------------------------------------------------------------------------------------------------

void CandidateBound::choose(const Colours& colours, const std::vector<int>& include) {
  const std::size_t rows = static_cast<std::size_t>(std::max(1, savings_.rows));
  complete_ = all_fit(savings_);
  cells_->first.assign(1, 0);
  for (int i = 0; i < savings_.rows; ++i) {
    if (deadline_.expired()) return;
    if (complete_) {
      for (int j = 0; j < savings_.columns; ++j)
        if (savings_.may_map(i, j)) cells_->column.push_back(j);
    } else {
      choose_in_row(colours, i, include[i], kFirstCells / rows, kFirstPairs / rows);
    }
    cells_->first.push_back(cells_->column.size());
  }
}

void CandidateBound::choose_in_row(const Colours& colours, int i, int included, std::size_t most_cells,
                                   std::size_t most_pairs) {
  std::vector<Choice> choices;
  const Weight u = types_.u[types_.rows.type_of[i]];
  const auto price = [&](int j) { return u + types_.v[types_.columns.type_of[j]]; };
  const auto keep_best = [&](std::size_t most) {
    if (most >= choices.size()) return;
    std::nth_element(choices.begin(), choices.begin() + static_cast<std::ptrdiff_t>(most), choices.end());
    choices.resize(most);
  };
  for (int j = 0; j < savings_.columns; ++j)
    if (is_listable(savings_, i, j))
      choices.push_back({j == included ? -1 : price(j) - implicit_->most(i, j), colours.agreement(i, j), j});
  keep_best(4 * most_cells);  // weighing all of them would take longer than what follows
  for (Choice& choice : choices)
    if (choice.column != included) choice.slack = price(choice.column) - implicit_->weight(i, choice.column);
  keep_best(most_cells);
  std::sort(choices.begin(), choices.end());
  std::size_t pairs = 0, kept = 0;
  while (kept < choices.size() && (pairs += CandidateShares::block_size(savings_, i, choices[kept].column)) <= most_pairs)
    cells_->column.push_back(choices[kept++].column);
  std::sort(cells_->column.end() - static_cast<std::ptrdiff_t>(kept), cells_->column.end());
}

/// Candidates that are struck out go, newcomers come, all others keep their shares.
void CandidateBound::rebuild() {
  const CellLists& old = *cells_;
  auto fresh = std::make_unique<CellLists>();
  std::vector<std::size_t> origin;  // of each new cell, or old.size()
  std::size_t next = 0;
  fresh->first.assign(1, 0);
  for (int i = 0; i < savings_.rows; ++i) {
    const auto take_newcomers = [&](int below) {
      for (; next < newcomers_.size() && newcomers_[next].row == i && newcomers_[next].column < below; ++next)
        fresh->column.push_back(newcomers_[next].column), origin.push_back(old.size());
    };
    for (std::size_t c = old.first[i]; c < old.first[i + 1]; ++c) {
      take_newcomers(old.column[c]);
      if (shares_->alive(c)) fresh->column.push_back(old.column[c]), origin.push_back(c);
    }
    take_newcomers(savings_.columns);
    fresh->first.push_back(fresh->column.size());
  }
  fresh->index(savings_.columns);
  auto shares = std::make_unique<CandidateShares>(savings_, *fresh, deadline_, [&](std::size_t c, Weight* out) {
    const int i = fresh->row[c], j = fresh->column[c], columns = savings_.b->degree(j);
    if (origin[c] == old.size()) {
      implicit_->fill(i, j, out);
    } else {
      std::copy_n(shares_->shares_of(origin[c]), CandidateShares::block_size(savings_, i, j), out);
    }
    if (dead_.empty()) return;
    for (int s = 0; s < savings_.a->degree(i); ++s)
      for (int t = 0; t < columns; ++t)
        if (is_dead(savings_.a->neighbours(i)[s].node, savings_.b->neighbours(j)[t].node))
          out[s * columns + t] = CandidateShares::kDead;
  });
  if (!shares->complete) return;  // the deadline has passed: all goes on as it was, which is not far
  newcomers_.clear();
  shares_ = std::move(shares);
  cells_ = std::move(fresh);
  weigh();
}

// -- the bound ------------------------------------------------------------------------------------------------------

void CandidateBound::weigh() {
  weights_.resize(cells_->size());
  for (std::size_t c = 0; c < cells_->size(); ++c) {
    if (c % 1024 == 0 && deadline_.expired()) return;
    weights_[c] = shares_->alive(c) ? savings_.node_weight(cells_->row[c], cells_->column[c]) + shares_->star(c)
                                    : Savings::kForbidden;
  }
}

/// Finds what the rows' duals lack to cover the cells outside, and the cells that lack most. False if the deadline
/// struck.
bool CandidateBound::price_outside() {
  std::vector<int> listed(savings_.columns, -1);
  std::vector<Choice> lacking;
  newcomers_.clear();
  std::size_t room = kMostCells - std::min(kMostCells, cells_->size());
  std::size_t pair_room = kMostPairs - std::min(kMostPairs, shares_->edge_pairs());
  for (int i = 0; i < savings_.rows; ++i) {
    if (deadline_.expired()) return false;
    for (std::size_t c = cells_->first[i]; c < cells_->first[i + 1]; ++c) listed[cells_->column[c]] = i;
    lacking.clear();
    raise_[i] = 0;
    for (int j = 0; j < savings_.columns; ++j) {
      if (listed[j] == i || is_dead(i, j)) continue;
      const Weight price = assignment_.u[i] + assignment_.v[j];
      if (price >= implicit_->most(i, j)) continue;
      const Weight lack = implicit_->weight(i, j) - price;
      if (lack <= 0) continue;
      raise_[i] = std::max(raise_[i], lack);
      if (is_listable(savings_, i, j)) lacking.push_back({-lack, 0, j});
    }
    const std::size_t most = std::min({lacking.size(), kNewcomers, room});
    std::partial_sort(lacking.begin(), lacking.begin() + static_cast<std::ptrdiff_t>(most), lacking.end());
    std::sort(lacking.begin(), lacking.begin() + static_cast<std::ptrdiff_t>(most),
              [](const Choice& x, const Choice& y) { return x.column < y.column; });
    for (std::size_t n = 0; n < most; ++n) {
      const std::size_t pairs = CandidateShares::block_size(savings_, i, lacking[n].column);
      if (pairs > pair_room) continue;
      newcomers_.push_back({i, lacking[n].column});
      pair_room -= pairs;
      --room;
    }
  }
  return true;
}

/// Strikes out candidates that lose more than `slack`; returns how many.
std::size_t CandidateBound::filter(Weight slack) {
  const std::size_t before = shares_->alive_cells();
  for (std::size_t c = 0; c < cells_->size(); ++c) {
    if (c % 1024 == 0 && deadline_.expired()) break;
    const int i = cells_->row[c], j = cells_->column[c];
    if (!shares_->alive(c) || assignment_.u[i] + raise_[i] + assignment_.v[j] - weights_[c] <= slack) continue;
    shares_->strike(c);
    if (!dead_.empty()) set_bit(dead_.data() + dead_words_ * i, j);
  }
  return before - shares_->alive_cells();
}

/// The same for cells outside. If those that remain fit among the candidates, they all come in, and nothing is outside.
void CandidateBound::filter_outside(Weight slack) {
  std::vector<int> listed(savings_.columns, -1);
  std::vector<Cell> remaining;
  std::size_t room = kMostCells - std::min(kMostCells, cells_->size());
  std::size_t pair_room = kMostPairs - std::min(kMostPairs, shares_->edge_pairs());
  bool all_fit = true;
  for (int i = 0; i < savings_.rows; ++i) {
    if (deadline_.expired()) return;
    for (std::size_t c = cells_->first[i]; c < cells_->first[i + 1]; ++c) listed[cells_->column[c]] = i;
    for (int j = 0; j < savings_.columns; ++j) {
      if (listed[j] == i || is_dead(i, j) || !savings_.may_map(i, j)) continue;
      const Weight price = assignment_.u[i] + raise_[i] + assignment_.v[j];
      if (price - implicit_->most(i, j) > slack || price - implicit_->weight(i, j) > slack) {
        set_bit(dead_.data() + dead_words_ * i, j);
        continue;
      }
      const std::size_t pairs = CandidateShares::block_size(savings_, i, j);
      all_fit &= is_listable(savings_, i, j) && room > remaining.size() && pairs <= pair_room;
      if (all_fit) remaining.push_back({i, j}), pair_room -= pairs;
    }
  }
  if (!all_fit) return;
  newcomers_ = std::move(remaining);
  rebuild();
  if (!newcomers_.empty()) return;
  complete_ = true;
  dead_.clear();
}

std::vector<int> CandidateBound::places(int i, Weight best) const {
  std::vector<int> result;
  for (std::size_t c = cells_->first[i]; c < cells_->first[i + 1]; ++c)
    if (shares_->alive(c)) result.push_back(cells_->column[c]);
  // A row that stays alone loses its dual.
  if (!savings_.mandatory && assignment_.u[i] <= total_ - (best + savings_.scale)) result.push_back(-1);
  return result;
}

Weight CandidateBound::loss(int i, int j) const {
  const auto begin = cells_->column.begin() + static_cast<std::ptrdiff_t>(cells_->first[i]);
  const auto end = cells_->column.begin() + static_cast<std::ptrdiff_t>(cells_->first[i + 1]);
  const auto found = std::lower_bound(begin, end, j);
  const std::size_t c = static_cast<std::size_t>(found - cells_->column.begin());
  if (found == end || *found != j || c >= weights_.size() || weights_[c] == Savings::kForbidden) return 4 * savings_.scale;
  return assignment_.u[i] + assignment_.v[j] - weights_[c];
}

void CandidateBound::send() {
  for (int r = 0; r < savings_.rows; ++r) {
    const int i = backwards_ ? savings_.rows - 1 - r : r;
    if (deadline_.expired()) return;  // half a round is as valid as a whole one
    for (std::size_t c = cells_->first[i]; c < cells_->first[i + 1]; ++c)
      if (shares_->alive(c))
        shares_->send(c, assignment_.u[i] + assignment_.v[cells_->column[c]] - savings_.node_weight(i, cells_->column[c]));
  }
  backwards_ = !backwards_;
}

bool CandidateBound::improve(Weight best) {
  const Weight before = total_;
  weigh();
  if (deadline_.expired()) return false;
  assignment_.repair(*cells_, weights_, deadline_);
  std::fill(raise_.begin(), raise_.end(), 0);
  if (!complete_ && !price_outside()) return false;
  Weight total = assignment_.total();
  for (Weight lack : raise_) total += lack;
  total_ = std::min(total_, total);
  const Weight slack = total - (best + savings_.scale);
  if (slack < 0 || deadline_.expired()) return true;
  const std::size_t struck = filter(slack);
  send();
  const bool was_complete = complete_;
  if (!complete_ && !dead_.empty() && slack < kClose * savings_.scale) filter_outside(slack);
  const std::size_t alive = shares_->alive_cells();
  const bool is_held_up = total - assignment_.total() >= std::max<Weight>(1, savings_.scale / 4);
  if ((is_held_up && !newcomers_.empty()) || 2 * alive < cells_->size()) rebuild();
  // A step is good if it is some part of a saving, and not too small a part of what is left to gain.
  const bool falls = before - total_ >= std::max<Weight>({1, savings_.scale / 8, slack / 256});
  return falls || 50 * struck > alive || complete_ != was_complete;
}

}  // namespace graphedx
