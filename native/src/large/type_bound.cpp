#include "graphedx/large/type_bound.hpp"

#include <algorithm>
#include <numeric>

namespace graphedx {

namespace {

constexpr std::size_t kMostTypePairs = std::size_t{1} << 22;
constexpr int kMostSolves = 200000;  // stars beyond 4 x 4 that are matched exactly
constexpr Weight kUnreached = Weight{1} << 60;

/// The transportation problem between types: successive shortest paths, each moving as many nodes as it can.
class Transport {
 public:
  Transport(TypeBound& bound, Deadline& deadline)
      : bound_(bound), deadline_(deadline), rows_(bound.rows.size()), columns_(bound.columns.size()) {
    bound_.u.assign(rows_, 0);
    bound_.v.assign(columns_, 0);
    for (int x = 0; x < rows_; ++x) waiting_.push_back(static_cast<int>(bound_.rows.members[x].size()));
    for (int y = 0; y < columns_; ++y) spare_.push_back(static_cast<int>(bound_.columns.members[y].size()));
    flow_.resize(columns_);
    most_in_column_.assign(columns_, 0);
    for (int x = 0; x < rows_; ++x)
      for (int y = 0; y < columns_; ++y)
        most_in_column_[y] = std::max(most_in_column_[y], bound_.weight(x, y));
  }

  void solve() {
    std::vector<int> order(rows_);
    std::iota(order.begin(), order.end(), 0);
    std::vector<Weight> most(rows_);
    for (int x = 0; x < rows_; ++x) most[x] = offer(x);
    // Types with much to save first: they have the fewest places that suit them.
    std::stable_sort(order.begin(), order.end(), [&](int x, int y) { return most[x] > most[y]; });
    for (int x : order) {
      bound_.u[x] = offer(x);
      while (waiting_[x] > 0 && bound_.u[x] > 0 && !deadline_.expired()) augment(x);
    }
    for (int x = 0; x < rows_; ++x) bound_.u[x] = std::max<Weight>(0, offer(x));
    spread();
  }

 private:
  struct Flow {
    int row, amount;
  };

  Weight offer(int x) const {
    Weight most = 0;
    for (int y = 0; y < columns_; ++y) most = std::max(most, bound_.weight(x, y) - bound_.v[y]);
    return most;
  }

  void augment(int start) {
    distance_.assign(columns_, kUnreached);
    through_.assign(columns_, -1);
    closed_.assign(columns_, 0);
    reached_row_.assign(rows_, -1);
    row_distance_.assign(rows_, kUnreached);
    pending_.clear();
    enter(start, 0, -1);
    Weight leave_at = bound_.u[start], reached = 0;
    int leaver = start, end = -1;
    while (true) {
      for (; !pending_.empty(); pending_.pop_back()) {
        const int x = pending_.back();
        if (row_distance_[x] + bound_.u[x] < leave_at) leave_at = row_distance_[x] + bound_.u[x], leaver = x;
        relax(x);
      }
      const int nearest = nearest_column();
      if (nearest < 0 || distance_[nearest] >= leave_at) {
        reached = leave_at;
        break;
      }
      reached = distance_[nearest];
      if (spare_[nearest] > 0) {
        end = nearest;
        break;
      }
      closed_[nearest] = 1;
      for (const Flow& f : flow_[nearest])
        if (row_distance_[f.row] == kUnreached) enter(f.row, reached, nearest);
    }
    for (int x = 0; x < rows_; ++x)
      if (row_distance_[x] < reached) bound_.u[x] -= reached - row_distance_[x];
    for (int y = 0; y < columns_; ++y)
      if (closed_[y]) bound_.v[y] += reached - distance_[y];
    move_along(start, end, leaver);
  }

  void enter(int x, Weight distance, int from_column) {
    row_distance_[x] = distance;
    reached_row_[x] = from_column;
    pending_.push_back(x);
  }

  void relax(int x) {
    const Weight* weights = bound_.weights.data() + static_cast<std::size_t>(x) * columns_;
    const Weight start = row_distance_[x] + bound_.u[x];
    for (int y = 0; y < columns_; ++y) {
      const Weight distance = start + bound_.v[y] - weights[y];
      if (!closed_[y] && distance < distance_[y]) distance_[y] = distance, through_[y] = x;
    }
  }

  /// Of equally near columns one with spare nodes, and of those the one that others could save least with.
  int nearest_column() const {
    int best = -1;
    for (int y = 0; y < columns_; ++y) {
      if (closed_[y] || distance_[y] == kUnreached) continue;
      if (best < 0 || distance_[y] < distance_[best]) {
        best = y;
      } else if (distance_[y] == distance_[best] && spare_[y] > 0 &&
                 (spare_[best] == 0 || most_in_column_[y] < most_in_column_[best])) {
        best = y;
      }
    }
    return best;
  }

  Flow* find_flow(int x, int y) {
    for (Flow& f : flow_[y])
      if (f.row == x) return &f;
    return nullptr;
  }

  void change_flow(int x, int y, int amount) {
    Flow* f = find_flow(x, y);
    if (f == nullptr) {
      flow_[y].push_back({x, amount});
    } else if ((f->amount += amount) == 0) {
      *f = flow_[y].back();
      flow_[y].pop_back();
    }
  }

  /// Either a column with spare nodes takes more, or row type `leaver` gives up places and stays alone with some nodes.
  void move_along(int start, int end, int leaver) {
    if (end < 0 && leaver == start) return;  // u is 0 now: the rest stays alone
    int amount = waiting_[start];
    if (end >= 0) amount = std::min(amount, spare_[end]);
    const int last_row = end >= 0 ? through_[end] : leaver;
    for (int x = last_row; x != start; x = through_[reached_row_[x]])
      amount = std::min(amount, find_flow(x, reached_row_[x])->amount);
    if (end >= 0) change_flow(last_row, end, amount), spare_[end] -= amount;
    for (int x = last_row; x != start;) {
      const int y = reached_row_[x], next = through_[y];
      change_flow(x, y, -amount);
      change_flow(next, y, amount);
      x = next;
    }
    waiting_[start] -= amount;
    if (end < 0) waiting_[leaver] += amount;
  }

  /// The flow between types as an assignment of nodes.
  void spread() {
    bound_.column_of.assign(bound_.rows.type_of.size(), -1);
    std::vector<int> next(rows_, 0);
    for (int y = 0; y < columns_; ++y) {
      int taken = 0;
      for (const Flow& f : flow_[y])
        for (int n = 0; n < f.amount; ++n)
          bound_.column_of[bound_.rows.members[f.row][next[f.row]++]] = bound_.columns.members[y][taken++];
    }
  }

  TypeBound& bound_;
  Deadline& deadline_;
  const int rows_, columns_;
  std::vector<int> waiting_, spare_;
  std::vector<std::vector<Flow>> flow_;  // into each column type
  std::vector<Weight> most_in_column_, distance_, row_distance_;
  std::vector<int> through_, reached_row_, pending_;
  std::vector<char> closed_;
};

}  // namespace

EvenStars::EvenStars(const Savings& savings)
    : savings_(savings),
      uniform_(savings.a->kinds().size() <= 1 && savings.column_kinds <= 2),
      partner_(savings.a->kinds().size() + 1, 0),
      bonus_(partner_.size(), 0),
      count_(savings.column_kinds, 0),
      solves_left_(kMostSolves) {
  std::vector<int> best_row(savings.column_kinds, 0);
  for (std::size_t s = 1; s < partner_.size(); ++s)
    for (int t = 1; t < savings.column_kinds; ++t) {
      const int row = static_cast<int>(s);
      if (savings.edge_weight(row, t) > savings.edge_weight(best_row[t], t)) best_row[t] = row;
      if (savings.edge_weight(row, t) > savings.edge_weight(row, partner_[s])) partner_[s] = t;
      most_ = std::max(most_, savings.edge_weight(row, t));
    }
  for (std::size_t s = 1; s < partner_.size(); ++s)
    if (best_row[partner_[s]] != static_cast<int>(s)) partner_[s] = 0;
  for (std::size_t s = 1; s < partner_.size(); ++s)
    for (int t = 1; t < savings.column_kinds; ++t)
      if (partner_[s] != t) otherwise_ = std::max(otherwise_, savings.edge_weight(static_cast<int>(s), t));
  for (std::size_t s = 1; s < partner_.size(); ++s)
    bonus_[s] = std::max<Weight>(0, savings.edge_weight(static_cast<int>(s), partner_[s]) - otherwise_);
}

/// As many partners as there are, and the rest as if all other kinds went together equally well.
Weight EvenStars::by_kinds(int i, int j) {
  const Graph &a = *savings_.a, &b = *savings_.b;
  for (int t = 0; t < b.degree(j); ++t) ++count_[b.neighbours(j)[t].kind];
  Weight total = std::min(a.degree(i), b.degree(j)) * otherwise_;
  for (int s = 0; s < a.degree(i); ++s) {
    const int kind = a.neighbours(i)[s].kind;
    if (partner_[kind] > 0 && count_[partner_[kind]]-- > 0) total += bonus_[kind];
  }
  for (int t = 0; t < b.degree(j); ++t) count_[b.neighbours(j)[t].kind] = 0;
  for (int s = 0; s < a.degree(i); ++s) count_[partner_[a.neighbours(i)[s].kind]] = 0;
  return std::min((total + 1) / 2, loose(i, j));
}

Weight EvenStars::best(int i, int j) {
  const Graph &a = *savings_.a, &b = *savings_.b;
  const int rows = a.degree(i), columns = b.degree(j);
  if (uniform_) return loose(i, j);
  if (rows <= 4 && columns <= 4) {
    SmallStar<Weight> star{};
    for (int s = 0; s < rows; ++s)
      for (int t = 0; t < columns; ++t)
        star.row[s][t] = savings_.edge_weight(a.neighbours(i)[s].kind, b.neighbours(j)[t].kind) / 2;
    return star.best_matching();
  }
  if (std::min(rows, columns) > 12 || rows * columns > 400 || solves_left_ == 0) return by_kinds(i, j);
  --solves_left_;
  large_.resize(rows, columns);
  for (int s = 0; s < rows; ++s)
    for (int t = 0; t < columns; ++t)
      large_.at(s, t) = savings_.edge_weight(a.neighbours(i)[s].kind, b.neighbours(j)[t].kind) / 2;
  return large_.solve();
}

TypeBound bound_by_types(const Savings& savings, Deadline& deadline) {
  TypeBound bound;
  Detail detail = Detail::kKinds;
  for (;; detail = detail == Detail::kKinds ? Detail::kDegree : Detail::kClass) {
    bound.rows = types_of(savings, true, detail);
    bound.columns = types_of(savings, false, detail);
    const std::size_t pairs = static_cast<std::size_t>(bound.rows.size()) * bound.columns.size();
    if (pairs <= kMostTypePairs || detail == Detail::kClass || deadline.expired()) break;
  }
  // By class alone, a node stands for others of any degree: let it have the most.
  std::vector<int> top_row(bound.rows.size()), top_column(bound.columns.size());
  const auto most_joined = [](const Graph& graph, const std::vector<int>& nodes) {
    return *std::max_element(nodes.begin(), nodes.end(), [&](int x, int y) { return graph.degree(x) < graph.degree(y); });
  };
  for (int x = 0; x < bound.rows.size(); ++x) top_row[x] = most_joined(*savings.a, bound.rows.members[x]);
  for (int y = 0; y < bound.columns.size(); ++y) top_column[y] = most_joined(*savings.b, bound.columns.members[y]);
  EvenStars stars(savings);
  bound.weights.reserve(static_cast<std::size_t>(bound.rows.size()) * bound.columns.size());
  for (int x = 0; x < bound.rows.size(); ++x)
    for (int y = 0; y < bound.columns.size(); ++y) {
      if (y % 256 == 0 && deadline.expired()) return bound;
      const int i = top_row[x], j = top_column[y];
      const Weight node = savings.node_weight(i, j);
      bound.weights.push_back(node == Savings::kForbidden       ? node
                              : detail == Detail::kKinds ? node + stars.best(i, j)
                                                         : node + stars.loose(i, j));
    }
  Transport(bound, deadline).solve();
  for (int x = 0; x < bound.rows.size(); ++x)
    bound.total += bound.u[x] * static_cast<Weight>(bound.rows.members[x].size());
  for (int y = 0; y < bound.columns.size(); ++y)
    bound.total += bound.v[y] * static_cast<Weight>(bound.columns.members[y].size());
  bound.complete = true;
  return bound;
}

}  // namespace graphedx
