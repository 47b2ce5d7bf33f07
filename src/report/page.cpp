#include "sparsedyn/report/page.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "report/figure.hpp"
#include "report/scripts/scripts.hpp"
#include "style.hpp"

namespace sparsedyn::report {

std::string escaped(const std::string& text) {
  std::string out;
  for (char c : text) switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  return out;
}

std::string number(double x, int digits) {
  if (!std::isfinite(x)) return "";
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", digits, x == 0 ? 0.0 : x);
  return text;
}

std::string with_minus(const std::string& number) {
  if (number.find_first_not_of("0123456789.e+-") != std::string::npos) return number;
  if (const std::size_t e = number.find("e+0"); e != std::string::npos && number.find_first_of("345", e) == e + 3)
    return grouped(std::lround(std::strtod(number.c_str(), nullptr)));  // 2.1e+03: as other thousands are written
  std::string out;
  for (char c : number) out += c == '-' ? std::string("−") : std::string(1, c);
  return out;
}

std::string table(const std::vector<std::vector<std::string>>& rows) {
  if (rows.size() < 2) return "";
  std::vector<char> filled;
  for (std::size_t r = 1; r < rows.size(); ++r)
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      if (c >= filled.size()) filled.resize(c + 1, 0);
      if (!rows[r][c].empty()) filled[c] = 1;
    }
  std::string out = "<div class=\"wide\"><table>\n";
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const char* tag = r == 0 ? "th" : "td";
    out += "<tr>";
    for (std::size_t c = 0; c < rows[r].size(); ++c)
      if (c < filled.size() && filled[c]) out += std::string("<") + tag + ">" + with_minus(rows[r][c]) + "</" + tag + ">";
    out += "</tr>\n";
  }
  return out + "</table></div>\n";
}

std::string beside(const std::vector<std::string>& figures) {
  if (figures.empty()) return "";
  std::string out = "<div class=\"beside\">\n";
  for (const std::string& figure : figures) out += figure;
  return out + "</div>\n";
}

std::string section(const std::string& heading, const std::string& body) {
  return "<h2>" + escaped(heading) + "</h2>\n" + body;
}

std::string folded_away(const std::string& said, const std::string& body) {
  return body.empty() ? "" : "<details><summary>" + escaped(said) + "</summary>\n" + body + "</details>\n";
}

std::string console(const std::string& text) {
  return text.empty() ? "" : folded_away("What the command printed", "<pre>" + escaped(text) + "</pre>\n");
}

std::string page(const std::string& title, const std::string& body) { return page(title, "", body); }

std::string page(const std::string& title, const std::string& lead, const std::string& body) {
  const auto holds = [&](const char* what) { return body.find(what) != std::string::npos; };
  const std::string script = std::string(holds("<figure class=\"spy\"") || holds("plot hover") ? pointer_script : "") +
                             (holds(" data-chart=\"") ? charts_script : "") +
                             (holds("<figure class=\"stage\"") ? std::string(shapes_script) + stage_script : "");
  return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
         "content=\"width=device-width,initial-scale=1\"><title>" +
         escaped(title) + "</title>\n<style>" + page_style + "</style></head>\n<body>\n<h1>" + escaped(title) + "</h1>\n" +
         (lead.empty() ? "" : "<p class=\"lead\">" + lead + "</p>\n") + body +
         (script.empty() ? "" : "<script>" + script + "</script>\n") + "</body></html>\n";
}

}  // namespace sparsedyn::report
