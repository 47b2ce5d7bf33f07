#include "report/chart_numbers.hpp"

#include <algorithm>
#include <cmath>

#include "io/printable.hpp"
#include "report/base64.hpp"

namespace sparsedyn::report {
namespace {

constexpr double largest_word = 16777214;  // of 24 bits; one more says that there is no number
constexpr long no_number_word = 16777215;

void add_word(std::string& bytes, long word) {
  for (int shift = 16; shift >= 0; shift -= 8) bytes += static_cast<char>(word >> shift & 255);
}

/// Where v lies from low, 0, to high, 1. Halves, as the range of two doubles may be none.
double share_of_range(double v, double low, double high) {
  return high > low ? (0.5 * v - 0.5 * low) / (0.5 * high - 0.5 * low) : 0;
}

/// As text that holds no word of others, such as nan: the page's script puts n back for each dot.
std::string packed(const std::string& bytes) {
  std::string text = base64(bytes);
  std::replace(text.begin(), text.end(), 'n', '.');
  return text;
}

/// Ends of a range, to 1e-9 of it.
std::string range_ends(double low, double high) {
  const double size = std::max(std::abs(low), std::abs(high)), width = high - low;
  const double more = width > 0 && width < size ? std::log10(size / width) : 0;
  const int digits = width > 0 ? static_cast<int>(std::min(17.0, std::ceil(10 + more))) : 17;
  return "[" + number(low, digits) + "," + number(high, digits) + "]";
}

std::string pair(double a, double b) { return "[" + number(a, 17) + "," + number(b, 17) + "]"; }

/// The low or the high ends of a channel.
std::string ends(const Thinned& rows, int channel, bool high, const Thinned::Extremes& range) {
  std::string bytes;
  for (std::size_t k = 0; k < rows.stretches(); ++k) {
    const Thinned::Extremes& e = rows.at(k, static_cast<std::size_t>(channel));
    const double v = high ? e.high : e.low;
    add_word(bytes, std::isfinite(v) ? std::lround(largest_word * share_of_range(v, range.low, range.high)) : no_number_word);
  }
  return packed(bytes);
}

/// Nothing where the channels hold no number.
std::string series(const Thinned& rows, const std::string& name, const std::string& key, int low, int high) {
  const Thinned::Extremes below = rows.range(static_cast<std::size_t>(low)), above = rows.range(static_cast<std::size_t>(high));
  const Thinned::Extremes range{below.low, above.high, false};
  if (!std::isfinite(range.low) || !std::isfinite(range.high)) return "";
  std::string out = "{\"name\":" + json_quoted(name) + ",\"key\":\"" + key +
                    "\",\"range\":" + range_ends(range.low, range.high) + ",\"low\":\"" + ends(rows, low, false, range) + "\"";
  if (low != high || rows.stride() > 1) out += ",\"high\":\"" + ends(rows, high, true, range) + "\"";
  return out + "}";
}

/// The bar of a line: the ends of its range where it is on, no number elsewhere.
std::string span_series(const TimePlot& plot, std::size_t line) {
  const TimeLine& of = plot.lines[line];
  std::string low, high;
  for (std::size_t k = 0; k < plot.rows.stretches(); ++k) {
    const bool on = plot.rows.at(k, static_cast<std::size_t>(of.channel)).high > 0.5;
    add_word(low, on ? 0 : no_number_word), add_word(high, on ? std::lround(largest_word) : no_number_word);
  }
  const double foot = span_foot(plot, line);
  return "{\"name\":" + json_quoted(of.name) + ",\"key\":\"c" + std::to_string(of.slot) +
         "\",\"range\":" + range_ends(foot, foot + span_height) + ",\"low\":\"" + packed(low) + "\",\"high\":\"" +
         packed(high) + "\"}";
}

/// First and step where times are equally spaced, else each as two words of 24 bits from the first to the last.
std::string times(const Thinned& rows) {
  const std::size_t n = rows.stretches();
  const double first = rows.time(0), last = rows.time(n - 1), step = n > 1 ? (last - first) / static_cast<double>(n - 1) : 0;
  bool even = true;
  for (std::size_t k = 0; k < n; ++k)
    even = even && std::abs(rows.time(k) - (first + step * static_cast<double>(k))) <= 1e-6 * std::abs(step);
  std::string out = "\"span\":" + pair(first, last);
  if (even) return out;
  std::string bytes;
  for (std::size_t k = 0; k < n; ++k) {
    const double at = largest_word * share_of_range(rows.time(k), first, last), whole = std::floor(at);
    add_word(bytes, static_cast<long>(whole)), add_word(bytes, std::lround(largest_word * (at - whole)));
  }
  return out + ",\"times\":\"" + packed(bytes) + "\"";
}

std::string marks(const Thinned& rows, const std::vector<double>& at) {
  const double first = rows.time(0), last = rows.time(rows.stretches() - 1);
  std::string bytes;
  for (double t : at)
    if (t >= first && t <= last) add_word(bytes, std::lround(largest_word * share_of_range(t, first, last)));
  return packed(bytes);
}

/// Both ends of each, within the chart's time.
std::string gaps(const Thinned& rows, const std::vector<Gap>& all) {
  const double first = rows.time(0), last = rows.time(rows.stretches() - 1);
  std::string bytes;
  for (const Gap& gap : all)
    if (gap.to >= first && gap.from <= last)
      for (double end : {std::max(gap.from, first), std::min(gap.to, last)})
        add_word(bytes, std::lround(largest_word * share_of_range(end, first, last)));
  return packed(bytes);
}

}  // namespace

std::string chart_numbers(const TimePlot& plot, const Frame& frame, const Scale& x, const Scale& y) {
  const Thinned& rows = plot.rows;
  if (rows.stretches() == 0) return "";
  std::string all;
  const auto add = [&](const std::string& one) { all += (all.empty() || one.empty() ? "" : ",") + one; };
  if (plot.band_low >= 0) add(series(rows, "± 2σ", "band", plot.band_low, plot.band_high));
  for (std::size_t k = plot.lines.size(); k-- > 0;) {
    const TimeLine& line = plot.lines[k];
    if (plot.spans) {
      add(span_series(plot, k));
      continue;
    }
    add(series(rows, line.name, "c" + std::to_string(line.slot), line.channel, line.channel));
  }
  std::string levels;
  for (double level : plot.levels) levels += (levels.empty() ? "" : ",") + number(level, 17);
  return "{\"title\":" + json_quoted(plot.title) + ",\"x\":" + json_quoted(plot.x) + ",\"unit\":" + json_quoted(plot.y) +
         ",\"frame\":[" + number(frame.left) + "," + number(frame.right) + "," + number(frame.top) + "," +
         number(frame.bottom) + "]" + (plot.spans ? ",\"spans\":true" : "") + ",\"wide\":" + pair(x.low(), x.high()) +
         ",\"tall\":" + pair(y.low(), y.high()) + ",\"rows\":" + std::to_string(rows.rows()) +
         ",\"stride\":" + std::to_string(rows.stride()) + ",\"count\":" + std::to_string(rows.stretches()) + "," + times(rows) +
         ",\"levels\":[" + levels + "],\"outliers\":\"" + marks(rows, plot.outliers) + "\",\"gaps\":\"" +
         gaps(rows, plot.gaps) + "\",\"series\":[" + all + "]}";
}

}  // namespace sparsedyn::report
