#include <algorithm>

#include "report/figure.hpp"
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
  for (std::size_t k = 0; k < names.size(); ++k) out += (k ? "&#10;" : "") + escaped(names[k]);
  return out;
}

std::vector<std::string> ordered(const std::vector<std::string>& names, const std::vector<int>& order) {
  std::vector<std::string> out;
  for (int k : order) out.push_back(names[k]);
  return out;
}

/// Colours of a page's style by their class (k0 to k6), and as they are where a figure stands on its own; others as CSS has
/// them.
std::string plain_colour(const std::string& colour) {
  constexpr const char* plain[] = {"#1f5fa8", "#d1302f", "#14795a", "#9a6a00", "#1d2126", "#8447b3", "#525b66"};
  const bool of_style = colour.size() == 2 && colour[0] == 'k' && colour[1] >= '0' && colour[1] <= '6';
  return of_style ? plain[colour[1] - '0'] : escaped(colour);
}

std::string legend_of(const SpyLayer& layer) {
  return "<span class=\"" + escaped(layer.colour) +
         "\"><i style=\"display:inline-block;width:.8em;height:.8em;background:" + plain_colour(layer.colour) + "\"></i> " +
         escaped(layer.name) + " " + grouped(static_cast<long>(layer.entries.size())) + "</span> ";
}

}  // namespace

std::string spy_plot(const Spy& spy, double across) {
  const double columns = static_cast<double>(spy.column_names.size()), rows = static_cast<double>(spy.row_names.size());
  std::string out = svg::format("<figure class=\"spy\" style=\"max-width:%.0fpx\"><figcaption>", across) + escaped(spy.title) +
                    " <span>" + escaped(spy.caption) + "</span></figcaption>\n";
  out += svg::format("<svg viewBox=\"0 0 %.0f %.0f\" shape-rendering=\"crispEdges\"", columns, rows) +
         " role=\"img\" aria-label=\"" + escaped(spy.title) + "\" data-rows=\"" + lines_of(spy.row_names) +
         "\" data-columns=\"" + lines_of(spy.column_names) + "\"" + (spy.eliminated ? " data-eliminated=\"\"" : "") + ">\n";
  std::string legend;
  for (const SpyLayer& layer : spy.layers) {
    if (layer.entries.empty()) continue;
    out += "<path class=\"" + escaped(layer.colour) + "\" fill=\"" + plain_colour(layer.colour) + "\" data-name=\"" +
           escaped(layer.name) + "\" d=\"" + squares(layer.entries) + "\"/>\n";
    legend += legend_of(layer);
  }
  return out + "</svg>\n<div class=\"tools\"></div>\n<p class=\"key\">" + legend + "</p></figure>\n";
}

Spy spy_of(const Pattern& pattern, const std::vector<std::string>& row_names, const std::vector<std::string>& column_names) {
  Spy spy{"as written down", "", row_names, column_names, {{"entries", "k0", {}}}};
  for (int r = 0; r < pattern.rows; ++r)
    for (int e = pattern.row_start[r]; e < pattern.row_start[r + 1]; ++e)
      spy.layers[0].entries.push_back({r, pattern.column[e]});
  return spy;
}

Spy spy_of(const Pattern& pattern, const Order& order, const Elimination& elimination,
           const std::vector<std::string>& row_names, const std::vector<std::string>& column_names) {
  Spy spy{"in the order of elimination", "", ordered(row_names, order.rows), ordered(column_names, order.columns), {}};
  SpyLayer lower{"L", "k0", {}}, upper{"U", "k2", {}}, pivots{"pivots", "k4", {}}, lower_fill{"fill-in of L", "k1", {}},
      upper_fill{"fill-in of U", "k3", {}};
  spy.eliminated = true;
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
