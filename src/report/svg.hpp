// Pieces of SVG. Colours are classes of the page's style (style.cpp): c0 to c7 for series, `grid`, `axis`, `soft`.
#pragma once

#include <cstdio>
#include <string>

#include "sparsedyn/report/page.hpp"

namespace sparsedyn::report::svg {

constexpr int slots = 8;

/// printf into a string; for numbers and short words.
template <class... Arguments>
std::string format(const char* text, Arguments... arguments) {
  char s[400];
  std::snprintf(s, sizeof s, text, arguments...);
  return s;
}

/// `anchor`: start, middle or end. `what` is escaped.
inline std::string text(double x, double y, const char* anchor, const std::string& what, const char* classes = "") {
  return format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" class=\"%s\">", x, y, anchor, classes) + escaped(what) +
         "</text>\n";
}

inline std::string line(double x1, double y1, double x2, double y2, const char* classes) {
  return format("<path d=\"M%.1f %.1fL%.1f %.1f\" class=\"%s\"/>\n", x1, y1, x2, y2, classes);
}

/// As wide as its place. `numbers`: of a chart over time (chart_numbers), or none.
inline std::string open(double width, double height, const std::string& label, const char* classes = "plot",
                        const std::string& numbers = "") {
  return format("<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" class=\"%s\"", width, height, classes) + " aria-label=\"" +
         escaped(label) + "\"" + (numbers.empty() ? "" : " tabindex=\"0\" data-chart=\"" + escaped(numbers) + "\"") + ">\n";
}

/// A mark of the slot around the origin of a path: disc, square, triangle, diamond, cross, plus, bar, and a triangle upside
/// down.
inline const char* mark(int slot) {
  constexpr const char* marks[slots] = {
      "m-2.6 0a2.6 2.6 0 1 0 5.2 0a2.6 2.6 0 1 0-5.2 0z",
      "m-2.4-2.4h4.8v4.8h-4.8z",
      "m0-3.2l3 5.4h-6z",
      "m0-3.4l3.4 3.4l-3.4 3.4l-3.4-3.4z",
      "m-2.6-1.4l1.2-1.2l1.4 1.4l1.4-1.4l1.2 1.2l-1.4 1.4l1.4 1.4l-1.2 1.2l-1.4-1.4l-1.4 1.4l-1.2-1.2l1.4-1.4z",
      "m-.9-3h1.8v2.1h2.1v1.8h-2.1v2.1h-1.8v-2.1h-2.1v-1.8h2.1z",
      "m-1.2-3.2h2.4v6.4h-2.4z",
      "m0 3.2l3-5.4h-6z"};
  return marks[slot % slots];
}

/// A line with its mark, for legends.
inline std::string sample(int slot, bool published = false) {
  const char* more = published ? " published" : "";
  return format("<svg viewBox=\"0 0 34 12\" class=\"sample\" aria-hidden=\"true\"><path class=\"line c%d%s\" d=\"M1 6H33\"/>",
                slot, more) +
         format("<path class=\"mark c%d%s\" d=\"M17 6%s\"/></svg>", slot, more, mark(slot));
}

}  // namespace sparsedyn::report::svg
