// Pages and figures: well-formed whatever names they are given, and with the numbers they were given.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <regex>

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

/// Every tag that is opened is closed, in turn; none stands in another's attribute.
bool balanced(const std::string& html) {
  std::vector<std::string> open;
  const std::regex tag("<(/?)([a-zA-Z0-9]+)((?:[^<>\"]|\"[^\"<]*\")*)>");
  for (std::sregex_iterator at(html.begin(), html.end(), tag), end; at != end; ++at) {
    const std::string name = (*at)[2], rest = (*at)[3];
    if (name == "meta" || (!rest.empty() && rest.back() == '/')) continue;
    if ((*at)[1].length() == 0) {
      open.push_back(name);
    } else {
      if (open.empty() || open.back() != name) return false;
      open.pop_back();
    }
  }
  return open.empty();
}

const std::string nasty = "<a & \"b\">";
const double nan_value = std::numeric_limits<double>::quiet_NaN();

Thinned rows_of(const std::vector<std::vector<double>>& rows, std::size_t most = 500) {
  Thinned thinned(rows.front().size(), most);
  for (std::size_t k = 0; k < rows.size(); ++k) thinned.add(static_cast<double>(k), rows[k].data());
  return thinned;
}

}  // namespace

TEST_CASE("Names are escaped in every figure, and every tag is closed") {
  const std::string curve = line_plot({nasty, nasty, nasty}, {{nasty, {{1, 2}, {3, 4}}, false}});
  const std::string bars = bar_chart(nasty, {nasty, "b"}, {nasty, "rest"}, {{nasty, {{nasty, {{1, 2}, {3, 4}}, true}}}});
  const std::string spy = spy_plot({nasty, nasty, {nasty}, {nasty}, {{nasty, "k0", {{0, 0}}}}});
  const Thinned rows = rows_of({{1, 0, 2}, {2, 1, 3}});
  const std::string time = time_plot({nasty, nasty, nasty, rows, {{nasty, 0, 0}}, 1, 2, {0}, {1}, {{0, 0}}}) +
                           time_key({{nasty, 0, 0}}, nasty, nasty, nasty) +
                           strip_chart({nasty, nasty, nasty, rows, {{nasty, 0, 0}}, {1}});
  TimePlot states{nasty, nasty, nasty, rows, {{nasty, 0, 0}, {nasty, 1, 1}}, -1, -1, {}, {}, {}};
  states.spans = true;
  const std::string bars_of_states = time_plot(states);
  const std::string clouds = scatter_plot({nasty, nasty, nasty}, {{1, 2}}) + histogram({nasty, nasty, nasty}, 5, {1, 2, 3}) +
                             interval_chart(nasty, nasty, {{nasty, 1, 0.5}}) + matrix_picture(nasty, 1, {1e-6}, -12, -4);
  const std::string folds = section(nasty, folded_away(nasty, "<p>x</p>")) + console(nasty);
  for (const std::string& figure :
       {curve, bars, spy, time, bars_of_states, clouds, folds, page(nasty, ""), table({{"h"}, {escaped(nasty)}})}) {
    CHECK_THAT(figure, !Contains("<a "));
    CHECK_THAT(figure, Contains("&lt;a &amp; "));
    CHECK(figure.find("nan") == std::string::npos);
    CHECK(balanced(std::regex_replace(figure, std::regex("<style>[^]*?</style>|<script>[^]*?</script>"), "")));
  }
}

TEST_CASE("Strips: one rectangle for each run of a shade, the farthest of joined rows, gaps apart") {
  const Thinned rows = rows_of({{0, 0}, {-5, 0}, {5, 0}, {0, 0}, {7, 0}, {nan_value, 0}, {0, 0}, {3, 0}});
  const std::string strips = strip_chart({"t", "time (s)", "units", rows, {{"first", 0, 0}, {"second", 1, 0}}, {4, 6}});
  CHECK(count(strips, "<path class=\"far1\" d=\"M125.0 0H375.0V10H125.0z\"/>") == 1);
  CHECK(count(strips, "<path class=\"far2\" d=\"M500.0 0H625.0V10H500.0z\"/>") == 1);
  CHECK(count(strips, "<path class=\"none1\" d=\"M625.0 0H750.0V10H625.0z\"/>") == 1);
  CHECK(count(strips, "<path") == 3);
  CHECK_THAT(strips, Contains("strip of first: −5 to 7 units") && Contains("<span>0</span><span>7</span>"));
  std::vector<std::vector<double>> many(2400, {0.0});
  many[1234] = {9};  // in the cell of rows 1230 to 1239
  const std::string joined = strip_chart({"t", "x", "", rows_of(many, 4000), {{"s", 0, 0}}, {4, 6}});
  CHECK(count(joined, "<path") == 1);
  CHECK(count(joined, "<path class=\"far2\" d=\"M512.5 0H516.7V10H512.5z\"/>") == 1);
  CHECK(strip_chart({"t", "x", "", rows, {}, {4}}).empty());
}

TEST_CASE("Rows one after the other that lack something are one gap, however many") {
  Gaps gaps;
  for (long row = 10; row < 5010; ++row) gaps.add(row, 0.01 * static_cast<double>(row));
  for (long row = 6000; row < 16000; row += 2) gaps.add(row, 0.01 * static_cast<double>(row));  // 5000 of one row each
  REQUIRE(gaps.all().size() == 2000);
  CHECK((gaps.all()[0].from == Approx(0.1) && gaps.all()[0].to == Approx(50.09)));
  CHECK((gaps.all()[1].from == Approx(60) && gaps.all()[1].to == Approx(60)));
  CHECK(gaps.all().back().to == Approx(60 + 0.02 * 1998));
  const Thinned rows = rows_of(std::vector<std::vector<double>>(101, {1.0}));
  const std::string drawn = time_plot({"t", "time (s)", "", rows, {{"e", 0, 0}}, -1, -1, {}, {}, {{20, 60}, {80, 80}}});
  // 350 pixels for 100 s, at twice the size
  CHECK_THAT(drawn, Contains("class=\"gaps\" d=\"M268 44V324H548V44zM688 44V324H688V44z\""));
}

TEST_CASE("States over time: a bar where each holds, its name above it, and how long it does") {
  const Thinned rows = rows_of({{1, 0}, {1, 0}, {0, nan_value}, {0, 1}, {1, 1}});
  TimePlot plot{"feet", "time (s)", "", rows, {{"left", 0, 0}, {"right", 1, 1}}, -1, -1, {}, {}, {}};
  plot.spans = true;
  const std::string drawn = time_plot(plot);
  CHECK_THAT(drawn, Contains("feet: left 60 % of the time; right 50 % of the time"));
  CHECK_THAT(drawn, Contains(">left</text>") && Contains(">right</text>"));
  // 350 pixels for 4 s, drawn at twice the size: left holds through rows 0 and 1 and in row 4, right through rows 3 and 4
  CHECK(count(drawn, "data-key=\"c0\" class=\"envelope c0\" d=\"M128 ") == 1);
  CHECK(count(drawn, "l175 0") == 2);  // one interval each; left's last row alone has none
  CHECK(count(drawn, "data-key=\"c1\" class=\"envelope c1\" d=\"M653 ") == 1);
  CHECK_THAT(drawn, Contains("&quot;spans&quot;:true"));
}

TEST_CASE("States over time: their share is that of rows, however many make a stretch") {
  std::vector<std::vector<double>> flags(3000, {0.0});
  for (std::size_t k = 0; k < flags.size(); k += 5) flags[k][0] = 1;
  for (std::size_t k = 1; k < flags.size(); k += 5) flags[k][0] = nan_value;
  const Thinned rows = rows_of(flags, 10);
  REQUIRE(rows.stride() > 100);
  TimePlot plot{"feet", "time (s)", "", rows, {{"left", 0, 0}}, -1, -1, {}, {}, {}};
  plot.spans = true;
  CHECK_THAT(time_plot(plot), Contains("left 25 % of the time"));
}

TEST_CASE("A way from above: a metre is as long along both axes") {
  Axes axes{"way", "x (m)", "y (m)", false, false};
  axes.one_scale = true;
  for (const auto& [wide, tall] : {std::pair(5.0, 0.1), std::pair(0.1, 5.0), std::pair(1.0, 1.0)}) {
    const std::string plot = line_plot(axes, {{"c", {{0, 0}, {wide, 0}, {wide, tall}}, false}});
    std::smatch at;
    REQUIRE(std::regex_search(plot, at, std::regex("d=\"M(\\S+) (\\S+)L(\\S+) (\\S+)L(\\S+) (\\S+?)\"")));
    const double along = (std::stod(at[3]) - std::stod(at[1])) / wide, up = (std::stod(at[4]) - std::stod(at[6])) / tall;
    CHECK(std::abs(along - up) < 0.1 / std::min(wide, tall));  // a tenth of a pixel
  }
}

TEST_CASE("Intervals are said to two digits of their reach") {
  CHECK_THAT(interval_chart("t", "N m", {{"a", -1.23456, 0.0125}}), Contains("−1.235 ± 0.025") && Contains("t (N m)"));
  CHECK_THAT(interval_chart("t", "", {{"a", 3e-13, 0.5}}), Contains(">0 ± 1<"));
}

TEST_CASE("Curves: what no axis can show is left out, an empty plot is still a plot") {
  const std::string plot = line_plot({"t", "x", "y"}, {{"c", {{1, 10}, {-1, 3}, {2, nan_value}, {0, 1}, {4, 1000}}, false}});
  CHECK_THAT(plot, Contains("data-name=\"c\""));
  CHECK(count(plot, "a2.6") + count(plot, "m-2.4") + count(plot, "m0-3") + count(plot, "m-2.6") + count(plot, "m-.9") +
            count(plot, "m-1.2") + count(plot, "m0 3.2") >=
        2);
  CHECK_THAT(line_plot({"t", "x", "y"}, {}), Contains("</svg>") && Contains("Nothing to draw"));
  CHECK_THAT(line_plot({"t", "x", "y", false, false}, {{"c", {{3, 0}}, true}}), Contains("</svg>") && Contains("<em>c</em>"));
}

TEST_CASE("Axes have titles, and every curve stands beside its end once") {
  const std::string plot =
      line_plot({"Cost", "joints", "flops"}, {{"rnea", {{1, 10}, {9, 90}}, false}, {"aba", {{1, 30}, {9, 300}}, false}});
  CHECK_THAT(plot, Contains(">joints</text>") && Contains(">flops</text>"));
  CHECK(count(plot, "<li ") == 2);
  CHECK(plot.find(">aba") < plot.find(">rnea"));  // the higher end first
}

TEST_CASE("Curves that coincide are drawn in turns and say so, others are not") {
  const Curve a{"one", {{1, 10}, {10, 100}}, false}, b{"two", {{1, 10}, {10, 100}}, false},
      c{"three", {{1, 10}, {10, 500}}, false};
  const std::string plot = line_plot({"t", "x", "y"}, {a, b, c});
  CHECK(count(plot, "(coincides)") == 2);
  CHECK(count(plot, "stroke-dashoffset:0") == 1);
  CHECK(count(plot, "stroke-dashoffset:-9") == 1);
  CHECK(count(line_plot({"t", "x", "y"}, {a, c}), "(coincides)") == 0);
}

TEST_CASE("A name has one colour in all figures, and no two curves of a figure share one") {
  CHECK(slot_of("rnea") == slot_of("rnea, folded"));
  CHECK(slot_of("rnea") != slot_of("aba"));
  CHECK(slot_of("estimate") == 0);
  std::vector<Curve> curves;
  for (int k = 0; k < 8; ++k) curves.push_back({"LU, order " + std::to_string(k), {{1, k + 1}, {2, k + 2}}, false});
  const std::string plot = line_plot({"t", "x", "y"}, curves);
  for (int k = 0; k < 8; ++k) CHECK(count(plot, "class=\"line c" + std::to_string(k) + "\" data-name") == 1);
}

TEST_CASE("Numbers: groups of three digits, powers of ten on axes, no minus before zero") {
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1234567) == "1\u202f234\u202f567");
  CHECK(grouped(-1000) == "−1\u202f000");
  CHECK(with_minus("2.1e+03") == "2\u202f100");
  CHECK(with_minus("-1.234e+05") == "−123\u202f400");
  CHECK(with_minus("1e+06") == "1e+06");
  CHECK(with_minus("-2e-03") == "−2e−03");
  CHECK(with_minus("e+03 of") == "e+03 of");
  CHECK(short_number(0.000123456) == "0.000123");
  CHECK(number(-0.0) == "0");
  CHECK(number(nan_value) == "");
  CHECK_THAT(line_plot({"t", "x", "y"}, {{"c", {{1, 1e-18}, {2, 1}}, false}}), Contains(">10⁻¹⁸</text>"));
  const Thinned rows = rows_of({{-1}, {1}, {-0.0}});
  CHECK_THAT(time_plot({"t", "x", "y", rows, {{"e", 0, 0}}, -1, -1, {}, {}, {}}), !Contains(">-0<") && !Contains(">−0<"));
}

TEST_CASE("Thinned rows keep the extremes of every stretch, whatever lies between") {
  Thinned rows(2, 100);
  double low = 0, high = 0;
  for (int k = 0; k < 100'003; ++k) {
    const double wave = std::sin(0.001 * k), spike = k == 54'321 ? 50 : k == 777 ? -40 : wave;
    const double values[] = {spike, k % 1000 == 5 ? nan_value : 1.0};
    low = std::min(low, spike), high = std::max(high, spike);
    rows.add(0.01 * k, values);
  }
  CHECK(rows.rows() == 100'003);
  CHECK(rows.stretches() <= 100);
  CHECK(rows.stretches() > 49);
  CHECK(rows.range(0).low == low);
  CHECK(rows.range(0).high == high);
  CHECK(rows.range(1).gap);
  CHECK(!rows.range(0).gap);
  bool seen = false;
  for (std::size_t k = 0; k < rows.stretches(); ++k) {
    CHECK(rows.time(k) == Approx(0.01 * static_cast<double>(k) * static_cast<double>(rows.stride())));
    const double ends = k + 1 < rows.stretches() ? rows.time(k + 1) : 1000.03;
    if (rows.time(k) <= 543.21 && 543.21 < ends)
      seen = rows.at(k, 0).high == 50;
    else
      CHECK(rows.at(k, 0).high <= 1);
  }
  CHECK(seen);
}

TEST_CASE("A series over time: a gap breaks it, a spike of one row in many is drawn, a band is closed") {
  const Thinned gap = rows_of({{0}, {1}, {nan_value}, {1}, {0}});
  const std::string broken = time_plot({"t", "time (s)", "N m", gap, {{"estimate", 0, 0}}, -1, -1, {}, {}, {{2, 2}}});
  const auto line = broken.find("class=\"line fine c0\" d=\"");
  REQUIRE(line != std::string::npos);
  const std::string path = broken.substr(line + 24, broken.find('"', line + 24) - line - 24);
  CHECK(count(path, "M") == 2);
  CHECK_THAT(broken, Contains("class=\"gaps\"") && Contains(">time (s)</text>") && Contains(">N m</text>"));
  const Thinned banded = rows_of({{1, 0, 2}, {1, 0, 2}, {1, 0, 2}});
  CHECK_THAT(time_plot({"t", "x", "y", banded, {{"e", 0, 0}}, 1, 2, {}, {}, {}}),
             Contains("class=\"band\"") && Contains("z\"/>"));
}

TEST_CASE("Sixty series of a hundred thousand rows make a page below one megabyte") {
  Thinned rows(4, 320);
  std::uint64_t seed = 1;
  for (int k = 0; k < 100'000; ++k) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    const double noise = static_cast<double>(seed >> 33) / 4294967296.0, x = std::sin(0.003 * k) + noise;
    const double values[] = {x, x - 0.3, x + 0.3, std::sin(0.003 * k)};
    rows.add(0.001 * k, values);
  }
  std::vector<std::string> plots;
  for (int k = 0; k < 60; ++k)
    plots.push_back(time_plot(
        {"tau." + std::to_string(k), "time (s)", "N m", rows, {{"estimate", 0, 0}, {"the log", 3, 1}}, 1, 2, {}, {}, {}}));
  const std::string whole = page("t", "lead", beside(plots));
  CHECK(whole.size() < 1'000'000);
  CHECK(count(whole, "class=\"band\"") == 60);
}

TEST_CASE("Bars are drawn from the smallest to the largest of their group, all to one scale") {
  const std::string bars =
      bar_chart("t", {"raw", "folded"}, {"all"},
                {{"recursions", {{"large", {{200}, {10}}, false}, {"small", {{100}, {20}}, true}}}, {"empty", {}}});
  CHECK(bars.find(">small<") < bars.find(">large<"));
  CHECK_THAT(bars, Contains("<h3>recursions</h3>") && !Contains("<h3>empty</h3>"));
  for (const char* width : {"width:76.00%", "width:38.00%", "width:3.80%", "width:7.60%"}) CHECK(count(bars, width) == 1);
  CHECK(count(bars, "class=\"bar marked\"") == 1);
}

TEST_CASE("Tables without rows and columns without a word are left out") {
  CHECK(table({{"a", "b"}}).empty());
  CHECK_THAT(table({{"a", "b", "c"}, {"1", "", "3"}, {"4", "", ""}}),
             !Contains("<th>b</th>") && Contains("<td>3</td>") && Contains("<td></td>"));
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
  CHECK_THAT(spy_plot(spy_of(arrow, rows, columns)),
             Contains("M0 0h3v1h-3z") && Contains("data-rows=\"r0&#10;r1&#10;r2\"") && !Contains("data-eliminated"));
  CHECK_THAT(spy_plot(clean), Contains("data-eliminated"));
}

TEST_CASE("A page loads nothing, has a script only where something answers, and knows the dark") {
  const std::string plain = page("t", "What is seen.", section("h", "<p>x</p>"));
  CHECK_THAT(plain, !Contains("<script") && !Contains("http://") && !Contains("https://") &&
                        Contains("<p class=\"lead\">What is seen.</p>"));
  CHECK_THAT(plain, Contains("prefers-color-scheme:dark") && Contains("@media print"));
  CHECK_THAT(plain.substr(plain.find("@media print")), Contains(".tools,#tip,.tip{display:none}"));
  const std::string alive = page("t", spy_plot({"s", "", {"r"}, {"c"}, {}}) + line_plot({"t", "x", "y"}, {}));
  CHECK_THAT(alive, Contains("<script>") && !Contains("src=") && !Contains("@import") && !Contains("url("));
  CHECK(count(alive, "http") == count(alive, "http://www.w3.org/2000/svg"));
}

TEST_CASE("Numbers at the ends of their range are drawn within the figure, or not at all") {
  const std::vector<std::vector<double>> values{{1e308, -1e308}, {1e308, 1e308}, {5e-324, 0}, {1e-308, 1e-308}, {-1e308, 1}};
  for (const std::vector<double>& pair : values) {
    const Thinned rows = rows_of({{pair[0]}, {pair[1]}, {pair[0]}});
    const std::string figure = time_plot({"t", "time (s)", "N m", rows, {{"line", 0, 0}}, -1, -1, {}, {}, {}}) +
                               line_plot({"t", "x", "y", false, false}, {{"line", {{1, pair[0]}, {2, pair[1]}}}}) +
                               line_plot({"t", "x", "y", true, true}, {{"line", {{1, pair[0]}, {2, pair[1]}}}});
    INFO(figure);
    CHECK(figure.find("nan") == std::string::npos);
    CHECK(figure.find("inf") == std::string::npos);
    CHECK(balanced(figure));
  }
}
