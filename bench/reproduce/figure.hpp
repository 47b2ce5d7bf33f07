// Figures as SVG inside one HTML page: curves on logarithmic axes, and matrices as pictures.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace sparsedyn::reproduce {

struct Curve {
  std::string name;
  std::vector<std::pair<double, double>> points;  // both positive
  bool published = false;                         // drawn dashed
};

struct Axes {
  std::string title, x, y;
};

/// Curves on log–log axes with a legend; points that are not positive and finite are left out.
std::string log_plot(const Axes& axes, const std::vector<Curve>& curves);

/// |A| (rows × rows, row-major) by shades of its decimal logarithm between `low` and `high`; exact zeros stay white.
std::string matrix_picture(const std::string& title, int rows, const std::vector<double>& A, double low, double high);

/// Rows of cells; the first row is the header.
std::string table(const std::vector<std::vector<std::string>>& rows);

/// Writes the page. Throws std::runtime_error if it cannot be written.
void write_page(const std::string& path, const std::string& title, const std::string& body);

/// Three significant digits.
std::string short_number(double x);

}  // namespace sparsedyn::reproduce
