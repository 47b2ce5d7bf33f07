// The program's pages and figures for reports that Python writes: private, and the same look.
#include "pages.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <stdexcept>

#include "report/figure.hpp"

namespace sparsedyn::python {
namespace {

using Text = std::string;
using Points = std::vector<std::pair<double, double>>;
using NamedBar = std::tuple<Text, std::vector<std::vector<double>>, bool>;
using NamedSeries = std::pair<Text, std::vector<double>>;

Text curves(const Text& title, const Text& x, const Text& y, bool log_x, bool log_y,
            const std::vector<std::tuple<Text, Points, bool>>& named) {
  std::vector<report::Curve> drawn;
  for (const auto& [name, points, published] : named) drawn.push_back({name, points, published});
  return report::line_plot({title, x, y, log_x, log_y}, drawn);
}

Text bars(const Text& title, const std::vector<Text>& accounts, const std::vector<Text>& parts,
          const std::vector<std::pair<Text, std::vector<NamedBar>>>& groups) {
  std::vector<report::BarGroup> drawn;
  for (const auto& [name, members] : groups) {
    drawn.push_back({name, {}});
    for (const auto& [bar, counts, marked] : members) drawn.back().bars.push_back({bar, counts, marked});
  }
  return report::bar_chart(title, accounts, parts, drawn);
}

/// Series of the same times, and two more of them that bound a band.
Text over_time(const Text& title, const Text& x, const Text& y, const std::vector<double>& times,
               const std::vector<NamedSeries>& series, const std::optional<std::vector<double>>& low,
               const std::optional<std::vector<double>>& high) {
  std::vector<const std::vector<double>*> channels;
  for (const NamedSeries& one : series) channels.push_back(&one.second);
  const bool banded = low && high;
  if (banded) channels.push_back(&*low), channels.push_back(&*high);
  for (const std::vector<double>* channel : channels)
    if (channel->size() != times.size()) throw std::invalid_argument("a series of another length than its times");
  report::Thinned rows(channels.size());
  std::vector<double> row(channels.size());
  for (std::size_t k = 0; k < times.size(); ++k) {
    for (std::size_t c = 0; c < row.size(); ++c) row[c] = (*channels[c])[k];
    rows.add(times[k], row.data());
  }
  const int first = banded ? static_cast<int>(series.size()) : -1;
  report::TimePlot plot{title, x, y, rows, {}, first, banded ? first + 1 : -1, {}, {}, {}};
  for (std::size_t c = 0; c < series.size(); ++c)
    plot.lines.push_back({series[c].first, static_cast<int>(c), report::slot_of(series[c].first)});
  return report::time_plot(plot);
}

}  // namespace

void bind_pages(nb::module_& m) {
  m.def(
      "_page", [](const Text& title, const Text& lead, const Text& body) { return report::page(title, lead, body); },
      nb::arg("title"), nb::arg("lead"), nb::arg("body"));
  m.def("_table", &report::table, nb::arg("rows"));
  m.def("_beside", &report::beside, nb::arg("figures"));
  m.def("_line_plot", &curves, nb::arg("title"), nb::arg("x"), nb::arg("y"), nb::arg("log_x"), nb::arg("log_y"),
        nb::arg("curves"));
  m.def("_bar_chart", &bars, nb::arg("title"), nb::arg("accounts"), nb::arg("parts"), nb::arg("groups"));
  m.def("_time_plot", &over_time, nb::arg("title"), nb::arg("x"), nb::arg("y"), nb::arg("times"), nb::arg("series"),
        nb::arg("low").none(), nb::arg("high").none());
}

}  // namespace sparsedyn::python
