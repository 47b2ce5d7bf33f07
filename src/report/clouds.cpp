// Clouds of points, histograms, and matrices in shades.
#include <algorithm>
#include <cmath>

#include "report/figure.hpp"
#include "report/scale.hpp"
#include "svg.hpp"

namespace sparsedyn::report {
namespace {

constexpr double cloud_width = 420, cloud_height = 230;
constexpr Frame cloud_frame{64, 414, 22, 192};

/// said: for those who hear the figure.
std::string framed(const Axes& axes, const Scale& x, const Scale& y, const std::string& said, const std::string& drawing) {
  return "<figure><figcaption>" + escaped(axes.title) + "</figcaption>\n" +
         svg::open(cloud_width, cloud_height, axes.title + said) + grid(cloud_frame, x, y, axes.x, axes.y) + drawing +
         "</svg></figure>\n";
}

}  // namespace

std::string scatter_plot(const Axes& axes, const std::vector<std::pair<double, double>>& points) {
  constexpr std::size_t most_points = 4000;
  Scale x(false, false), y(false);
  for (const auto& [px, py] : points)
    if (x.has(px) && y.has(py)) x.take(px), y.take(py);
  const std::string said = y.low() > y.high() ? ": no points" : ": from " + range_text(y.low(), y.high()) + " " + axes.y;
  x.fit(cloud_frame.left, cloud_frame.right, false), y.fit(cloud_frame.bottom, cloud_frame.top, true, 4);
  std::string dots;
  const std::size_t stride = points.size() / most_points + 1;
  for (std::size_t k = 0; k < points.size(); k += stride)
    if (x.has(points[k].first) && y.has(points[k].second))
      dots += svg::format("M%.1f %.1fh0", x.at(points[k].first), y.at(points[k].second));
  return framed(axes, x, y, said, "<path class=\"cloud c0\" d=\"" + dots + "\"/>\n");
}

std::string histogram(const Axes& axes, double reach, const std::vector<long>& counts) {
  double total = 0;
  for (long count : counts) total += static_cast<double>(count);
  const double bin = 2 * reach / static_cast<double>(counts.size());
  const auto expected = [&](double v) { return total * bin * std::exp(-0.5 * v * v) / 2.50662827463; };
  Scale x(false, false), y(false);
  x.take(-reach), x.take(reach), y.take(expected(0));
  for (long count : counts) y.take(static_cast<double>(count));
  x.fit(cloud_frame.left, cloud_frame.right, false), y.fit(cloud_frame.bottom, cloud_frame.top, true, 4);
  double within = 0;  // of bins that end within ± 2
  for (std::size_t k = 0; k < counts.size(); ++k)
    if (std::abs(-reach + bin * (static_cast<double>(k) + 0.5)) < 2) within += static_cast<double>(counts[k]);
  const std::string said = total > 0 ? ": " + number(100 * within / total, 3) + " % within ± 2, where 95.4 % should be" : "";
  std::string bars, curve;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    const double from = -reach + bin * static_cast<double>(k), high = y.at(static_cast<double>(counts[k]));
    bars += svg::format("M%.1f %.1fV%.1fh%.1fV%.1fz", x.at(from), cloud_frame.bottom, high, x.at(bin) - x.at(0) - 0.6,
                        cloud_frame.bottom);
  }
  for (int k = 0; k <= 80; ++k) {
    const double v = reach * (k / 40.0 - 1);
    curve += svg::format(k ? "L%.1f %.1f" : "M%.1f %.1f", x.at(v), y.at(expected(v)));
  }
  return framed(axes, x, y, said,
                "<path class=\"fill c0\" d=\"" + bars + "\"/>\n<path class=\"line c1\" d=\"" + curve + "\"/>\n");
}

std::string matrix_picture(const std::string& title, int rows, const std::vector<double>& A, double low, double high) {
  std::string out =
      "<figure><figcaption>" + escaped(title) + "</figcaption>\n" +
      svg::format("<svg class=\"shades\" viewBox=\"0 0 %d %d\" shape-rendering=\"crispEdges\" role=\"img\"", rows, rows) +
      " aria-label=\"" + escaped(title) + "\">\n";
  for (int i = 0; i < rows; ++i)
    for (int k = 0; k < rows; ++k) {
      const double value = std::abs(A[static_cast<std::size_t>(i) * rows + k]);
      if (value == 0) continue;
      const double shade = std::clamp((std::log10(value) - low) / (high - low), 0.0, 1.0);
      out +=
          svg::format("<rect x=\"%d\" y=\"%d\" width=\"1\" height=\"1\" opacity=\"%.2f\"><title>%d, %d: %.3g</title></rect>\n",
                      k, i, 0.15 + 0.85 * shade, i + 1, k + 1, value);
    }
  return out + "</svg></figure>\n";
}

}  // namespace sparsedyn::report
