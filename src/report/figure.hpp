// Figures as SVG for a page of HTML: curves, bars, and matrices in shades. Names may hold any text; they are escaped here.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace sparsedyn::report {

struct Curve {
  std::string name;
  std::vector<std::pair<double, double>> points;
  bool published = false;  // drawn dashed
};

struct Axes {
  std::string title, x, y;
  bool log_x = true, log_y = true;  // points that are not positive are left out of a logarithmic axis
};

/// Curves with a legend; every point says its numbers when hovered. Points that are not finite are left out.
std::string line_plot(const Axes& axes, const std::vector<Curve>& curves);

/// One horizontal bar of parts, one after the other.
struct Bar {
  std::string name;
  std::vector<double> parts;
  bool marked = false;  // its name is set in bold
};

/// Bars from zero, all to one scale, their sums beside them. `parts`: what the parts of a bar are, for the legend.
std::string bar_chart(const std::string& title, const std::vector<std::string>& parts, const std::vector<Bar>& bars);

/// |A| (rows × rows, row-major) by shades of its decimal logarithm between `low` and `high`; exact zeros stay white.
std::string matrix_picture(const std::string& title, int rows, const std::vector<double>& A, double low, double high);

/// Three significant digits.
std::string short_number(double x);

/// All digits, in groups of three: 12 345.
std::string grouped(long x);

}  // namespace sparsedyn::report
