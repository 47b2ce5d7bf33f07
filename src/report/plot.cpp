// Curves on linear or logarithmic axes.
#include <algorithm>
#include <cmath>

#include "report/figure.hpp"
#include "svg.hpp"

namespace sparsedyn::report {
namespace {

constexpr double width = 560, left = 66, right = 18, top = 34, floor_y = 310, legend_y = 366, legend_row = 18;

/// From values to pixels: both ends at round numbers.
class Scale {
 public:
  explicit Scale(bool logarithmic) : log_(logarithmic) {}
  void take(double v) { low_ = std::min(low_, v), high_ = std::max(high_, v); }
  bool has(double v) const { return std::isfinite(v) && (!log_ || v > 0); }

  /// Call after take: finds the ticks; `rounded`: moves the ends out to them.
  void fit(double from, double to, bool rounded) {
    from_ = from, to_ = to;
    if (low_ > high_) low_ = 1, high_ = 10;
    const double low = low_, high = high_;
    log_ ? fit_logarithm() : fit_line();
    if (rounded || high <= low) return;
    high_ = high;
    if (log_) low_ = low;
    const auto outside = [&](double v) { return v > high_ * (1 + 1e-9) || v < low_ * (1 - 1e-9); };
    ticks_.erase(std::remove_if(ticks_.begin(), ticks_.end(), outside), ticks_.end());
  }
  double at(double v) const {
    const double share = log_ ? std::log(v / low_) / std::log(high_ / low_) : (v - low_) / (high_ - low_);
    return from_ + (to_ - from_) * share;
  }
  const std::vector<double>& ticks() const { return ticks_; }

 private:
  /// 1, 2, 5, 10, … where that makes few ticks, else powers of ten, or every so many of them.
  void fit_logarithm() {
    const double decades = std::log10(high_ / low_);
    const int stride = std::max(1, static_cast<int>(std::ceil(decades / 9)));
    const std::vector<double> steps = decades < 3 ? std::vector<double>{1, 2, 5} : std::vector<double>{1};
    std::vector<double> all;
    const int first = static_cast<int>(std::floor(std::log10(low_))), last = static_cast<int>(std::ceil(std::log10(high_)));
    for (int e = first; e <= last; e += stride)
      for (double step : steps) all.push_back(step * std::pow(10.0, e));
    if (all.back() < high_) all.push_back(all.back() * std::pow(10.0, stride));
    const auto begin = std::prev(std::upper_bound(all.begin(), all.end(), low_ * (1 + 1e-9)));
    const auto end = std::lower_bound(all.begin(), all.end(), high_ * (1 - 1e-9));
    ticks_.assign(begin, end == all.end() ? end : end + 1);
    if (ticks_.size() < 2) ticks_.push_back(ticks_.front() * 10);
    low_ = ticks_.front(), high_ = ticks_.back();
  }
  void fit_line() {
    low_ = std::min(low_, 0.0);
    if (high_ <= low_) high_ = low_ + 1;
    const double rough = (high_ - low_) / 6, power = std::pow(10.0, std::floor(std::log10(rough)));
    const double share = rough / power, step = power * (share <= 1 ? 1 : share <= 2 ? 2 : share <= 5 ? 5 : 10);
    low_ = step * std::floor(low_ / step + 1e-9), high_ = step * std::ceil(high_ / step - 1e-9);
    for (double v = low_; v < high_ + step / 2; v += step) ticks_.push_back(std::abs(v) < step / 1e6 ? 0.0 : v);
  }

  bool log_;
  double low_ = 1e300, high_ = -1e300, from_ = 0, to_ = 1;
  std::vector<double> ticks_;
};

/// 0.01 to 99 999 as they are, others as powers of ten.
std::string tick_label(double v) {
  const double size = std::abs(v);
  if (size >= 1 && size < 1e5 && v == std::round(v)) return grouped(std::lround(v));
  if (v == 0 || (size >= 0.01 && size < 1e5)) return short_number(v);
  const int exponent = static_cast<int>(std::floor(std::log10(size) + 1e-9));
  const double lead = v / std::pow(10.0, exponent);
  const std::string factor = std::abs(lead - 1) < 1e-6 ? "" : short_number(lead) + "·";
  return factor + "10<tspan dy=\"-5\" font-size=\"10\">" + std::to_string(exponent) + "</tspan>";
}

std::string grid(const Scale& x, const Scale& y) {
  std::string out;
  const double x0 = left, x1 = width - right, y0 = floor_y, y1 = top;
  const auto label = [](double px, double py, const char* anchor, double v) {
    return svg::format("<text x=\"%.1f\" y=\"%.1f\" font-size=\"12\" fill=\"#555\" text-anchor=\"%s\">", px, py, anchor) +
           tick_label(v) + "</text>\n";
  };
  for (double v : x.ticks())
    out += svg::line(x.at(v), y0, x.at(v), y1, "stroke=\"#e4e4e4\"") + label(x.at(v), y0 + 18, "middle", v);
  for (double v : y.ticks())
    out += svg::line(x0, y.at(v), x1, y.at(v), "stroke=\"#e4e4e4\"") + label(x0 - 7, y.at(v) + 4, "end", v);
  return out + svg::line(x0, y0, x1, y0, "stroke=\"#888\"") + svg::line(x0, y0, x0, y1, "stroke=\"#888\"");
}

std::string drawn(const Curve& curve, const Scale& x, const Scale& y, const char* colour) {
  std::string path, dots;
  for (const auto& [px, py] : curve.points) {
    if (!x.has(px) || !y.has(py)) continue;
    path += svg::format("%s%.1f %.1f", path.empty() ? "M" : "L", x.at(px), y.at(py));
    dots += svg::format("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%s\" fill=\"%s\">", x.at(px), y.at(py),
                        curve.points.size() > 40 ? "1.5" : "2.6", colour) +
            "<title>" + escaped(curve.name) + ": " + svg::format("%.6g, %.6g", px, py) + "</title></circle>\n";
  }
  if (path.empty()) return "";
  return "<path d=\"" + path + "\" fill=\"none\" stroke=\"" + colour + "\" stroke-width=\"1.8\"" +
         (curve.published ? " stroke-dasharray=\"6 4\"" : "") + "/>\n" + (curve.published ? "" : dots);
}

}  // namespace

std::string short_number(double x) { return svg::format("%.3g", x); }

std::string grouped(long x) {
  std::string digits = std::to_string(std::labs(x));
  for (int k = static_cast<int>(digits.size()) - 3; k > 0; k -= 3) digits.insert(static_cast<std::size_t>(k), "\u202f");
  return (x < 0 ? "−" : "") + digits;
}

std::string line_plot(const Axes& axes, const std::vector<Curve>& curves) {
  Scale x(axes.log_x), y(axes.log_y);
  for (const Curve& curve : curves)
    for (const auto& [px, py] : curve.points)
      if (x.has(px) && y.has(py)) x.take(px), y.take(py);
  x.fit(left, width - right, false), y.fit(floor_y, top, true);
  std::size_t columns = 2;  // of the legend
  for (const Curve& curve : curves)
    if (curve.name.size() > 34) columns = 1;
  const double legend_rows = std::ceil(static_cast<double>(curves.size()) / static_cast<double>(columns));
  std::string out = svg::open(width, legend_y + legend_row * legend_rows, axes.title, "class=\"plot\"");
  out += svg::text(left, 20, "start", axes.title, 15, "font-weight=\"600\"") + grid(x, y);
  out += svg::text((left + width - right) / 2, floor_y + 36, "middle", axes.x, 12);
  out += "<g transform=\"translate(14 " + short_number((floor_y + top) / 2) + ") rotate(-90)\">" +
         svg::text(0, 0, "middle", axes.y, 12) + "</g>\n";
  for (std::size_t c = 0; c < curves.size(); ++c) {
    const char* colour = svg::colours[c % svg::colour_count];
    out += drawn(curves[c], x, y, colour);
    const double row = legend_y + legend_row * static_cast<double>(c / columns), x0 = c % columns == 0 ? left : left + 246;
    out += svg::line(
        x0, row - 4, x0 + 24, row - 4,
        std::string("stroke=\"") + colour + "\" stroke-width=\"2\"" + (curves[c].published ? " stroke-dasharray=\"6 4\"" : ""));
    out += svg::text(x0 + 30, row, "start", curves[c].name, 12);
  }
  return out + "</svg>\n";
}

}  // namespace sparsedyn::report
