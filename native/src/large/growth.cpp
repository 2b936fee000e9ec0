#include "graphedx/large/growth.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "graphedx/star.hpp"

namespace graphedx {

namespace {

constexpr int kOutlook = 3;          // how many steps ahead a cell is judged by
constexpr int kMostInStar = 6;       // neighbours looked at in an outlook: beyond that degrees say enough
constexpr int kMostPushes = 256;     // neighbour pairs pushed for one mapped pair before only similar ones are
constexpr int kHub = 64;             // cells of two nodes with more neighbours are not looked at from all of them
constexpr int kBranchDepth = 4;      // how far branches of hubs are compared
constexpr int kMostSeedColumns = 8;  // columns compared for a seed

}  // namespace

Growth::Growth(const Savings& savings, const Colours& colours, Deadline& deadline)
    : savings_(savings), colours_(colours), deadline_(deadline), unit_(savings.scale), open_(savings.rows, 0) {
  for (Weight w : savings.edge) unit_ = std::max(unit_, w);
}

PartialMapping Growth::build(int certain_depth) {
  PartialMapping mapping(savings_.rows, savings_.columns);
  std::vector<int> all(savings_.rows);
  std::iota(all.begin(), all.end(), 0);
  for (int d = colours_.depth(); d >= certain_depth && !deadline_.expired(); --d) map_unique(mapping, d);
  Random random;
  extend(mapping, all, 0, random);
  for (int d = colours_.depth(); d >= 0 && !deadline_.expired(); --d) plant(mapping, d);
  fill(mapping, all);
  return mapping;
}

/// Maps rows and columns whose colour nothing else has.
void Growth::map_unique(PartialMapping& mapping, int depth) {
  struct Seen {
    int rows = 0, columns = 0, row = -1, column = -1;
  };
  std::unordered_map<int, Seen> seen;
  for (int i = 0; i < savings_.rows; ++i)
    if (mapping.column_of[i] < 0) {
      Seen& s = seen[colours_.of_rows[depth][i]];
      ++s.rows, s.row = i;
    }
  for (int j = 0; j < savings_.columns; ++j)
    if (mapping.row_of[j] < 0) {
      const auto found = seen.find(colours_.of_columns[depth][j]);
      if (found != seen.end()) ++found->second.columns, found->second.column = j;
    }
  for (const auto& [colour, s] : seen)
    if (s.rows == 1 && s.columns == 1 && savings_.may_map(s.row, s.column)) mapping.map(s.row, s.column);
}

/// New seeds for what has not been reached: rows with many neighbours first, each with the best of a few columns that
/// look alike up to `depth`.
void Growth::plant(PartialMapping& mapping, int depth) {
  std::vector<int> rows;
  for (int i = 0; i < savings_.rows; ++i)
    if (mapping.column_of[i] < 0) rows.push_back(i);
  std::stable_sort(rows.begin(), rows.end(), [&](int x, int y) { return savings_.a->degree(x) > savings_.a->degree(y); });
  std::unordered_map<int, std::vector<int>> columns;
  for (int j = savings_.columns - 1; j >= 0; --j)
    if (mapping.row_of[j] < 0) columns[colours_.of_columns[depth][j]].push_back(j);
  for (int i : rows) {
    if (deadline_.expired()) return;
    if (mapping.column_of[i] >= 0) continue;
    const auto found = columns.find(colours_.of_rows[depth][i]);
    if (found == columns.end()) continue;
    std::vector<int>& free = found->second;
    while (!free.empty() && mapping.row_of[free.back()] >= 0) free.pop_back();
    int best = -1, looked = 0;
    Weight most = 0;
    for (auto j = free.rbegin(); j != free.rend() && looked < kMostSeedColumns; ++j) {
      if (mapping.row_of[*j] >= 0 || !savings_.may_map(i, *j)) continue;
      ++looked;
      const Weight value = savings_.gain(i, *j, mapping.column_of, mapping.row_of) +
                           outlook(mapping, i, *j, -1, -1, kOutlook);
      if (best < 0 || value > most) best = *j, most = value;
    }
    if (best < 0 || (!savings_.mandatory && most <= 0)) continue;
    mapping.map(i, best);
    push_around(mapping, i, best);
    run(mapping);
  }
}

void Growth::extend(PartialMapping& mapping, const std::vector<int>& rows, int noise, Random& random) {
  ++round_;
  noise_ = noise;
  random_ = &random;
  heeds_loss_ = loss_ && random.below(2) == 0;
  heap_.clear();
  for (int i : rows) open_[i] = round_;
  for (int i : rows)
    if (mapping.column_of[i] < 0) open(mapping, i);
  run(mapping);
}

/// Pushes the cells that a row could be mapped to next to its mapped neighbours.
void Growth::open(const PartialMapping& mapping, int i) {
  const Neighbour* list = savings_.a->neighbours(i);
  int pushed = 0;
  for (int s = 0; s < savings_.a->degree(i) && pushed < kMostPushes; ++s) {
    const int c = mapping.column_of[list[s].node];
    if (c < 0) continue;
    for (int t = 0; t < savings_.b->degree(c) && pushed < kMostPushes; ++t, ++pushed) {
      const int j = savings_.b->neighbours(c)[t].node;
      if (mapping.row_of[j] < 0) push(mapping, i, j, list[s].node, c);
    }
  }
}

void Growth::push_around(const PartialMapping& mapping, int i, int j) {
  const Graph &a = *savings_.a, &b = *savings_.b;
  const auto is_open = [&](int k) { return mapping.column_of[k] < 0 && open_[k] == round_; };
  if (static_cast<std::size_t>(a.degree(i)) * b.degree(j) <= kMostPushes) {
    for (int s = 0; s < a.degree(i); ++s)
      for (int t = 0; t < b.degree(j); ++t)
        if (is_open(a.neighbours(i)[s].node) && mapping.row_of[b.neighbours(j)[t].node] < 0)
          push(mapping, a.neighbours(i)[s].node, b.neighbours(j)[t].node, i, j);
    return;
  }
  // Two hubs: push each neighbour only with one whose branch looks the same, as far as can be found.
  std::vector<Branch> left, right;
  for (int s = 0; s < a.degree(i); ++s)
    if (is_open(a.neighbours(i)[s].node)) left.push_back({0, a.neighbours(i)[s].kind, a.neighbours(i)[s].node});
  for (int t = 0; t < b.degree(j); ++t)
    if (mapping.row_of[b.neighbours(j)[t].node] < 0)
      right.push_back({0, b.neighbours(j)[t].kind, b.neighbours(j)[t].node});
  for (int depth = kBranchDepth; depth >= 0; --depth) {
    look_at(left, true, i, depth);
    look_at(right, false, j, depth);
    std::vector<Branch> left_over, right_over;
    std::size_t x = 0, y = 0;
    while (x < left.size() && y < right.size()) {
      if (left[x].look < right[y].look) {
        left_over.push_back(left[x++]);
      } else if (right[y].look < left[x].look) {
        right_over.push_back(right[y++]);
      } else {
        push(mapping, left[x++].node, right[y++].node, i, j);
      }
    }
    left.erase(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(x));
    right.erase(right.begin(), right.begin() + static_cast<std::ptrdiff_t>(y));
    left.insert(left.end(), left_over.begin(), left_over.end());
    right.insert(right.end(), right_over.begin(), right_over.end());
  }
  for (std::size_t n = 0; n < std::min(left.size(), right.size()); ++n) push(mapping, left[n].node, right[n].node, i, j);
}

/// Looks at branches from a hub, and sorts them by what they look like.
void Growth::look_at(std::vector<Branch>& branches, bool rows, int hub, int depth) const {
  const std::vector<int>& kinds = rows ? colours_.row_kinds : colours_.column_kinds;
  for (Branch& branch : branches)
    branch.look = branch_look(savings_, colours_, rows, branch.node, hub, depth) * 31 +
                  static_cast<std::uint64_t>(depth > 0 ? kinds[branch.kind - 1] : 0);
  std::sort(branches.begin(), branches.end(),
            [](const Branch& x, const Branch& y) { return x.look != y.look ? x.look < y.look : x.node < y.node; });
}

/// What counts is what the cell saves at once, then what it promises, then how far its surroundings look alike.
void Growth::push(const PartialMapping& mapping, int i, int j, int from_i, int from_j) {
  if (!savings_.may_map(i, j)) return;
  if (std::min(savings_.a->degree(i), savings_.b->degree(j)) > kHub && (from_i * 2654435761u >> 16) % 64 != 0) return;
  const Weight gain = savings_.gain(i, j, mapping.column_of, mapping.row_of);
  const Weight ahead = outlook(mapping, i, j, from_i, from_j, kOutlook);
  if (!savings_.mandatory && gain + ahead <= 0) return;
  Weight key = 2 * gain + ahead + (colours_.agreement(i, j) + 1) * (unit_ / 4);
  if (heeds_loss_) key -= 2 * loss_(i, j);
  if (noise_ > 0) key += static_cast<Weight>(random_->next() % static_cast<std::uint64_t>(noise_ * unit_));
  heap_.push_back({key, i, j});
  std::push_heap(heap_.begin(), heap_.end());
}

void Growth::run(PartialMapping& mapping) {
  int steps = 0;
  while (!heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end());
    const Cell cell = heap_.back();
    heap_.pop_back();
    if (mapping.column_of[cell.i] >= 0 || mapping.row_of[cell.j] >= 0) continue;
    if (++steps % 32 == 0 && deadline_.expired()) break;
    mapping.map(cell.i, cell.j);
    push_around(mapping, cell.i, cell.j);
  }
  heap_.clear();
}

/// What the free neighbours of a cell promise to save, as if both graphs were trees; neighbours that only one of the
/// two nodes has count against it.
Weight Growth::outlook(const PartialMapping& mapping, int i, int j, int from_i, int from_j, int depth) const {
  const Graph &a = *savings_.a, &b = *savings_.b;
  if (a.degree(i) > kMostInStar || b.degree(j) > kMostInStar)
    return std::min(a.degree(i), b.degree(j)) * unit_ - std::abs(a.degree(i) - b.degree(j)) * (unit_ / 4);
  const Neighbour *left[kMostInStar], *right[kMostInStar];
  int rows = 0, columns = 0;
  for (int s = 0; s < a.degree(i); ++s) {
    const Neighbour& k = a.neighbours(i)[s];
    if (k.node != from_i && mapping.column_of[k.node] < 0) left[rows++] = &k;
  }
  for (int t = 0; t < b.degree(j); ++t) {
    const Neighbour& l = b.neighbours(j)[t];
    if (l.node != from_j && mapping.row_of[l.node] < 0) right[columns++] = &l;
  }
  const Weight odd = std::abs(rows - columns) * (unit_ / 4);
  if (rows == 0 || columns == 0) return -odd;
  Weight scores[kMostInStar * kMostInStar];
  for (int s = 0; s < rows; ++s)
    for (int t = 0; t < columns; ++t) {
      const int k = left[s]->node, l = right[t]->node;
      Weight score = 0;
      if (savings_.may_map(k, l)) {
        score = savings_.edge_weight(left[s]->kind, right[t]->kind) + savings_.node_weight(k, l);
        if (depth > 1) score += outlook(mapping, k, l, i, j, depth - 1) * 3 / 4;
      }
      scores[s * columns + t] = std::max<Weight>(0, score);
    }
  return match(scores, rows, columns) - odd;
}

Weight Growth::match(const Weight* scores, int rows, int columns) const {
  if (rows <= 4 && columns <= 4) {
    SmallStar<Weight> star{};
    for (int s = 0; s < rows; ++s)
      for (int t = 0; t < columns; ++t) star.row[s][t] = scores[s * columns + t];
    return star.best_matching();
  }
  Weight total = 0;
  unsigned used_rows = 0, used_columns = 0;
  for (int n = 0; n < std::min(rows, columns); ++n) {
    int best_s = -1, best_t = -1;
    for (int s = 0; s < rows; ++s)
      for (int t = 0; t < columns; ++t)
        if (!(used_rows >> s & 1) && !(used_columns >> t & 1) &&
            (best_s < 0 || scores[s * columns + t] > scores[best_s * columns + best_t]))
          best_s = s, best_t = t;
    total += scores[best_s * columns + best_t];
    used_rows |= 1u << best_s;
    used_columns |= 1u << best_t;
  }
  return total;
}

void Growth::fill(PartialMapping& mapping, const std::vector<int>& rows) {
  constexpr std::size_t kMostCells = 1 << 14;
  std::vector<int> left, free;
  for (int i : rows)
    if (mapping.column_of[i] < 0) left.push_back(i);
  if (left.empty()) return;
  for (int j = 0; j < savings_.columns; ++j)
    if (mapping.row_of[j] < 0) free.push_back(j);
  if (left.size() * free.size() > kMostCells) return fill_by_class(mapping, left);
  std::vector<Cell> cells;
  for (int i : left)
    for (int j : free)
      if (savings_.may_map(i, j)) cells.push_back({savings_.gain(i, j, mapping.column_of, mapping.row_of), i, j});
  std::sort(cells.rbegin(), cells.rend());
  for (const Cell& cell : cells)
    if (mapping.column_of[cell.i] < 0 && mapping.row_of[cell.j] < 0 && (savings_.mandatory || cell.key > 0))
      mapping.map(cell.i, cell.j);
}

void Growth::fill_by_class(PartialMapping& mapping, const std::vector<int>& rows) {
  std::vector<std::vector<int>> free(savings_.column_classes);
  for (int j = savings_.columns - 1; j >= 0; --j)
    if (mapping.row_of[j] < 0) free[savings_.column_class[j]].push_back(j);
  for (int i : rows) {
    int best = -1;
    for (int y = 0; y < savings_.column_classes; ++y) {
      const Weight weight = savings_.class_weight(savings_.row_class[i], y);
      if (free[y].empty() || weight == Savings::kForbidden || (!savings_.mandatory && weight <= 0)) continue;
      if (best < 0 || weight > savings_.class_weight(savings_.row_class[i], best)) best = y;
    }
    if (best < 0) continue;
    mapping.map(i, free[best].back());
    free[best].pop_back();
  }
}

}  // namespace graphedx
