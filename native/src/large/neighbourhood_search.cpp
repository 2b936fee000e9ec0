#include <algorithm>
#include <cmath>
#include <utility>

#include "graphedx/large/neighbourhood_search.hpp"

namespace graphedx {

namespace {

constexpr int kMostTargets = 64;    // columns that a row is tried at in one look
constexpr int kFlawRounds = 256;    // regions torn out before flaws are looked for anew
constexpr double kLargestRegion = 160;  // rows
constexpr int kMostSteps = 6;       // neighbours that a region goes on to from one node
constexpr int kRivals = 6;
constexpr int kHub = 16;            // neighbours

}  // namespace

NeighbourhoodSearch::NeighbourhoodSearch(const Savings& savings, Growth& growth, Deadline& deadline)
    : savings_(savings),
      growth_(growth),
      deadline_(deadline),
      mapping_(savings.rows, savings.columns),
      best_(savings.rows, savings.columns),
      ideal_node_(savings.row_classes, 0),
      row_best_(savings.a->kinds().size() + 1, 0),
      column_best_(savings.column_kinds, 0),
      taken_(savings.rows, 0),
      queued_(savings.rows, 0) {
  for (int x = 0; x < savings.row_classes; ++x)
    for (int y = 0; y < savings.column_classes; ++y) ideal_node_[x] = std::max(ideal_node_[x], savings.class_weight(x, y));
  for (std::size_t s = 0; s < row_best_.size(); ++s)
    for (int t = 0; t < savings.column_kinds; ++t) {
      row_best_[s] = std::max(row_best_[s], savings.edge_weight(static_cast<int>(s), t));
      column_best_[t] = std::max(column_best_[t], savings.edge_weight(static_cast<int>(s), t));
    }
}

void NeighbourhoodSearch::start(PartialMapping mapping) {
  mapping_ = std::move(mapping);
  value_ = savings_.value_of(mapping_.column_of);
  std::vector<int> all(savings_.rows);
  for (int i = 0; i < savings_.rows; ++i) all[i] = i;
  polish(all);
}

// -- moves and trades -----------------------------------------------------------------------------------------------

void NeighbourhoodSearch::wake(int i) {
  if (queued_[i]) return;
  queued_[i] = 1;
  queue_.push_back(i);
}

void NeighbourhoodSearch::polish(const std::vector<int>& rows) {
  queue_.clear();
  std::fill(queued_.begin(), queued_.end(), 0);
  for (int i : rows) wake(i);
  for (std::size_t head = 0; head < queue_.size(); ++head) {
    if (head % 16 == 0 && deadline_.expired()) return;
    queued_[queue_[head]] = 0;
    improve_row(queue_[head]);
  }
}

/// Tries the columns next to the images of the row's neighbours, and those images themselves.
bool NeighbourhoodSearch::improve_row(int i) {
  const Neighbour* list = savings_.a->neighbours(i);
  int tried = 0;
  for (int s = 0; s < savings_.a->degree(i) && tried < kMostTargets; ++s) {
    const int c = mapping_.column_of[list[s].node];
    if (c < 0) continue;
    const bool is_hub = savings_.b->degree(c) > kMostTargets;  // trading with a hub never pays, and is slow to find out
    if (!is_hub && try_move(i, c)) return true;
    for (int t = 0; t < savings_.b->degree(c) && tried < kMostTargets; ++t, ++tried)
      if (try_move(i, savings_.b->neighbours(c)[t].node)) return true;
  }
  return !savings_.mandatory && try_move(i, -1);
}

/// Row i goes to column j (-1: alone), and the row that was there takes the old place, or stays alone if that is better.
bool NeighbourhoodSearch::try_move(int i, int j) {
  const int old = mapping_.column_of[i];
  if (j == old || (j >= 0 && !savings_.may_map(i, j))) return false;
  const int k = j < 0 ? -1 : mapping_.row_of[j];
  const auto gain = [&](int row, int column) { return savings_.gain(row, column, mapping_.column_of, mapping_.row_of); };
  Weight change = 0;
  if (k >= 0) change -= gain(k, j), mapping_.unmap(k);
  if (old >= 0) change -= gain(i, old), mapping_.unmap(i);
  if (j >= 0) change += gain(i, j), mapping_.map(i, j);
  bool trades = false;
  if (k >= 0 && old >= 0 && savings_.may_map(k, old)) {
    const Weight more = gain(k, old);
    trades = savings_.mandatory || more > 0;
    if (trades) change += more, mapping_.map(k, old);
  }
  if (change > 0 && (k < 0 || trades || !savings_.mandatory)) {
    value_ += change;
    for (int row : {i, k}) {
      if (row < 0) continue;
      wake(row);
      for (int s = 0; s < std::min(kMostTargets, savings_.a->degree(row)); ++s) wake(savings_.a->neighbours(row)[s].node);
    }
    return true;
  }
  if (trades) mapping_.unmap(k);
  if (j >= 0) mapping_.unmap(i);
  if (old >= 0) mapping_.map(i, old);
  if (k >= 0) mapping_.map(k, j);
  return false;
}

// -- regions --------------------------------------------------------------------------------------------------------

bool NeighbourhoodSearch::is_flawed(int i) const {
  const int j = mapping_.column_of[i];
  if (j < 0) return true;
  const Graph &a = *savings_.a, &b = *savings_.b;
  Weight ideal = ideal_node_[savings_.row_class[i]], other = ideal;
  for (int s = 0; s < a.degree(i); ++s) ideal += row_best_[a.neighbours(i)[s].kind];
  for (int t = 0; t < b.degree(j); ++t) other += column_best_[b.neighbours(j)[t].kind];
  return savings_.gain(i, j, mapping_.column_of, mapping_.row_of) < std::max(ideal, other);
}

void NeighbourhoodSearch::remember() {
  best_ = mapping_;
  best_value_ = value_;
}

void NeighbourhoodSearch::find_flaws() {
  flaws_.clear();
  suspects_.clear();
  for (int i = 0; i < savings_.rows; ++i) {
    if (is_flawed(i)) flaws_.push_back(i);
    if (mapping_.column_of[i] >= 0 && growth_.loss(i, mapping_.column_of[i]) > 0) suspects_.push_back(i);
  }
}

/// Most flaws are true edits, so that half the time only those count that the bound does not account for.
int NeighbourhoodSearch::any_flaw() {
  const std::vector<int>& from = !suspects_.empty() && random_.below(2) == 0 ? suspects_ : flaws_;
  return from[random_.below(static_cast<int>(from.size()))];
}

void NeighbourhoodSearch::search(int rounds, double seconds_to_leave) {
  remember();
  for (int r = 0; r < rounds && !deadline_.expired() && deadline_.seconds_left() >= seconds_to_leave; ++r) {
    if (r % kFlawRounds == 0) find_flaws();
    if (flaws_.empty()) break;
    regrow(any_flaw());
    if (value_ > best_value_) remember();
  }
  mapping_ = best_;
  value_ = best_value_;
}

void NeighbourhoodSearch::take(int i) {
  if (i < 0 || taken_[i] == round_) return;
  taken_[i] = round_;
  region_.push_back(i);
}

/// Rows around the centre, and rows whose images are around its image: now all of them, now only some, and few around
/// hubs, so that regions differ in shape.
void NeighbourhoodSearch::gather(int centre, int size) {
  const std::size_t begin = region_.size(), most = begin + static_cast<std::size_t>(size);
  const bool all = random_.below(2) == 0;
  const auto some = [&](const Graph& graph, int node, auto&& visit) {
    const int degree = graph.degree(node), start = degree > 0 ? random_.below(degree) : 0;
    for (int s = 0; s < std::min(degree, kMostSteps) && region_.size() < most; ++s)
      if (all || random_.below(4) > 0) visit(graph.neighbours(node)[(start + s) % degree].node);
  };
  take(centre);
  for (std::size_t head = begin; head < region_.size() && region_.size() < most; ++head) {
    const int i = region_[head], j = mapping_.column_of[i];
    if (head > begin && savings_.a->degree(i) > kHub) continue;  // what lies behind a hub has nothing to do with the flaw
    some(*savings_.a, i, [&](int k) { take(k); });
    if (j >= 0) some(*savings_.b, j, [&](int l) { take(mapping_.row_of[l]); });
  }
}

/// Of a few flaws the one whose image looks most like the row: the two may have to trade places.
int NeighbourhoodSearch::rival(int centre) {
  int best = -1, most = -2;
  for (int n = 0; n < kRivals; ++n) {
    const int i = any_flaw(), j = mapping_.column_of[i];
    const int likeness = j < 0 ? -1 : growth_.likeness(centre, j);
    if (i != centre && likeness > most) best = i, most = likeness;
  }
  return best;
}

/// What the given rows save with each other and with all others.
Weight NeighbourhoodSearch::worth(const std::vector<int>& rows) {
  Weight total = 0;
  for (int i : rows) {
    const int j = mapping_.column_of[i];
    if (j < 0) continue;
    total += savings_.node_weight(i, j);
    const Neighbour* list = savings_.a->neighbours(i);
    for (int s = 0; s < savings_.a->degree(i); ++s) {
      const int l = mapping_.column_of[list[s].node];
      if (l < 0) continue;
      const Weight weight = savings_.edge_weight(list[s].kind, savings_.b->kind(j, l));
      total += taken_[list[s].node] == round_ ? weight / 2 : weight;
    }
  }
  return total;
}

void NeighbourhoodSearch::regrow(int centre) {
  ++round_;
  region_.clear();
  // Small regions are cheap and mend most flaws; now and then a whole wrong branch has to go at once.
  const double most = std::min<double>(kLargestRegion, savings_.rows);
  const int size = 2 + static_cast<int>(std::pow(most, random_.below(1000) / 1000.0));
  gather(centre, size);
  for (int rivals = random_.below(2) == 0 ? 0 : 1 + random_.below(3); rivals > 0; --rivals) {
    const int other = rival(centre);
    if (other >= 0) gather(other, size);
  }
  const Weight old = worth(region_);
  before_.clear();
  for (int i : region_) {
    before_.push_back(mapping_.column_of[i]);
    if (mapping_.column_of[i] >= 0) mapping_.unmap(i);
  }
  growth_.extend(mapping_, region_, random_.below(4), random_);
  growth_.fill(mapping_, region_);
  const Weight now = worth(region_);
  bool whole = true;
  for (int i : region_) whole &= mapping_.column_of[i] >= 0;
  // Now and then a step down, a saving or two below the best: `search` comes back if that leads nowhere.
  const Weight tolerated = random_.below(32) == 0 ? best_value_ - 2 * savings_.scale : value_;
  if (value_ + now - old < std::min(value_, tolerated) || (savings_.mandatory && !whole)) {
    for (int i : region_)
      if (mapping_.column_of[i] >= 0) mapping_.unmap(i);
    for (std::size_t r = 0; r < region_.size(); ++r)
      if (before_[r] >= 0) mapping_.map(region_[r], before_[r]);
    return;
  }
  value_ += now - old;
}

}  // namespace graphedx
