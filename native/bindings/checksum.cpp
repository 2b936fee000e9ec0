// Bindings of checksums: bytes in, numbers out.
#include "graphedx/checksum.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"

namespace nb = nanobind;
using namespace graphedx;

namespace {

nb::object block_checksums(const Vector<std::uint8_t>& data, std::size_t block_bytes, bool portable) {
  if (block_bytes == 0) throw std::invalid_argument("block_bytes must be at least 1, got 0");
  std::vector<std::uint32_t> found;
  {
    nb::gil_scoped_release release;
    const auto checksum = portable ? crc32c_portable : crc32c;
    for (std::size_t from = 0; from < data.shape(0); from += block_bytes)
      found.push_back(checksum(data.data() + from, std::min<std::size_t>(block_bytes, data.shape(0) - from)));
  }
  return as_array(std::move(found));
}

}  // namespace

void add_checksum(nb::module_& m) {
  nb::exception<DamagedBlock>(m, "DamagedBlock", PyExc_ValueError);
  m.def("block_checksums", &block_checksums, nb::arg("data"), nb::arg("block_bytes"), nb::arg("portable") = false,
        "Return the CRC-32C of each block; the last block may be shorter.");
}
