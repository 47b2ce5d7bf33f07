#include <algorithm>
#include <cmath>
#include <numeric>

#include "report/figure.hpp"
#include "svg.hpp"

namespace sparsedyn::report {
namespace {

constexpr double sums = 60, row_height = 22;

double sum(const Bar& bar) { return std::accumulate(bar.parts.begin(), bar.parts.end(), 0.0); }

std::string legend(const std::vector<std::string>& parts, double y) {
  std::string out;
  double x = 0;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    out += svg::format("<rect x=\"%.1f\" y=\"%.1f\" width=\"11\" height=\"11\" fill=\"%s\"/>\n", x, y - 10,
                       svg::colours[k % svg::colour_count]);
    out += svg::text(x + 16, y, "start", parts[k], 12);
    x += 34 + 6.6 * static_cast<double>(parts[k].size());
  }
  return out;
}

}  // namespace

std::string bar_chart(const std::string& title, const std::vector<std::string>& parts, const std::vector<Bar>& bars) {
  double largest = 1, names = 120;
  for (const Bar& bar : bars) {
    largest = std::max(largest, sum(bar));
    names = std::max(names, 16 + 7.5 * static_cast<double>(bar.name.size()));
  }
  const double width = std::max(560.0, names + 340);
  const double top = parts.size() > 1 ? 58 : 36, pixels = (width - names - sums) / largest;
  std::string out = svg::open(width, top + row_height * static_cast<double>(bars.size()) + 6, title, "class=\"bars\"");
  out += svg::text(0, 20, "start", title, 15, "font-weight=\"600\"");
  if (parts.size() > 1) out += legend(parts, 44);
  double y = top;
  for (const Bar& bar : bars) {
    out += svg::text(names - 8, y + 13, "end", bar.name, 12, bar.marked ? "font-weight=\"700\"" : "");
    double x = names;
    for (std::size_t k = 0; k < bar.parts.size(); ++k) {
      const std::string said = bar.name + (parts.size() > 1 ? ", " + parts[k] : "") + ": " + grouped(std::lround(bar.parts[k]));
      out += svg::format("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"16\" fill=\"%s\"><title>", x, y + 1,
                         pixels * bar.parts[k], svg::colours[k % svg::colour_count]) +
             escaped(said) + "</title></rect>\n";
      x += pixels * bar.parts[k];
    }
    out += svg::text(x + 6, y + 13, "start", grouped(std::lround(sum(bar))), 12, "fill=\"#444\"");
    y += row_height;
  }
  return out + "</svg>\n";
}

std::string matrix_picture(const std::string& title, int rows, const std::vector<double>& A, double low, double high) {
  const double side = 330, cell = side / rows;
  std::string out = svg::open(side + 2, side + 30, title) + svg::text(0, 16, "start", title, 14);
  out += "<rect x=\"1\" y=\"26\" width=\"330\" height=\"330\" fill=\"white\" stroke=\"#888\"/>\n";
  for (int i = 0; i < rows; ++i)
    for (int k = 0; k < rows; ++k) {
      const double value = std::abs(A[static_cast<std::size_t>(i) * rows + k]);
      if (value == 0) continue;
      const double shade = std::clamp((std::log10(value) - low) / (high - low), 0.0, 1.0);
      out += svg::format("<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"rgb(%d,%d,%d)\"/>\n", 1 + k * cell,
                         26 + i * cell, cell, cell, 230 - static_cast<int>(200 * shade), 230 - static_cast<int>(180 * shade),
                         255 - static_cast<int>(90 * shade));
    }
  return out + "</svg>\n";
}

}  // namespace sparsedyn::report
