#include "band_plot.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "sparsedyn/report/page.hpp"

namespace sparsedyn::cli {
namespace {

constexpr double width = 760, height = 210, left = 70, right = 750, top = 30, bottom = 180;

template <class... Numbers>
std::string format(const char* pattern, Numbers... numbers) {
  char text[240];
  std::snprintf(text, sizeof text, pattern, numbers...);
  return text;
}

/// Values from `low` to `high` against pixels; ticks at round numbers.
struct Axis {
  double low = 0, high = 0, from = 0, to = 0;
  bool empty = true;

  void take(double x) {
    if (!std::isfinite(x)) return;
    low = empty ? x : std::min(low, x), high = empty ? x : std::max(high, x), empty = false;
  }
  /// Room where all values are the same.
  void widen() {
    const double least = 1e-9 * std::max({1.0, std::abs(low), std::abs(high)});
    if (high - low < least) low -= least, high += least;
  }
  double at(double x) const { return from + (to - from) * (x - low) / (high - low); }
  std::vector<double> ticks() const {
    const double rough = (high - low) / 4, power = std::pow(10, std::floor(std::log10(rough))), digit = rough / power;
    const double step = power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
    std::vector<double> out;
    for (double k = std::ceil(low / step); k * step <= high; ++k) out.push_back(k * step);
    return out;
  }
};

std::string grid(const Axis& x, const Axis& y) {
  std::string out;
  for (double t : x.ticks())
    out += format(
        "<path d=\"M%.1f %.0fV%.0f\" stroke=\"#e4e4e4\"/><text x=\"%.1f\" y=\"%.0f\" text-anchor=\"middle\">%.4g</text>\n",
        x.at(t), top, bottom, x.at(t), bottom + 16, t);
  for (double v : y.ticks())
    out +=
        format("<path d=\"M%.0f %.1fH%.0f\" stroke=\"#e4e4e4\"/><text x=\"%.0f\" y=\"%.1f\" text-anchor=\"end\">%.4g</text>\n",
               left, y.at(v), right, left - 6, y.at(v) + 4, v);
  return out;
}

/// A line through the finite points.
std::string line(const Axis& x, const Axis& y, const std::vector<double>& time, const std::vector<double>& values,
                 const char* style) {
  std::string path;
  bool drawing = false;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const bool there = std::isfinite(values[k]);
    if (there) path += format(drawing ? "L%.1f %.1f" : "M%.1f %.1f", x.at(time[k]), y.at(values[k]));
    drawing = there;
  }
  return "<path d=\"" + path + "\" fill=\"none\" " + style + "/>\n";
}

/// One closed outline for each stretch without a gap.
std::string band(const Axis& x, const Axis& y, const BandPlot& plot) {
  std::string path;
  const auto edge = [&](std::size_t k, double sign) {
    return format("%.1f %.1f", x.at(plot.time[k]), y.at(plot.estimate[k] + sign * 2 * plot.deviation[k]));
  };
  const auto there = [&](std::size_t k) { return std::isfinite(plot.estimate[k]) && std::isfinite(plot.deviation[k]); };
  for (std::size_t first = 0, k; first < plot.deviation.size(); first = k + 1) {
    for (k = first; k < plot.deviation.size() && there(k); ++k) path += (k == first ? "M" : "L") + edge(k, 1);
    for (std::size_t back = k; back > first; --back) path += "L" + edge(back - 1, -1);
    if (k > first) path += "Z";
  }
  return "<path d=\"" + path + "\" fill=\"#bcd4f0\" stroke=\"none\"/>\n";
}

}  // namespace

std::string svg(const BandPlot& plot) {
  Axis x, y;
  x.from = left, x.to = right, y.from = bottom, y.to = top;
  for (std::size_t k = 0; k < plot.time.size(); ++k) {
    x.take(plot.time[k]);
    const double reach = plot.deviation.empty() || !std::isfinite(plot.deviation[k]) ? 0 : 2 * plot.deviation[k];
    y.take(plot.estimate[k] - reach), y.take(plot.estimate[k] + reach);
    if (!plot.truth.empty()) y.take(plot.truth[k]);
  }
  x.widen(), y.widen();
  std::string out =
      format("<svg class=\"plot\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" font-family=\"sans-serif\" font-size=\"11\">\n",
             width, height, width) +
      format("<text x=\"%.0f\" y=\"18\" font-size=\"14\">", left) + report::escaped(plot.title) + "</text>\n" + grid(x, y);
  if (!plot.deviation.empty()) out += band(x, y, plot);
  if (!plot.truth.empty()) out += line(x, y, plot.time, plot.truth, "stroke=\"#d0542b\" stroke-width=\"2.4\"");
  return out + line(x, y, plot.time, plot.estimate, "stroke=\"#1f4f96\" stroke-width=\"1.1\"") + "</svg>\n";
}

}  // namespace sparsedyn::cli
