#include "graphedx/candidate_bound.hpp"

#include <algorithm>

namespace graphedx {

namespace {

constexpr std::size_t kMostCells = 1500000;  // with their edge pairs, some 200 MB
constexpr std::size_t kMostPairs = 8000000;

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

}  // namespace

CandidateBound::CandidateBound(const Savings& savings, const TypeBound& types, const Colours& colours,
                               const std::vector<int>& include, Deadline& deadline)
    : savings_(savings), types_(types), implicit_(savings, types), deadline_(deadline), total_(types.total) {
  choose(colours, include);
  if (deadline_.expired()) return;
  cells_.index(savings_.columns);
  shares_.emplace(savings_, cells_, deadline_, [&](int i, int j, int s, int t) { return implicit_.share(i, j, s, t); });
  if (!shares_->complete) {
    shares_.reset();
    return;
  }
  weights_.resize(cells_.size());
  assignment_.emplace(cells_, savings_.rows, savings_.columns);
  for (int j = 0; j < savings_.columns; ++j) assignment_->v[j] = types_.v[types_.columns.type_of[j]];
}

void CandidateBound::choose(const Colours& colours, const std::vector<int>& include) {
  std::size_t all = 0, all_pairs = 0;
  const auto fits = [&](int i, int j) {
    return CandidateShares::block_size(savings_, i, j) <= static_cast<std::size_t>(CandidateShares::kMostBlock);
  };
  bool everything = static_cast<std::size_t>(savings_.rows) * savings_.columns <= kMostCells;
  for (int i = 0; i < savings_.rows && everything; ++i)
    for (int j = 0; j < savings_.columns; ++j)
      if (savings_.may_map(i, j)) {
        everything &= fits(i, j);
        ++all;
        all_pairs += CandidateShares::block_size(savings_, i, j);
      }
  everything &= all_pairs <= kMostPairs;
  complete_ = everything;
  const std::size_t cells_a_row = kMostCells / std::max(1, savings_.rows);
  const std::size_t pairs_a_row = kMostPairs / std::max(1, savings_.rows);
  cells_.first.assign(1, 0);
  cells_.column.reserve(everything ? all : 0);
  std::vector<Choice> choices;
  for (int i = 0; i < savings_.rows; ++i) {
    if (deadline_.expired()) return;
    if (everything) {
      for (int j = 0; j < savings_.columns; ++j)
        if (savings_.may_map(i, j)) cells_.column.push_back(j);
    } else {
      choices.clear();
      for (int j = 0; j < savings_.columns; ++j) {
        if (!savings_.may_map(i, j) || !fits(i, j)) continue;
        const Weight slack = types_.u[types_.rows.type_of[i]] + types_.v[types_.columns.type_of[j]] - implicit_.weight(i, j);
        choices.push_back({j == include[i] ? -1 : slack, 0, j});
      }
      const std::size_t most = std::min(cells_a_row, choices.size());
      if (most < choices.size()) {
        for (Choice& choice : choices) choice.agreement = colours.agreement(i, choice.column);
        std::nth_element(choices.begin(), choices.begin() + static_cast<std::ptrdiff_t>(most), choices.end());
      }
      std::sort(choices.begin(), choices.begin() + static_cast<std::ptrdiff_t>(most));
      std::size_t pairs = 0, kept = 0;
      while (kept < most && (pairs += CandidateShares::block_size(savings_, i, choices[kept].column)) <= pairs_a_row)
        cells_.column.push_back(choices[kept++].column);
      std::sort(cells_.column.end() - static_cast<std::ptrdiff_t>(kept), cells_.column.end());
    }
    cells_.first.push_back(cells_.column.size());
  }
}

void CandidateBound::weigh() {
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    if (c % 1024 == 0 && deadline_.expired()) return;
    weights_[c] = shares_->alive(c) ? savings_.node_weight(cells_.row[c], cells_.column[c]) + shares_->star(c)
                                    : Savings::kForbidden;
  }
}

/// Raises rows' duals to cover the cells outside, and returns by how much in all; kForbidden if the deadline struck.
/// If all of them lose more than `slack`, they are struck out for good.
Weight CandidateBound::price_outside(Weight slack) {
  Weight raised = 0, least_loss = slack + 1;
  std::vector<int> listed(savings_.columns, -1);
  for (int i = 0; i < savings_.rows; ++i) {
    if (deadline_.expired()) return Savings::kForbidden;
    for (std::size_t c = cells_.first[i]; c < cells_.first[i + 1]; ++c) listed[cells_.column[c]] = i;
    Weight& u = assignment_->u[i];
    const Weight before = u;
    for (int j = 0; j < savings_.columns; ++j) {
      if (listed[j] == i) continue;
      Weight loss = u + assignment_->v[j] - implicit_.most(i, j);
      if (loss >= std::max<Weight>(0, std::min(least_loss, slack + 1))) continue;
      loss = u + assignment_->v[j] - implicit_.weight(i, j);
      if (loss < 0) u -= loss, loss = 0;
      least_loss = std::min(least_loss, loss);
    }
    raised += u - before;
  }
  if (raised == 0 && least_loss > slack) {
    complete_ = true;
    shares_->strike_outside();
  }
  return raised;
}

void CandidateBound::filter(Weight slack) {
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    if (c % 1024 == 0 && deadline_.expired()) return;
    if (shares_->alive(c) && assignment_->u[cells_.row[c]] + assignment_->v[cells_.column[c]] - weights_[c] > slack)
      shares_->strike(c);
  }
}

void CandidateBound::send() {
  for (int r = 0; r < savings_.rows; ++r) {
    const int i = backwards_ ? savings_.rows - 1 - r : r;
    if (deadline_.expired()) return;  // half a round is as valid as a whole one
    for (std::size_t c = cells_.first[i]; c < cells_.first[i + 1]; ++c)
      if (shares_->alive(c))
        shares_->send(c, assignment_->u[i] + assignment_->v[cells_.column[c]] - savings_.node_weight(i, cells_.column[c]));
  }
  backwards_ = !backwards_;
}

void CandidateBound::improve(Weight best) {
  weigh();
  if (deadline_.expired()) return;
  assignment_->repair(weights_, deadline_);
  const Weight slack = assignment_->total() - (best + savings_.scale);
  if (!complete_ && price_outside(slack) == Savings::kForbidden) return;
  const Weight total = assignment_->total();
  total_ = std::min(total_, total);
  if (total_ < best + savings_.scale || deadline_.expired()) return;
  filter(total - (best + savings_.scale));
  send();
}

std::size_t CandidateBound::candidates_left() const {
  std::size_t left = 0;
  for (std::size_t c = 0; c < cells_.size(); ++c) left += shares_->alive(c);
  return left;
}

}  // namespace graphedx
