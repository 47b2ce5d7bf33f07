// From values to pixels, linear or logarithmic, with ticks at round numbers.
#pragma once

#include <limits>
#include <string>
#include <vector>

namespace sparsedyn::report {

class Scale {
 public:
  /// `from_zero`: a linear scale that shows zero.
  explicit Scale(bool logarithmic, bool from_zero = true) : log_(logarithmic), zero_(from_zero) {}
  void take(double v);
  bool has(double v) const;

  /// Call after take: finds about `ticks` ticks; `rounded`: moves the ends out to them.
  void fit(double from, double to, bool rounded, int ticks = 6);
  double at(double v) const;
  /// What is shown: the values at the ends.
  double low() const { return low_; }
  double high() const { return high_; }
  const std::vector<double>& ticks() const { return ticks_; }

 private:
  void fit_logarithm();
  void fit_line(int ticks);

  bool log_, zero_;
  double low_ = std::numeric_limits<double>::infinity(), high_ = -low_, from_ = 0, to_ = 1;
  std::vector<double> ticks_;
};

/// Where a figure's curves lie in it.
struct Frame {
  double left, right, top, bottom;
};

/// Lines at the ticks with their numbers, the axes, and their titles: that of y above it, that of x below it.
std::string grid(const Frame& frame, const Scale& x, const Scale& y, const std::string& x_title, const std::string& y_title);

}  // namespace sparsedyn::report
