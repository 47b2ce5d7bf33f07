// Pieces of SVG.
#pragma once

#include <cstdio>
#include <string>

#include "sparsedyn/report/page.hpp"

namespace sparsedyn::report::svg {

constexpr const char* colours[] = {"#1f5fa8", "#c0392b", "#2e8b57", "#8e44ad", "#d68910",
                                   "#17808a", "#6b4f3a", "#d6559d", "#7f8c1f", "#5b4fd1"};
constexpr int colour_count = 10;

/// printf into a string; for numbers and short words.
template <class... Arguments>
std::string format(const char* text, Arguments... arguments) {
  char s[400];
  std::snprintf(s, sizeof s, text, arguments...);
  return s;
}

/// `anchor`: start, middle or end. `what` is escaped.
inline std::string text(double x, double y, const char* anchor, const std::string& what, int size = 13,
                        const char* style = "") {
  return format("<text x=\"%.1f\" y=\"%.1f\" font-size=\"%d\" text-anchor=\"%s\" %s>", x, y, size, anchor, style) +
         escaped(what) + "</text>\n";
}

inline std::string line(double x1, double y1, double x2, double y2, const std::string& style) {
  return format("<path d=\"M%.1f %.1fL%.1f %.1f\" fill=\"none\" ", x1, y1, x2, y2) + style + "/>\n";
}

inline std::string open(double width, double height, const std::string& label, const char* attributes = "") {
  return format("<svg viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" role=\"img\" %s", width, height, width, attributes) +
         " aria-label=\"" + escaped(label) + "\">\n";
}

}  // namespace sparsedyn::report::svg
