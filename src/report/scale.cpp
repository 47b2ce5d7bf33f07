#include "report/scale.hpp"

#include <algorithm>
#include <cmath>

#include "report/figure.hpp"
#include "svg.hpp"

namespace sparsedyn::report {
namespace {

/// Beyond these, steps between ticks are no longer doubles.
constexpr double tiny = 1e-290, huge = 1e290;

/// As superscripts of one size with the rest: smaller ones could not be read.
std::string raised(int exponent) {
  constexpr const char* digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string out = exponent < 0 ? "⁻" : "";
  for (char c : std::to_string(std::abs(exponent))) out += digits[c - '0'];
  return out;
}

/// 0.001 to 99 999 as they are, others as powers of ten.
std::string tick_label(double v) {
  const double size = std::abs(v);
  if (v < 0) return "−" + tick_label(size);
  if (size >= 1 && size < 1e5 && v == std::round(v)) return grouped(std::lround(v));
  if (v == 0 || (size >= 0.001 && size < 1e5)) return number(v);
  const int exponent = static_cast<int>(std::floor(std::log10(size) + 1e-9));
  const double lead = v / std::pow(10.0, exponent);
  const std::string factor = std::abs(lead - 1) < 1e-6 ? "" : short_number(lead) + "·";
  return factor + "10" + raised(exponent);
}

std::string tick_text(double x, double y, const char* anchor, double v) {
  return svg::format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" class=\"soft\">", x, y, anchor) + tick_label(v) +
         "</text>\n";
}

}  // namespace

void Scale::take(double v) {
  if (has(v)) low_ = std::min(low_, v), high_ = std::max(high_, v);
}

bool Scale::has(double v) const { return std::isfinite(v) && (!log_ || (v > tiny && v < huge)); }

double Scale::at(double v) const {
  const double share = log_ ? std::log(v / low_) / std::log(high_ / low_) : (0.5 * v - 0.5 * low_) / (0.5 * high_ - 0.5 * low_);
  return from_ + (to_ - from_) * share;
}

void Scale::fit(double from, double to, bool rounded, int ticks) {
  from_ = from, to_ = to;
  if (low_ > high_) low_ = zero_ ? 1 : 0, high_ = zero_ ? 10 : 1;
  const double low = low_, high = high_;
  log_ ? fit_logarithm() : fit_line(ticks);
  if (rounded || high <= low) return;
  high_ = high;
  if (log_ || !zero_) low_ = low;
  const double reach = 1e-9 * (log_ ? 1 : high_ - low_);
  const auto outside = [&](double v) {
    return log_ ? v > high_ * (1 + reach) || v < low_ * (1 - reach) : v > high_ + reach || v < low_ - reach;
  };
  ticks_.erase(std::remove_if(ticks_.begin(), ticks_.end(), outside), ticks_.end());
}

/// 1, 2, 5, 10, … where that makes few ticks, else powers of ten, or every so many of them.
void Scale::fit_logarithm() {
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

void Scale::fit_line(int ticks) {
  if (zero_) low_ = std::min(low_, 0.0), high_ = std::max(high_, 0.0);
  const double size = std::max(std::abs(low_), std::abs(high_));
  if (size > huge) {  // room and round steps would overflow
    low_ = std::min(low_, 0.0), high_ = std::max(high_, 0.0);
    ticks_ = {low_, high_};
    return;
  }
  if (high_ - low_ <= std::max(tiny, 1e-9 * size)) {  // all the same: room on both sides
    const double room = size > tiny ? 0.1 * size : 1;
    high_ += room;
    if (!zero_ || low_ < 0) low_ -= room;
  }
  const double rough = (high_ - low_) / ticks, power = std::pow(10.0, std::floor(std::log10(rough)));
  const double share = rough / power, step = power * (share <= 1 ? 1 : share <= 2 ? 2 : share <= 5 ? 5 : 10);
  const double first = std::floor(low_ / step + 1e-9), last = std::ceil(high_ / step - 1e-9);
  for (double k = first; k <= last; ++k) ticks_.push_back(k == 0 ? 0.0 : k * step);
  low_ = ticks_.front(), high_ = ticks_.back();
}

std::string grid(const Frame& f, const Scale& x, const Scale& y, const std::string& x_title, const std::string& y_title) {
  std::string out, lines;
  for (double v : x.ticks()) {
    lines += svg::format("M%.1f %.1fV%.1f", x.at(v), f.bottom, f.top);
    out += tick_text(x.at(v), f.bottom + 16, "middle", v);
  }
  for (double v : y.ticks()) {
    lines += svg::format("M%.1f %.1fH%.1f", f.left, y.at(v), f.right);
    out += tick_text(f.left - 6, y.at(v) + 4, "end", v);
  }
  out = "<path class=\"grid\" d=\"" + lines + "\"/>\n" + out;
  out += svg::format("<path class=\"axis\" d=\"M%.1f %.1fV%.1fH%.1f\"/>\n", f.left, f.top, f.bottom, f.right);
  return out + svg::text(0, 11, "start", y_title, "unit") + svg::text(f.right, f.bottom + 33, "end", x_title);
}

}  // namespace sparsedyn::report
