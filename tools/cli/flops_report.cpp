#include "cli/flops_report.hpp"

#include "cli/json_text.hpp"

namespace sparsedyn::cli {
namespace {

long total(const OperationCounts& c) { return c.mul + c.add + c.div + c.sqrt; }

Json to_json(const OperationCounts& c) {
  return {{"mul", c.mul}, {"add", c.add}, {"div", c.div}, {"sqrt", c.sqrt}, {"trig", c.trig}};
}

Json to_json(const FlopsEntry& entry) {
  Json json{{"algorithm", entry.algorithm}};
  if (!entry.of.empty()) json["of"] = entry.of;
  if (entry.n > 0) json["n"] = entry.n;
  json["raw"] = to_json(entry.raw);
  json["folded"] = entry.folded ? to_json(*entry.folded) : Json(nullptr);
  for (const PublishedCount& formula : entry.published)
    json["published"].push_back({{"source", formula.source}, {"mul", formula.mul}, {"add", formula.add}});
  return json;
}

/// The cells of one line, for all kinds of table.
std::vector<std::string> cells(const FlopsEntry& entry) {
  const auto number = [](long x) { return std::to_string(x); };
  std::vector<std::string> out{entry.n ? number(entry.n) : "",
                               entry.algorithm + (entry.of.empty() ? "" : " (" + entry.of + ")"), number(total(entry.raw))};
  if (entry.folded)
    for (long x : {total(*entry.folded), entry.folded->mul, entry.folded->add, entry.folded->div, entry.folded->trig})
      out.push_back(number(x));
  else
    out.insert(out.end(), 5, "");
  std::string published;
  for (const PublishedCount& formula : entry.published)
    published += (published.empty() ? "" : "; ") + number(formula.mul + formula.add) + " " + formula.source;
  out.push_back(published);
  return out;
}

const std::vector<std::string> titles{"n", "algorithm", "raw", "folded", "mul", "add", "div", "trig", "published"};

/// Letters as a reader counts them: bytes that begin a character.
std::size_t width(const std::string& text) {
  std::size_t letters = 0;
  for (char c : text) letters += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return letters;
}

std::string escaped(const std::string& text) {
  std::string out;
  for (char c : text) out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  return out;
}

}  // namespace

std::string flops_json(const std::vector<FlopsEntry>& entries) {
  Json list = Json::array();
  for (const FlopsEntry& entry : entries) list.push_back(to_json(entry));
  return json_text({{"entries", list}});
}

std::string flops_text(const std::vector<FlopsEntry>& entries) {
  std::vector<std::vector<std::string>> table{titles};
  for (const FlopsEntry& entry : entries) table.push_back(cells(entry));
  std::vector<std::size_t> widths(titles.size(), 0);
  for (const auto& row : table)
    for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], width(row[k]));
  std::string text;
  for (const auto& row : table) {
    std::string line;
    for (std::size_t k = 0; k < row.size(); ++k) {
      const std::string padding(widths[k] - width(row[k]), ' ');
      const bool left = titles[k] == "algorithm" || titles[k] == "published";
      line += (k ? "  " : "") + (left ? row[k] + padding : padding + row[k]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string flops_html(const std::vector<FlopsEntry>& entries) {
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Operation counts</title>\n"
      "<style>body{font-family:sans-serif}td{padding:0 .7em;text-align:right}td:nth-child(2),td:last-child{text-align:left}"
      "tr:nth-child(even){background:#eee}</style></head>\n<body><h1>Operation counts</h1>\n"
      "<p>raw: what the compiled template executes. folded: the robot's constants folded, equal values shared, nothing "
      "computed that is not asked for. Totals leave sin and cos (trig) out.</p>\n<table>\n";
  const auto add_row = [&](const std::vector<std::string>& row) {
    html += "<tr>";
    for (const std::string& cell : row) html += "<td>" + escaped(cell) + "</td>";
    html += "</tr>\n";
  };
  add_row(titles);
  for (const FlopsEntry& entry : entries) add_row(cells(entry));
  return html + "</table></body></html>\n";
}

}  // namespace sparsedyn::cli
