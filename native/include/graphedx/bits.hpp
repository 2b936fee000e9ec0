// Bit sets as spans of 64-bit words: the few loops that the search needs.
#pragma once

#include <cstdint>

namespace graphedx {

using Word = std::uint64_t;

inline int words_for(int bits) { return (bits + 63) / 64; }
inline bool test_bit(const Word* set, int bit) { return set[bit >> 6] >> (bit & 63) & 1; }
inline void set_bit(Word* set, int bit) { set[bit >> 6] |= Word{1} << (bit & 63); }
inline void clear_bit(Word* set, int bit) { set[bit >> 6] &= ~(Word{1} << (bit & 63)); }
inline int lowest_bit(Word word) { return __builtin_ctzll(word); }

inline int count_bits(const Word* set, int words) {
  int total = 0;
  for (int i = 0; i < words; ++i) total += __builtin_popcountll(set[i]);
  return total;
}

inline bool intersects(const Word* a, const Word* b, int words) {
  for (int i = 0; i < words; ++i)
    if (a[i] & b[i]) return true;
  return false;
}

/// Calls visit(bit) for every set bit in increasing order.
template <class Visit>
inline void for_each_bit(const Word* set, int words, Visit&& visit) {
  for (int i = 0; i < words; ++i)
    for (Word rest = set[i]; rest; rest &= rest - 1) visit(64 * i + lowest_bit(rest));
}

}  // namespace graphedx
