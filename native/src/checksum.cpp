#include "graphedx/checksum.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#if defined(__SSE4_2__) && defined(__x86_64__)
#include <nmmintrin.h>
#elif defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>
#endif

namespace graphedx {

namespace {

using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

/// tables[k][b]: the remainder of byte b followed by k zero bytes ("slicing by 8").
Tables make_tables() {
  Tables tables{};
  for (std::uint32_t b = 0; b < 256; ++b) {
    std::uint32_t crc = b;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? 0x82F63B78u : 0u);
    tables[0][b] = crc;
  }
  for (std::size_t k = 1; k < 8; ++k)
    for (std::size_t b = 0; b < 256; ++b)
      tables[k][b] = (tables[k - 1][b] >> 8) ^ tables[0][tables[k - 1][b] & 0xFF];
  return tables;
}

}  // namespace

std::uint32_t crc32c_portable(const std::uint8_t* data, std::size_t size) {
  static const Tables tables = make_tables();
  std::uint32_t crc = 0xFFFFFFFFu;
  for (; size >= 8; data += 8, size -= 8) {
    const std::uint32_t low = crc ^ (data[0] | data[1] << 8 | data[2] << 16 | static_cast<std::uint32_t>(data[3]) << 24);
    crc = tables[7][low & 0xFF] ^ tables[6][low >> 8 & 0xFF] ^ tables[5][low >> 16 & 0xFF] ^ tables[4][low >> 24] ^
          tables[3][data[4]] ^ tables[2][data[5]] ^ tables[1][data[6]] ^ tables[0][data[7]];
  }
  for (; size > 0; ++data, --size) crc = (crc >> 8) ^ tables[0][(crc ^ *data) & 0xFF];
  return ~crc;
}

#if defined(__SSE4_2__) && defined(__x86_64__)

std::uint32_t crc32c(const std::uint8_t* data, std::size_t size) {
  std::uint64_t crc = 0xFFFFFFFFu;
  for (; size >= 8; data += 8, size -= 8) {
    std::uint64_t word;
    std::memcpy(&word, data, 8);
    crc = _mm_crc32_u64(crc, word);
  }
  for (; size > 0; ++data, --size) crc = _mm_crc32_u8(static_cast<std::uint32_t>(crc), *data);
  return ~static_cast<std::uint32_t>(crc);
}

#elif defined(__ARM_FEATURE_CRC32)

std::uint32_t crc32c(const std::uint8_t* data, std::size_t size) {
  std::uint32_t crc = 0xFFFFFFFFu;
  for (; size >= 8; data += 8, size -= 8) {
    std::uint64_t word;
    std::memcpy(&word, data, 8);
    crc = __crc32cd(crc, word);
  }
  for (; size > 0; ++data, --size) crc = __crc32cb(crc, *data);
  return ~crc;
}

#else

std::uint32_t crc32c(const std::uint8_t* data, std::size_t size) { return crc32c_portable(data, size); }

#endif

VerifiedBlocks::VerifiedBlocks(const std::uint8_t* data, std::size_t size, const std::uint32_t* checksums,
                               std::size_t count, std::size_t block_bytes)
    : data_(data), size_(size), block_bytes_(block_bytes), checksums_(checksums) {
  if (block_bytes == 0 || count != size / block_bytes + (size % block_bytes != 0))
    throw std::invalid_argument("an array needs one checksum per block");
  verified_.reset(new std::atomic<bool>[count]());
}

void VerifiedBlocks::require(std::size_t begin, std::size_t end) const {
  if (begin >= end) return;
  if (end > size_) throw std::invalid_argument("an array ends before the bytes that are required");
  for (std::size_t block = begin / block_bytes_; block * block_bytes_ < end; ++block) {
    // Relaxed is enough: the flag says something about bytes that never change.
    if (verified_[block].load(std::memory_order_relaxed)) continue;
    const std::size_t from = block * block_bytes_, to = from + std::min(block_bytes_, size_ - from);
    if (crc32c(data_ + from, to - from) != checksums_[block])
      throw DamagedBlock("bytes " + std::to_string(from) + " to " + std::to_string(to) +
                         " of graph_bytes do not match their checksum");
    verified_[block].store(true, std::memory_order_relaxed);
  }
}

}  // namespace graphedx
