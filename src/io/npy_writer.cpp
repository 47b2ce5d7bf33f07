#include "npy_writer.hpp"

#include <cstdint>
#include <cstring>
#include <utility>

namespace sparsedyn {
namespace {

constexpr std::size_t header_size = 192;  // a multiple of 64, with room for any shape

bool is_little_endian() {
  const std::uint16_t one = 1;
  unsigned char first;
  std::memcpy(&first, &one, 1);
  return first == 1;
}

}  // namespace

NpyWriter::NpyWriter(const std::string& path, std::vector<long> shape) : file_(path), shape_(std::move(shape)) {
  for (long n : shape_) size_ *= n;
  file_.write(header());
}

/// Magic string, version, length of the rest, and a Python dictionary filled up with blanks.
std::string NpyWriter::header() const {
  std::string shape = std::to_string(slices_) + ",";
  for (long n : shape_) shape += " " + std::to_string(n) + ",";
  std::string text = "{'descr': '";
  text += is_little_endian() ? '<' : '>';
  text += "f8', 'fortran_order': False, 'shape': (" + shape + "), }";
  const std::size_t length = header_size - 10;
  text.resize(length - 1, ' ');
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(length) + '\0' + text + '\n';
}

void NpyWriter::slice(const double* values) {
  file_.write({reinterpret_cast<const char*>(values), static_cast<std::size_t>(size_) * sizeof(double)});
  ++slices_;
}

void NpyWriter::commit() {
  file_.overwrite_start(header());
  file_.commit();
}

}  // namespace sparsedyn
