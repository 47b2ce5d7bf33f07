// Pages and figures: well-formed whatever names they are given, and with the numbers they were given.
#include <catch2/catch.hpp>
#include <limits>

#include "report/figure.hpp"
#include "sparsedyn/report/page.hpp"

using namespace sparsedyn;
using namespace sparsedyn::report;
using Catch::Contains;

namespace {

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

const std::string nasty = "<a & \"b\">";

}  // namespace

TEST_CASE("Names are escaped in every figure") {
  const std::string curve = line_plot({nasty, nasty, nasty}, {{nasty, {{1, 2}, {3, 4}}, false}});
  const std::string bars = bar_chart(nasty, {nasty, "rest"}, {{nasty, {1, 2}, true}});
  const std::string spy = spy_plot({nasty, nasty, {nasty}, {nasty}, {{nasty, "#000", {{0, 0}}}}});
  for (const std::string& figure : {curve, bars, spy, page(nasty, ""), table({{escaped(nasty)}})}) {
    CHECK_THAT(figure, !Contains("<a "));
    CHECK_THAT(figure, Contains("&lt;a &amp; "));
    CHECK(figure.find("nan") == std::string::npos);
  }
}

TEST_CASE("Curves: what no axis can show is left out, an empty plot is still a plot") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::string plot = line_plot({"t", "x", "y"}, {{"c", {{1, 10}, {-1, 3}, {2, nan}, {0, 1}, {4, 1000}}, false}});
  CHECK(count(plot, "<circle") == 2);
  CHECK_THAT(line_plot({"t", "x", "y"}, {}), Contains("</svg>"));
  CHECK_THAT(line_plot({"t", "x", "y", false, false}, {{"c", {{3, 0}}, true}}), Contains("</svg>"));
}

TEST_CASE("Numbers: groups of three digits, powers of ten on axes") {
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1234567) == "1\u202f234\u202f567");
  CHECK(grouped(-1000) == "−1\u202f000");
  CHECK(short_number(0.000123456) == "0.000123");
  CHECK_THAT(line_plot({"t", "x", "y"}, {{"c", {{1, 1e-18}, {2, 1}}, false}}), Contains("-18</tspan>"));
}

TEST_CASE("A spy plot shows every entry once, at its place in the order, and fill-in apart") {
  // an arrow that points the wrong way: eliminating the full row first fills everything
  const Pattern arrow{3, 3, {0, 3, 5, 7}, {0, 1, 2, 0, 1, 0, 2}};
  const Order worst{{0, 1, 2}, {0, 1, 2}}, best{{2, 1, 0}, {2, 1, 0}};
  const std::vector<std::string> rows{"r0", "r1", "r2"}, columns{"c0", "c1", "c2"};
  const auto entries = [](const Spy& spy, const std::string& layer) {
    for (const SpyLayer& l : spy.layers)
      if (l.name == layer) return l.entries;
    return std::vector<std::pair<int, int>>{{-1, -1}};
  };
  const Spy filled = spy_of(arrow, worst, eliminate(arrow, worst), rows, columns);
  CHECK(entries(filled, "fill-in of L") == std::vector<std::pair<int, int>>{{2, 1}});
  CHECK(entries(filled, "fill-in of U") == std::vector<std::pair<int, int>>{{1, 2}});
  CHECK(entries(filled, "pivots").size() == 3);
  const Spy clean = spy_of(arrow, best, eliminate(arrow, best), rows, columns);
  CHECK(clean.row_names == std::vector<std::string>{"r2", "r1", "r0"});
  CHECK(entries(clean, "fill-in of L").empty());
  CHECK(entries(clean, "L") == std::vector<std::pair<int, int>>{{2, 0}, {2, 1}});
  CHECK(entries(clean, "U") == std::vector<std::pair<int, int>>{{0, 2}, {1, 2}});
  CHECK_THAT(spy_plot(spy_of(arrow, rows, columns)), Contains("M0 0h3v1h-3z") && Contains("data-rows=\"r0&#10;r1&#10;r2\""));
}

TEST_CASE("A page loads nothing, and has a script only where something is hovered") {
  const std::string plain = page("t", section("h", "<p>x</p>"));
  CHECK_THAT(plain, !Contains("<script") && !Contains("http://") && !Contains("https://"));
  CHECK_THAT(page("t", spy_plot({"s", "", {"r"}, {"c"}, {}})), Contains("<script>") && !Contains("src="));
}
