#include "error_plots.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "sparsedyn/report/page.hpp"

namespace sparsedyn::cli {
namespace {

constexpr double plot_width = 370, plot_height = 210, plot_left = 62, plot_right = 360, plot_top = 30, plot_bottom = 176;

template <class... Numbers>
std::string drawn(const char* pattern, Numbers... numbers) {
  char text[240];
  std::snprintf(text, sizeof text, pattern, numbers...);
  return text;
}

std::string opened(const std::string& title) {
  return drawn("<svg class=\"plot\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" font-family=\"sans-serif\" font-size=\"11\">\n",
               plot_width, plot_height, plot_width) +
         drawn("<text x=\"%.0f\" y=\"18\" font-size=\"14\">", plot_left) + report::escaped(title) + "</text>\n" +
         drawn("<path d=\"M%.0f %.0fV%.0fH%.0f\" fill=\"none\" stroke=\"#999999\"/>\n", plot_left, plot_top, plot_bottom,
               plot_right);
}

std::string below(double x, double value) {
  return drawn("<text x=\"%.1f\" y=\"%.0f\" text-anchor=\"middle\">%.3g</text>\n", x, plot_bottom + 15, value);
}

}  // namespace

std::string scatter_svg(const std::string& title, const std::string& x_name,
                        const std::vector<std::pair<double, double>>& points) {
  double reach_x = 0, reach_y = 0;
  for (const auto& point : points)
    if (std::isfinite(point.first) && std::isfinite(point.second))
      reach_x = std::max(reach_x, std::fabs(point.first)), reach_y = std::max(reach_y, std::fabs(point.second));
  if (reach_x == 0) reach_x = 1;
  if (reach_y == 0) reach_y = 1;
  const auto x_at = [&](double x) { return 0.5 * (plot_left + plot_right) + 0.5 * (plot_right - plot_left) * x / reach_x; };
  const auto y_at = [&](double y) { return 0.5 * (plot_top + plot_bottom) - 0.5 * (plot_bottom - plot_top) * y / reach_y; };
  std::string out = opened(title) + drawn("<path d=\"M%.0f %.1fH%.0f\" stroke=\"#dddddd\"/>\n", plot_left, y_at(0), plot_right);
  for (double share : {-1.0, 0.0, 1.0}) {
    out += below(x_at(share * reach_x), share * reach_x);
    out += drawn("<text x=\"%.0f\" y=\"%.1f\" text-anchor=\"end\">%.3g</text>\n", plot_left - 5, y_at(share * reach_y) + 4,
                 share * reach_y);
  }
  for (const auto& point : points)
    if (std::isfinite(point.first) && std::isfinite(point.second))
      out += drawn("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"1.3\" fill=\"#1f4f96\" fill-opacity=\"0.5\"/>\n", x_at(point.first),
                   y_at(point.second));
  return out + drawn("<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"end\">", plot_right, plot_bottom + 30) +
         report::escaped(x_name) + "</text>\n</svg>\n";
}

std::string histogram_svg(const std::string& title, double reach, const std::vector<long>& counts) {
  double total = 0, most = 0;
  for (long count : counts) total += static_cast<double>(count);
  const double bin = 2 * reach / static_cast<double>(counts.size());
  const auto expected = [&](double x) { return total * bin * std::exp(-0.5 * x * x) / 2.50662827463; };
  for (long count : counts) most = std::max({most, static_cast<double>(count), expected(0)});
  if (most == 0) most = 1;
  const auto x_at = [&](double x) { return plot_left + (plot_right - plot_left) * (x + reach) / (2 * reach); };
  const auto y_at = [&](double y) { return plot_bottom - (plot_bottom - plot_top) * y / most; };
  std::string out = opened(title), curve;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    const double from = -reach + bin * static_cast<double>(k), high = y_at(static_cast<double>(counts[k]));
    out += drawn("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#bcd4f0\"><title>%ld</title></rect>\n",
                 x_at(from), high, x_at(bin) - x_at(0), plot_bottom - high, counts[k]);
  }
  for (int k = 0; k <= 80; ++k) {
    const double x = reach * (k / 40.0 - 1);
    curve += drawn(k ? "L%.1f %.1f" : "M%.1f %.1f", x_at(x), y_at(expected(x)));
  }
  for (double x : {-reach, -0.5 * reach, 0.0, 0.5 * reach, reach}) out += below(x_at(x), x);
  return out + "<path d=\"" + curve + "\" fill=\"none\" stroke=\"#d0542b\" stroke-width=\"1.5\"/>\n" +
         drawn("<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"end\">deviations</text>\n</svg>\n", plot_right, plot_bottom + 30);
}

}  // namespace sparsedyn::cli
