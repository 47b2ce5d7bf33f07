// What a chart's page holds for its script: the extremes of each stretch, to a small part of their range.
#include "report/chart_numbers.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

using namespace sparsedyn::report;

namespace {

const double nothing_there = std::numeric_limits<double>::quiet_NaN();

/// Words of 24 bits; a dot stands for n.
std::vector<long> chart_words(std::string base64) {
  std::replace(base64.begin(), base64.end(), '.', 'n');
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<long> words;
  for (std::size_t k = 0; k + 3 < base64.size(); k += 4) {
    long word = 0;
    for (std::size_t i = 0; i < 4; ++i) word = word << 6 | static_cast<long>(digits.find(base64[k + i]));
    words.push_back(word);
  }
  return words;
}

std::vector<double> decoded(const nlohmann::json& series, const char* end) {
  const double low = series["range"][0], high = series["range"][1];
  std::vector<double> out;
  for (long word : chart_words(series[end]))
    out.push_back(word == 16777215 ? nothing_there : low + (high - low) * static_cast<double>(word) / 16777214);
  return out;
}

nlohmann::json numbers_of(const TimePlot& plot) {
  Scale x(false, false), y(false, false);
  x.take(0), x.take(1), y.take(0), y.take(1);
  x.fit(0, 1, false), y.fit(0, 1, false);
  return nlohmann::json::parse(chart_numbers(plot, {64, 414, 22, 162}, x, y));
}

}  // namespace

TEST_CASE("a chart's numbers are the extremes of each stretch, and none where there is none") {
  Thinned rows(3, 64);
  for (int k = 0; k < 1000; ++k) {
    const double wave = std::sin(0.01 * k) + (k == 500 ? 40 : 0), gap = k < 400 ? nothing_there : wave;
    const double values[] = {wave, gap, -1e300};
    rows.add(0.5 + 0.002 * k, values);
  }
  const nlohmann::json shown =
      numbers_of({"t", "time (s)", "N", rows, {{"all", 0, 0}, {"late", 1, 3}, {"one", 2, 1}}, -1, -1, {}, {0.5, 1.5}, {}});
  CHECK((shown["rows"] == 1000 && shown["stride"] == rows.stride() && shown["count"] == rows.stretches()));
  CHECK_FALSE(shown.contains("times"));  // evenly spaced
  CHECK((shown["span"][0] == 0.5 && shown["span"][1] == rows.time(rows.stretches() - 1)));
  REQUIRE(shown["series"].size() == 3);
  const char* keys[] = {"c1", "c3", "c0"};  // the first line is drawn last
  for (std::size_t s = 0; s < 3; ++s) {
    const nlohmann::json& series = shown["series"][s];
    const std::size_t channel = 2 - s;
    CHECK(series["key"] == keys[s]);
    const std::vector<double> low = decoded(series, "low"), high = decoded(series, "high");
    REQUIRE((low.size() == rows.stretches() && high.size() == rows.stretches()));
    const Thinned::Extremes all = rows.range(channel);
    for (std::size_t k = 0; k < low.size(); ++k) {
      const Thinned::Extremes& e = rows.at(k, channel);
      CHECK(std::isfinite(low[k]) == std::isfinite(e.low));
      if (!std::isfinite(e.low)) continue;
      CHECK(std::abs(low[k] - e.low) <= 3.2e-8 * (all.high - all.low));
      CHECK(std::abs(high[k] - e.high) <= 3.2e-8 * (all.high - all.low));
    }
  }
  CHECK(chart_words(shown["outliers"]).size() == 2);
}

TEST_CASE("a state's numbers are the ends of its bar where it holds, and none where it does not") {
  Thinned rows(2, 100);
  for (int k = 0; k < 50; ++k) {
    const double values[] = {k < 20 ? 1.0 : 0.0, k % 10 == 3 ? nothing_there : 0.9};
    rows.add(0.1 * k, values);
  }
  TimePlot plot{"t", "time (s)", "", rows, {{"first", 0, 0}, {"second", 1, 1}}, -1, -1, {}, {}, {}};
  plot.spans = true;
  const nlohmann::json shown = numbers_of(plot);
  CHECK(shown["spans"] == true);
  REQUIRE(shown["series"].size() == 2);
  for (std::size_t s = 0; s < 2; ++s) {
    const nlohmann::json& series = shown["series"][s];  // the last line is first, at the bottom
    const std::vector<double> low = decoded(series, "low"), high = decoded(series, "high");
    REQUIRE(low.size() == 50);
    for (int k = 0; k < 50; ++k) {
      const bool on = s == 1 ? k < 20 : k % 10 != 3;
      CHECK(std::isfinite(low[static_cast<std::size_t>(k)]) == on);
      if (!on) continue;
      CHECK(low[static_cast<std::size_t>(k)] == Approx(static_cast<double>(s)).margin(1e-9));
      CHECK(high[static_cast<std::size_t>(k)] == Approx(static_cast<double>(s) + span_height).margin(1e-6));
    }
  }
}

TEST_CASE("a gap's numbers are its ends, within the chart's time") {
  Thinned rows(1, 100);
  for (int k = 0; k <= 50; ++k) {
    const double value[] = {1};
    rows.add(0.1 * k, value);
  }
  const nlohmann::json shown =
      numbers_of({"t", "time (s)", "", rows, {{"x", 0, 0}}, -1, -1, {}, {}, {{1, 2.5}, {4, 9}, {-3, -1}, {0, 0}}});
  const std::vector<long> ends = chart_words(shown["gaps"]);
  const double expected[] = {1, 2.5, 4, 5, 0, 0};
  REQUIRE(ends.size() == 6);
  for (std::size_t k = 0; k < 6; ++k) CHECK(static_cast<double>(ends[k]) / 16777214 * 5 == Approx(expected[k]).margin(1e-6));
}

TEST_CASE("times that are not evenly spaced are kept each") {
  Thinned rows(1, 100);
  for (int k = 0; k < 60; ++k) {
    const double x = k;
    rows.add(1e3 + 0.01 * k + 1e-4 * std::sin(k), &x);
  }
  const nlohmann::json shown = numbers_of({"t", "time (s)", "N", rows, {{"x", 0, 0}}, -1, -1, {}, {}, {}});
  const double first = shown["span"][0], last = shown["span"][1];
  const std::vector<long> words = chart_words(shown["times"]);
  REQUIRE(words.size() == 120);
  for (std::size_t k = 0; k < 60; ++k) {
    const double share = (static_cast<double>(words[2 * k]) + static_cast<double>(words[2 * k + 1]) / 16777214) / 16777214;
    CHECK(std::abs(first + (last - first) * share - rows.time(k)) < 1e-12 * 1e3);
  }
  CHECK_FALSE(shown["series"][0].contains("high"));  // single rows
}

TEST_CASE("a line of single rows is a line, one of many rows all between its extremes") {
  const auto drawn = [](int count, std::size_t most) {
    Thinned rows(1, most);
    for (int k = 0; k < count; ++k) {
      const double x = std::sin(0.1 * k);
      rows.add(k, &x);
    }
    return time_plot({"t", "time (s)", "N", rows, {{"x", 0, 0}}, -1, -1, {}, {}, {}});
  };
  CHECK_THAT(drawn(300, 4000), Catch::Contains("class=\"line fine c0\"") && !Catch::Contains("envelope"));
  CHECK_THAT(drawn(3000, 4000), Catch::Contains("class=\"envelope c0\"") && !Catch::Contains("class=\"line fine"));
  CHECK_THAT(drawn(300, 100), Catch::Contains("class=\"envelope c0\""));
  CHECK_THAT(drawn(300, 100), Catch::Contains("x from −1 to 1 N"));  // for those who hear the figure
}
