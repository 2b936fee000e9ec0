// CRC-32C (Castagnoli), and arrays whose blocks are verified before they are first read.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>

namespace graphedx {

/// A block of bytes that does not match its checksum.
struct DamagedBlock : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// CRC-32C as in RFC 3720: reflected polynomial 0x82F63B78, initial value and final XOR 0xFFFFFFFF. O(size).
/// It detects every single flipped bit and every burst of up to 32 bits.
std::uint32_t crc32c(const std::uint8_t* data, std::size_t size);

/// The same without the processor's CRC instruction.
std::uint32_t crc32c_portable(const std::uint8_t* data, std::size_t size);

/// An array of bytes in blocks, the last of which may be shorter, and the CRC-32C that each must have. Each block is
/// verified once, when it is first required. Several threads may call it at the same time. It owns neither array.
class VerifiedBlocks {
 public:
  /// Throws std::invalid_argument if there is not one checksum per block.
  VerifiedBlocks(const std::uint8_t* data, std::size_t size, const std::uint32_t* checksums, std::size_t count,
                 std::size_t block_bytes);

  /// Returns if the bytes in [begin, end) lie in intact blocks. Throws DamagedBlock otherwise, at every call.
  void require(std::size_t begin, std::size_t end) const;

 private:
  const std::uint8_t* data_;
  std::size_t size_, block_bytes_;
  const std::uint32_t* checksums_;
  std::unique_ptr<std::atomic<bool>[]> verified_;
};

}  // namespace graphedx
