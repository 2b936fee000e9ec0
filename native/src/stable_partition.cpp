#include "graphedx/stable_partition.hpp"

#include <algorithm>
#include <numeric>

#include "graphedx/deadline.hpp"

namespace graphedx {

StablePartition::StablePartition(const std::vector<int>& node_classes)
    : order_(node_classes.size()),
      position_(node_classes.size()),
      cell_(node_classes.size()),
      end_(node_classes.size()),
      queued_(node_classes.size(), 0) {
  const int n = size();
  std::iota(order_.begin(), order_.end(), 0);
  std::stable_sort(order_.begin(), order_.end(), [&](int x, int y) { return node_classes[x] < node_classes[y]; });
  int cell = 0;
  for (int at = 0; at < n; ++at) {
    const int node = order_[at];
    if (at == 0 || node_classes[node] != node_classes[order_[at - 1]]) {
      cell = at;
      ++num_cells_;
      enqueue(cell);
    }
    position_[node] = at;
    cell_[node] = cell;
    end_[cell] = at + 1;
  }
}

void StablePartition::refine(const ArcLists& lists, Deadline& deadline) {
  struct Seen {
    KindCode kind;
    int node;
  };
  std::vector<Seen> seen;
  std::vector<int> count(size(), 0);
  std::vector<Tally> tallies;
  std::size_t head = 0;
  // Where every node has a cell of its own there is nothing left to split.
  for (; head < queue_.size() && num_cells_ < size() && !deadline.expired(); ++head) {
    const int splitter = queue_[head];
    queued_[splitter] = 0;
    seen.clear();
    bool one_kind = true;
    for (int at = splitter; at < end_[splitter]; ++at)
      for (const Arc* arc = lists.begin(order_[at]); arc != lists.end(order_[at]); ++arc) {
        seen.push_back({reversed(arc->kind), arc->node});
        one_kind = one_kind && seen.back().kind == seen.front().kind;
      }
    if (!one_kind) std::sort(seen.begin(), seen.end(), [](const Seen& x, const Seen& y) { return x.kind < y.kind; });
    for (std::size_t at = 0; at < seen.size();) {
      const KindCode kind = seen[at].kind;
      tallies.clear();
      for (; at < seen.size() && seen[at].kind == kind; ++at)
        if (count[seen[at].node]++ == 0) tallies.push_back({cell_[seen[at].node], 0, seen[at].node});
      for (Tally& tally : tallies) {
        tally.count = count[tally.node];
        count[tally.node] = 0;
      }
      split(tallies);
    }
  }
  for (; head < queue_.size(); ++head) queued_[queue_[head]] = 0;
  queue_.clear();
}

void StablePartition::split(std::vector<Tally>& tallies) {
  std::sort(tallies.begin(), tallies.end(),
            [](const Tally& x, const Tally& y) { return x.cell != y.cell ? x.cell < y.cell : x.count < y.count; });
  const Tally *at = tallies.data(), *const last = at + tallies.size();
  while (at != last) {
    const Tally* const begin = at;
    while (at != last && at->cell == begin->cell) ++at;
    split_cell(begin, at);
  }
}

/// The nodes with tallies go to the end of their cell, by increasing count; those without have none and stay in front.
void StablePartition::split_cell(const Tally* begin, const Tally* end) {
  const int cell = begin->cell, cell_end = end_[cell];
  const int untouched = cell_end - cell - static_cast<int>(end - begin);
  if (untouched == 0 && begin->count == (end - 1)->count) return;
  int at = cell_end;
  for (const Tally* tally = end; tally != begin;) put((--tally)->node, --at);

  const bool was_queued = queued_[cell];
  int largest = cell, largest_size = untouched, part = cell;
  if (untouched > 0) end_[cell] = cell + untouched;
  at = cell + untouched;
  for (const Tally* tally = begin; tally != end; ++tally, ++at) {
    if (tally == begin || tally->count != (tally - 1)->count) {
      part = at;
      if (part != cell) ++num_cells_;
    }
    cell_[tally->node] = part;
    end_[part] = at + 1;
    if (end_[part] - part > largest_size) largest = part, largest_size = end_[part] - part;
  }
  // What is known of the whole and of all parts but one is known of that one too.
  for (part = cell; part < cell_end; part = end_[part])
    if (was_queued || part != largest) enqueue(part);
}

void StablePartition::single_out(int node, int other) {
  const int cell = cell_[node], cell_end = end_[cell];
  if (cell_end - cell <= 2) return;
  put(node, cell_end - 1);
  put(other, cell_end - 2);
  const int pair = cell_end - 2;
  end_[cell] = pair;
  end_[pair] = cell_end;
  cell_[node] = cell_[other] = pair;
  ++num_cells_;
  enqueue(pair);
}

/// Trades places with the node that is there.
void StablePartition::put(int node, int position) {
  const int from = position_[node], displaced = order_[position];
  order_[from] = displaced;
  position_[displaced] = from;
  order_[position] = node;
  position_[node] = position;
}

void StablePartition::enqueue(int cell) {
  if (queued_[cell]) return;
  queued_[cell] = 1;
  queue_.push_back(cell);
}

}  // namespace graphedx
