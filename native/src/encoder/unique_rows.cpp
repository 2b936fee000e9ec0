#include <cstring>
#include <unordered_map>

#include "graphedx/encoder.hpp"
#include "graphedx/encoder/colour_levels.hpp"

namespace graphedx {

template <class T>
UniqueRows unique_rows(const T* values, std::size_t rows, std::size_t columns) {
  const char* bytes = reinterpret_cast<const char*>(values);
  const std::size_t size = columns * sizeof(T);
  UniqueRows found;
  found.kind.reserve(rows);
  std::unordered_multimap<std::uint64_t, std::int64_t> kinds;  // by the hashes of their rows
  for (std::size_t i = 0; i < rows; ++i) {
    const char* row = bytes + i * size;
    if (i > 0 && std::memcmp(row, row - size, size) == 0) {  // neighbours often are of the same kind
      found.kind.push_back(found.kind.back());
      continue;
    }
    const std::uint64_t hash = hash_of(row, size);
    const auto [begin, end] = kinds.equal_range(hash);
    auto same = begin;
    while (same != end && std::memcmp(row, bytes + static_cast<std::size_t>(found.first[same->second]) * size, size) != 0)
      ++same;
    if (same == end) {
      same = kinds.emplace(hash, static_cast<std::int64_t>(found.first.size()));
      found.first.push_back(static_cast<std::int64_t>(i));
    }
    found.kind.push_back(same->second);
  }
  return found;
}

template UniqueRows unique_rows(const float*, std::size_t, std::size_t);
template UniqueRows unique_rows(const double*, std::size_t, std::size_t);

}  // namespace graphedx
