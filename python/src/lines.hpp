// Numbers that begin a line of the cache, so that no vector of them lies in two.
#pragma once

#include <cstddef>
#include <vector>

namespace sparsedyn::python {

class Lines {
 public:
  explicit Lines(std::size_t size = 0) : lines_((size + per_line - 1) / per_line), size_(size) {}
  double* data() { return lines_.empty() ? nullptr : lines_.front().x; }
  const double* data() const { return lines_.empty() ? nullptr : lines_.front().x; }
  double operator[](std::ptrdiff_t k) const { return data()[k]; }
  std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t per_line = 8;
  struct alignas(64) Line {
    double x[per_line];
  };
  std::vector<Line> lines_;
  std::size_t size_;
};

}  // namespace sparsedyn::python
