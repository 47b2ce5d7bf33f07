// Strips over time: where a value lies far from zero, and how far, for many channels at a glance.
#include <algorithm>
#include <cmath>

#include "report/figure.hpp"
#include "svg.hpp"

namespace sparsedyn::report {
namespace {

constexpr std::size_t most_cells = 240;
constexpr double strip_width = 1000, strip_height = 10;

/// 0: within all levels; k: beyond the k-th; -1: no number.
int shade_of(const Thinned::Extremes& e, const std::vector<double>& levels) {
  if (!std::isfinite(e.low)) return -1;
  const double farthest = std::max(std::abs(e.low), std::abs(e.high));
  return static_cast<int>(std::count_if(levels.begin(), levels.end(), [&](double level) { return farthest > level; }));
}

/// What is farther hides what is nearer, and a gap is seen only where nothing else is.
std::vector<int> cells_of(const Thinned& rows, int channel, const std::vector<double>& levels) {
  const std::size_t joined = (rows.stretches() + most_cells - 1) / most_cells;
  std::vector<int> cells;
  for (std::size_t k = 0; k < rows.stretches(); ++k) {
    const int shade = shade_of(rows.at(k, static_cast<std::size_t>(channel)), levels);
    if (k % joined == 0)
      cells.push_back(shade);
    else
      cells.back() = std::max(cells.back(), shade);
  }
  return cells;
}

/// One rectangle for each run of equal shades.
std::string shades(const std::vector<int>& cells) {
  std::string out;
  const double wide = strip_width / static_cast<double>(cells.size());
  for (std::size_t first = 0, end; first < cells.size(); first = end) {
    for (end = first; end < cells.size() && cells[end] == cells[first];) ++end;
    if (cells[first] == 0) continue;
    out += svg::format("<path class=\"%s%d\" d=\"M%.1f 0H%.1fV%.0fH%.1fz\"/>", cells[first] < 0 ? "none" : "far",
                       std::abs(cells[first]), wide * static_cast<double>(first), wide * static_cast<double>(end), strip_height,
                       wide * static_cast<double>(first));
  }
  return out;
}

std::string range_in_words(const Thinned& rows, int channel) {
  const Thinned::Extremes all = rows.range(static_cast<std::size_t>(channel));
  return std::isfinite(all.low) ? range_text(all.low, all.high) : "no number";
}

}  // namespace

std::string strip_chart(const StripChart& chart) {
  if (chart.rows.stretches() == 0 || chart.strips.empty()) return "";
  std::string out = "<figure class=\"bars strips\"><figcaption>" + escaped(chart.title) + "</figcaption>\n<p class=\"key\">";
  for (std::size_t k = 0; k < chart.levels.size(); ++k)
    out += svg::format("<span><i class=\"far%d\"></i>beyond ", static_cast<int>(k + 1)) + number(chart.levels[k], 3) + " " +
           escaped(chart.unit) + "</span> ";
  out += "<span><i class=\"none1\"></i>no number</span></p>\n<div style=\"--accounts:1\">\n";
  for (const TimeLine& strip : chart.strips)
    out += "<p class=\"bar\"><span>" + escaped(strip.name) +
           svg::format("</span><svg class=\"strip\" viewBox=\"0 0 %.0f %.0f\" preserveAspectRatio=\"none\" role=\"img\"",
                       strip_width, strip_height) +
           " aria-label=\"" +
           escaped("strip of " + strip.name + ": " + range_in_words(chart.rows, strip.channel) + " " + chart.unit) + "\">" +
           shades(cells_of(chart.rows, strip.channel, chart.levels)) + "</svg></p>\n";
  const std::size_t last = chart.rows.stretches() - 1;
  return out + "<p class=\"bar\"><span>" + escaped(chart.x) + "</span><span class=\"ends-of-time\"><span>" +
         number(chart.rows.time(0), 5) + "</span><span>" + number(chart.rows.time(last), 5) + "</span></span></p>\n" +
         "</div></figure>\n";
}

}  // namespace sparsedyn::report
