#include "graphedx/buffer.hpp"

#include <new>
#include <utility>
#include <vector>

namespace graphedx {

namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr std::size_t kMostKept = 0;  // what was given back and is still read should be noticed
#else
constexpr std::size_t kMostKept = 4;
#endif
constexpr std::size_t kLeastBytes = std::size_t{32} << 10;  // less is cheap to get
constexpr std::size_t kMostBytes = std::size_t{4} << 20;    // more is not held back
constexpr std::size_t kMostTooLarge = 4;                    // times what is asked for

struct Kept {
  std::vector<std::pair<std::size_t, void*>> blocks;
  ~Kept() {
    for (const auto& [bytes, data] : blocks) ::operator delete(data);
  }
};
thread_local Kept kept;

}  // namespace

Block::Block(std::size_t bytes) : data_(nullptr, GiveBack{bytes}) {
  if (bytes >= kLeastBytes)
    for (auto& block : kept.blocks)
      if (block.first >= bytes && block.first / kMostTooLarge <= bytes) {
        data_ = {block.second, GiveBack{block.first}};
        std::swap(block, kept.blocks.back());
        kept.blocks.pop_back();
        return;
      }
  data_.reset(::operator new(bytes));
}

void Block::GiveBack::operator()(void* data) const {
  if (bytes >= kLeastBytes && bytes <= kMostBytes && kept.blocks.size() < kMostKept) {
    kept.blocks.emplace_back(bytes, data);
  } else {
    ::operator delete(data);
  }
}

}  // namespace graphedx
