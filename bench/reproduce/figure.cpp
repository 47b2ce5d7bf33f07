#include "figure.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <stdexcept>

namespace sparsedyn::reproduce {
namespace {

constexpr double width = 720, height = 430, left = 80, right = 230, top = 40, bottom = 55;
const char* const colours[] = {"#1f5fa8", "#c0392b", "#2e8b57", "#8e44ad", "#d68910", "#17808a", "#555555", "#b03a75"};

std::string text(double x, double y, const std::string& anchor, const std::string& what, double size = 14) {
  char head[160];
  std::snprintf(head, sizeof head, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%.0f\" text-anchor=\"%s\">", x, y, size,
                anchor.c_str());
  return head + what + "</text>\n";
}

std::string line(double x1, double y1, double x2, double y2, const std::string& style) {
  char s[240];
  std::snprintf(s, sizeof s, "<path d=\"M%.1f %.1fL%.1f %.1f\" fill=\"none\" %s/>\n", x1, y1, x2, y2, style.c_str());
  return s;
}

bool drawable(const std::pair<double, double>& p) {
  return p.first > 0 && p.second > 0 && std::isfinite(p.first) && std::isfinite(p.second);
}

/// A logarithmic axis in whole decades, or from the smallest to the largest value where that is less than a decade.
struct Scale {
  double low = 1e300, high = 1e-300, from = 0, to = 1;
  void take(double v) { low = std::min(low, v), high = std::max(high, v); }
  void round() { low = std::pow(10, std::floor(std::log10(low))), high = std::pow(10, std::ceil(std::log10(high))); }
  double at(double v) const { return from + (to - from) * std::log(v / low) / std::log(high / low); }
};

std::string decades(const Scale& x, const Scale& y) {
  std::string out;
  const auto label = [](double v) {
    const int exponent = static_cast<int>(std::lround(std::log10(v)));
    return exponent >= 0 && exponent < 3 ? short_number(v)
                                         : "10<tspan dy=\"-6\" font-size=\"10\">" + std::to_string(exponent) + "</tspan>";
  };
  const auto stride = [](const Scale& s) { return std::pow(10, std::ceil(std::log10(s.high / s.low) / 9)); };
  for (double v = x.low; v < x.high * 1.001; v *= stride(x)) {
    out += line(x.at(v), y.from, x.at(v), y.to, "stroke=\"#ddd\"");
    out += text(x.at(v), y.from + 20, "middle", label(v));
  }
  for (double v = y.low; v < y.high * 1.001; v *= stride(y)) {
    out += line(x.from, y.at(v), x.to, y.at(v), "stroke=\"#ddd\"");
    out += text(x.from - 8, y.at(v) + 5, "end", label(v));
  }
  return out;
}

}  // namespace

std::string short_number(double x) {
  char s[32];
  std::snprintf(s, sizeof s, "%.3g", x);
  return s;
}

std::string log_plot(const Axes& axes, const std::vector<Curve>& curves) {
  Scale x, y;
  for (const Curve& curve : curves)
    for (const auto& p : curve.points)
      if (drawable(p)) x.take(p.first), y.take(p.second);
  x.round(), y.round();
  x.from = left, x.to = width - right, y.from = height - bottom, y.to = top;
  char head[200];
  std::snprintf(head, sizeof head, "<svg viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" role=\"img\" aria-label=\"%s\">\n", width,
                height, width, axes.title.c_str());
  std::string out = head + text(left, 22, "start", axes.title, 16) + decades(x, y);
  out += text((x.from + x.to) / 2, height - 12, "middle", axes.x);
  out += "<g transform=\"translate(18 " + short_number((y.from + y.to) / 2) + ") rotate(-90)\">" +
         text(0, 0, "middle", axes.y) + "</g>\n";
  for (std::size_t c = 0; c < curves.size(); ++c) {
    const std::string style = std::string("stroke=\"") + colours[c % 8] + "\" stroke-width=\"2\"" +
                              (curves[c].published ? " stroke-dasharray=\"6 5\"" : "");
    std::string path;
    for (const auto& p : curves[c].points)
      if (drawable(p)) {
        char s[48];
        std::snprintf(s, sizeof s, "%s%.1f %.1f", path.empty() ? "M" : "L", x.at(p.first), y.at(p.second));
        path += s;
      }
    out += "<path d=\"" + path + "\" fill=\"none\" " + style + "/>\n";
    const double row = top + 12 + 22 * static_cast<double>(c);
    out += line(width - right + 14, row - 5, width - right + 40, row - 5, style);
    out += text(width - right + 46, row, "start", curves[c].name, 13);
  }
  return out + "</svg>\n";
}

std::string matrix_picture(const std::string& title, int rows, const std::vector<double>& A, double low, double high) {
  const double side = 330, cell = side / rows;
  char s[240];
  std::snprintf(s, sizeof s, "<svg viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" role=\"img\" aria-label=\"%s\">\n", side + 2,
                side + 30, side + 2, title.c_str());
  std::string out = s + text(0, 16, "start", title);
  out += "<rect x=\"1\" y=\"26\" width=\"330\" height=\"330\" fill=\"white\" stroke=\"#888\"/>\n";
  for (int i = 0; i < rows; ++i)
    for (int k = 0; k < rows; ++k) {
      const double value = std::abs(A[i * rows + k]);
      if (value == 0) continue;
      const double shade = std::clamp((std::log10(value) - low) / (high - low), 0.0, 1.0);
      std::snprintf(s, sizeof s, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"rgb(%d,%d,%d)\"/>\n",
                    1 + k * cell, 26 + i * cell, cell, cell, 230 - static_cast<int>(200 * shade),
                    230 - static_cast<int>(180 * shade), 255 - static_cast<int>(90 * shade));
      out += s;
    }
  return out + "</svg>\n";
}

std::string table(const std::vector<std::vector<std::string>>& rows) {
  std::string out = "<table>\n";
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const char* tag = r == 0 ? "th" : "td";
    out += "<tr>";
    for (const std::string& cell : rows[r]) out += std::string("<") + tag + ">" + cell + "</" + tag + ">";
    out += "</tr>\n";
  }
  return out + "</table>\n";
}

void write_page(const std::string& path, const std::string& title, const std::string& body) {
  std::ofstream file(path);
  file << "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" << title
       << "</title>\n<style>body{font-family:sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#222}"
          "table{border-collapse:collapse;margin:1em 0}td,th{border:1px solid #bbb;padding:.3em .6em;text-align:right}"
          "td:first-child,th:first-child{text-align:left}svg{margin:.5em 1em .5em 0}</style></head>\n<body>\n<h1>"
       << title << "</h1>\n"
       << body << "</body></html>\n";
  if (!file.flush()) throw std::runtime_error(path + ": cannot be written");
}

}  // namespace sparsedyn::reproduce
