// Nodes of a tree of partial mappings, each with its assignment and its children, in memory that is used again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "graphedx/assignment.hpp"

namespace graphedx {

template <class W>
struct TreeChild {
  W loss;      ///< by how much the assignment gets worse if the next row has to take this column
  int column;  ///< -1: the row stays alone
};

template <class W>
struct TreeNode {
  typename Assignment<W>::Duals duals;  ///< `column` holds the images of mapped rows, and the assignment of the others
  TreeChild<W>* children;               ///< best first
  W saved;                              ///< by the mapped rows among themselves
  W bound;                              ///< no completion saves more
  W assigned;                           ///< saved plus what the assignment is worth: may be above the parent's bound
  int depth;                            ///< rows that are mapped
  int next, count;                      ///< children to look at: [next, count)
  int serial;                           ///< tells nodes apart, in the same way in every run

  /// No completion of that child saves more.
  W promise(int child) const { return std::min(bound, assigned - children[child].loss); }
};

template <class W>
class NodePool {
 public:
  NodePool(int rows, int columns, int stride, std::size_t most_bytes)
      : rows_(rows), columns_(columns), stride_(stride), most_bytes_(most_bytes) {}

  /// Whether another node would be one too many. It can still be taken.
  bool is_full() const { return free_.empty() && bytes_ >= most_bytes_; }

  TreeNode<W>* take() {
    if (free_.empty()) grow();
    TreeNode<W>* node = free_.back();
    free_.pop_back();
    return node;
  }

  void release(TreeNode<W>* node) { free_.push_back(node); }

 private:
  static constexpr std::size_t kBlockBytes = std::size_t{64} << 10;

  /// Blocks start small, so that a search that ends soon never pays for one that does not.
  void grow() {
    const std::size_t values = rows_ + stride_, children = columns_ + 1, unit = 16;
    const std::size_t bytes = sizeof(TreeNode<W>) + values * (sizeof(W) + sizeof(int)) + children * sizeof(TreeChild<W>);
    const std::size_t step = (bytes + unit - 1) / unit * unit;
    const std::size_t count = std::clamp<std::size_t>(kBlockBytes / step, 1, 16 + serial_);
    blocks_.emplace_back(new char[count * step]);
    bytes_ += count * step;
    for (std::size_t n = 0; n < count; ++n) {
      char* at = blocks_.back().get() + n * step;
      TreeNode<W>* node = new (at) TreeNode<W>();
      node->duals.u = reinterpret_cast<W*>(at + sizeof(TreeNode<W>));
      node->duals.v = node->duals.u + rows_;
      node->children = reinterpret_cast<TreeChild<W>*>(node->duals.v + stride_);
      node->duals.column = reinterpret_cast<int*>(node->children + children);
      node->duals.row = node->duals.column + rows_;
      node->serial = serial_++;
      free_.push_back(node);
    }
  }

  int rows_, columns_, stride_;
  int serial_ = 0;
  std::size_t most_bytes_, bytes_ = 0;
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::vector<TreeNode<W>*> free_;
};

}  // namespace graphedx
