#include <algorithm>

#include "sparsedyn/report/page.hpp"
#include "svg.hpp"

namespace sparsedyn::report {
namespace {

/// Unit squares, those beside each other in a row joined.
std::string squares(std::vector<std::pair<int, int>> entries) {
  std::sort(entries.begin(), entries.end());
  std::string path;
  for (std::size_t k = 0; k < entries.size();) {
    const auto [row, column] = entries[k];
    int length = 1;
    for (++k; k < entries.size() && entries[k] == std::make_pair(row, column + length); ++k) ++length;
    path += svg::format("M%d %dh%dv1h-%dz", column, row, length, length);
  }
  return path;
}

std::string lines_of(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : "&#10;") + escaped(name);
  return out;
}

std::vector<std::string> ordered(const std::vector<std::string>& names, const std::vector<int>& order) {
  std::vector<std::string> out;
  for (int k : order) out.push_back(names[k]);
  return out;
}

}  // namespace

std::string spy_plot(const Spy& spy, double width) {
  const double columns = static_cast<double>(spy.column_names.size()), rows = static_cast<double>(spy.row_names.size());
  std::string out = svg::format("<figure style=\"width:%.0fpx\"><figcaption><b>", width) + escaped(spy.title) + "</b> " +
                    escaped(spy.caption) + "</figcaption>\n";
  out += svg::format("<svg class=\"spy\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" shape-rendering=\"crispEdges\"", columns,
                     rows, width) +
         " role=\"img\" aria-label=\"" + escaped(spy.title) + "\" data-rows=\"" + lines_of(spy.row_names) +
         "\" data-columns=\"" + lines_of(spy.column_names) + "\">\n";
  std::string legend;
  for (const SpyLayer& layer : spy.layers) {
    if (layer.entries.empty()) continue;
    const std::string name = escaped(layer.name), colour = escaped(layer.colour);
    out += "<path fill=\"" + colour + "\" data-name=\"" + name + "\" d=\"" + squares(layer.entries) + "\"/>\n";
    legend +=
        "<span><i style=\"background:" + colour + "\"></i>" + name + " " + std::to_string(layer.entries.size()) + "</span> ";
  }
  return out + "</svg><div class=\"legend\">" + legend + "</div></figure>\n";
}

Spy spy_of(const Pattern& pattern, const std::vector<std::string>& row_names, const std::vector<std::string>& column_names) {
  Spy spy{"as written down", "", row_names, column_names, {{"entries", svg::colours[0], {}}}};
  for (int r = 0; r < pattern.rows; ++r)
    for (int e = pattern.row_start[r]; e < pattern.row_start[r + 1]; ++e)
      spy.layers[0].entries.push_back({r, pattern.column[e]});
  return spy;
}

Spy spy_of(const Pattern& pattern, const Order& order, const Elimination& elimination,
           const std::vector<std::string>& row_names, const std::vector<std::string>& column_names) {
  Spy spy{"in the order of elimination", "", ordered(row_names, order.rows), ordered(column_names, order.columns), {}};
  SpyLayer lower{"L", svg::colours[0], {}}, upper{"U", svg::colours[2], {}}, pivots{"pivots", "#222", {}},
      lower_fill{"fill-in of L", svg::colours[1], {}}, upper_fill{"fill-in of U", svg::colours[4], {}};
  std::vector<int> position(order.columns.size());
  for (std::size_t k = 0; k < order.columns.size(); ++k) position[order.columns[k]] = static_cast<int>(k);
  std::vector<char> own(order.columns.size(), 0);
  for (int k = 0; k < elimination.size(); ++k) {
    const int row = order.rows[k], *begin = pattern.column.data() + pattern.row_start[row],
              *end = pattern.column.data() + pattern.row_start[row + 1];
    for (const int* c = begin; c != end; ++c) own[position[*c]] = 1;
    for (int l = elimination.lower_start[k]; l < elimination.lower_start[k + 1]; ++l)
      (own[elimination.lower[l]] ? lower : lower_fill).entries.push_back({k, elimination.lower[l]});
    for (int u = elimination.upper_start[k]; u < elimination.upper_start[k + 1]; ++u)
      (own[elimination.upper[u]] ? upper : upper_fill).entries.push_back({k, elimination.upper[u]});
    pivots.entries.push_back({k, k});
    for (const int* c = begin; c != end; ++c) own[position[*c]] = 0;
  }
  spy.layers = {lower, upper, pivots, lower_fill, upper_fill};
  return spy;
}

}  // namespace sparsedyn::report
