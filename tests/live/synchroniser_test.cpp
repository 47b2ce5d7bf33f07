// The clock of a live run, beside resample() of a whole log, and under everything that a line can do to readings.
#include "sparsedyn/live/synchroniser.hpp"

#include <catch2/catch.hpp>
#include <random>
#include <stdexcept>

#include "collected.hpp"
#include "sparsedyn/logs/resample.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

/// Samples that are complete, or due by then.
void take_samples(Synchroniser& clock, std::int64_t by, std::size_t width, std::vector<std::vector<double>>& rows) {
  while (clock.complete() || clock.deadline() <= by) {
    std::vector<double> row(width + 1);
    row[0] = clock.make(row.data() + 1);
    if (std::isnan(row[0])) return;
    rows.push_back(row);
  }
}

/// Readings of one column of one source: stamp and arrival.
struct Arrival {
  int source;
  double stamp, arrives, value;
};

std::vector<std::vector<double>> samples_of(Synchroniser& clock, std::vector<Arrival> all, std::size_t width = 1) {
  std::stable_sort(all.begin(), all.end(), [](const Arrival& a, const Arrival& b) { return a.arrives < b.arrives; });
  std::vector<std::vector<double>> rows;
  for (const Arrival& each : all) {
    take_samples(clock, at(each.arrives), width, rows);
    std::vector<double> values(width, std::nan(""));
    values[width == 1 ? 0 : static_cast<std::size_t>(each.source)] = each.value;
    clock.add(each.source, each.stamp, at(each.arrives), values.data());
    take_samples(clock, at(each.arrives), width, rows);
  }
  return rows;
}

double value_at(const std::vector<std::vector<double>>& rows, double time, std::size_t column = 1) {
  for (const auto& row : rows)
    if (std::abs(row[0] - time) < 1e-9) return row[column];
  FAIL("no sample at " << time);
  return 0;
}

SynchroniserOptions two_sources(double rate) {
  SynchroniserOptions options;
  options.sources = 2, options.rate = rate;
  return options;
}

}  // namespace

TEST_CASE("samples on a clock are those of resample() of the whole log") {
  const std::vector<std::string> columns{"q.a", "y.b", "q.base.qx", "q.base.qy", "q.base.qz", "q.base.qw"};
  std::mt19937 rng(1);
  std::uniform_real_distribution<double> jitter(-3e-4, 3e-4), angle(-3.1, 3.1);
  std::vector<double> time;
  std::vector<std::vector<double>> values(columns.size());
  double turn = 0;
  for (int k = 0; k < 500; ++k) {
    time.push_back(0.5 + 1e-3 * k + jitter(rng) + (k > 250 ? 0.2 : 0));  // and a gap
    turn += 0.01;
    values[0].push_back(std::remainder(0.05 * k, 2 * std::acos(-1.0)));  // goes around
    values[1].push_back(k % 40 == 7 ? std::nan("") : angle(rng));
    const double sign = k % 3 == 0 ? -1 : 1;
    for (int c = 0; c < 4; ++c) values[static_cast<std::size_t>(2 + c)].push_back(0);
    values[2].back() = sign * std::sin(turn), values[5].back() = sign * std::cos(turn);
  }
  for (const double rate : {1000.0, 317.0}) {
    const Resampled whole = resample(columns, time, values, rate);
    SynchroniserOptions options;
    options.rate = rate;
    Synchroniser clock(columns, options);
    std::vector<std::vector<double>> rows, expected;
    for (std::size_t k = 0; k < time.size(); ++k) {
      std::vector<double> row;
      for (const auto& column : values) row.push_back(column[k]);
      take_samples(clock, at(time[k]), columns.size(), rows);
      clock.add(0, time[k], at(time[k]), row.data());
      take_samples(clock, at(time[k]), columns.size(), rows);
    }
    for (std::size_t i = 0; i < whole.time.size() && i < rows.size(); ++i) {
      expected.push_back({whole.time[i]});
      for (const auto& column : whole.values) expected.back().push_back(column[i]);
    }
    REQUIRE(rows.size() + 1 >= whole.time.size());  // the last may wait for what never comes
    CHECK(same_bits(rows, expected));
  }
}

TEST_CASE("without a rate a single source's rows are samples, unchanged and at once") {
  Synchroniser clock({"y.a"}, {});
  for (int k = 0; k < 20; ++k) {
    const double value = 0.1 * k;
    clock.add(0, 1.7e9 + 0.001 * k, at(0.001 * k), &value);
    REQUIRE(clock.complete());
    double row = 0;
    CHECK(clock.make(&row) == 1.7e9 + 0.001 * k);
    CHECK(row == value);
    CHECK(!clock.complete());
    CHECK(clock.deadline() == Synchroniser::never);
  }
}

TEST_CASE("a reading that is late by less than the wait is used, one by more is a gap and counted") {
  std::vector<Arrival> all;
  for (int k = 0; k <= 100; ++k) {
    const double t = 0.01 * k;
    all.push_back({0, t, t + 0.001, t});
    all.push_back({1, t, t + (k == 40 ? 0.008 : k == 60 ? 0.05 : 0.002), 10 * t});
  }
  Synchroniser clock({"y.a", "y.b"}, two_sources(100));
  const auto rows = samples_of(clock, all, 2);
  CHECK(value_at(rows, 0.4, 2) == 4.0);
  CHECK(std::isnan(value_at(rows, 0.6, 2)));
  CHECK(value_at(rows, 0.6, 1) == Approx(0.6));
  CHECK(value_at(rows, 0.7, 2) == Approx(7.0));
  CHECK(clock.counts(1).reordered + clock.counts(1).late == 1);
  CHECK(clock.counts(0).late == 0);
}

TEST_CASE("readings out of order and repeated ones end up where they belong") {
  Synchroniser clock({"y.a"}, two_sources(0));
  std::vector<Arrival> all{{0, 0.00, 0.000, 0}, {0, 0.02, 0.001, 2}, {0, 0.01, 0.002, 1}, {0, 0.02, 0.003, 2.5},
                           {0, 0.03, 0.004, 3}, {1, 0.04, 0.005, 9}, {0, 0.04, 0.006, 4}};
  const auto rows = samples_of(clock, all);
  REQUIRE(rows.size() == 5);
  for (int k = 0; k < 5; ++k) CHECK(rows[static_cast<std::size_t>(k)][0] == 0.01 * k);
  CHECK(rows[1][1] == 1);
  CHECK(rows[2][1] == 2.5);
  CHECK(clock.counts(0).reordered == 1);
  CHECK(clock.counts(0).repeated == 1);
}

TEST_CASE("a source whose clock is 50 ms ahead is not used, one behind comes late, both are measured") {
  for (const double off : {0.05, -0.05}) {
    std::vector<Arrival> all;
    for (int k = 0; k <= 200; ++k) {
      const double t = 0.005 * k;
      all.push_back({0, t, t + 0.001, t});
      all.push_back({1, t + (k < 100 ? 0 : off), t + 0.001, t});
    }
    Synchroniser clock({"y.a", "y.b"}, two_sources(200));
    const auto rows = samples_of(clock, all, 2);
    CHECK(value_at(rows, 0.4, 2) == Approx(0.4));
    CHECK(std::isnan(value_at(rows, 0.6, 2)));
    CHECK(value_at(rows, 0.6, 1) == Approx(0.6));
    if (off > 0) CHECK(clock.ahead(1) == Approx(off).margin(1e-6));
    // those of before are forgotten after a second
    for (int k = 201; k <= 500; ++k) {
      const double t = 0.005 * k, value = t;
      clock.add(0, t, at(t + 0.001), &value);
      clock.add(1, t + off, at(t + 0.001), &value);
    }
    CHECK(clock.ahead(1) == Approx(off).margin(1e-6));
  }
}

TEST_CASE("stamps of a clock that is slower or faster than ours, as a simulator's, are samples without gaps") {
  for (const double speed : {0.5, 0.9, 1.5}) {
    std::vector<Arrival> all;
    for (int k = 0; k <= 2000; ++k) {
      const double t = 0.002 * k;
      all.push_back({0, t, t / speed, t});
      all.push_back({1, t, t / speed + 0.0005, t});
    }
    Synchroniser clock({"y.a", "y.b"}, two_sources(500));
    const auto rows = samples_of(clock, all, 2);
    CHECK(rows.size() >= 2000);
    for (const auto& row : rows) REQUIRE((std::isfinite(row[1]) && std::isfinite(row[2])));
    CHECK(std::abs(clock.ahead(1)) < 2e-3);
  }
}

TEST_CASE("a sender that starts again begins a new clock, a single wrong stamp does not") {
  Synchroniser clock({"y.a"}, {});
  std::vector<Arrival> all;
  for (int k = 0; k < 50; ++k) all.push_back({0, 100 + 0.01 * k, 0.01 * k, 1.0 * k});
  all.push_back({0, 3, 0.495, -1});
  for (int k = 50; k < 60; ++k) all.push_back({0, 100 + 0.01 * k, 0.01 * k, 1.0 * k});
  for (int k = 0; k < 50; ++k) all.push_back({0, 0.01 * k, 1 + 0.01 * k, 2.0 * k});
  const auto rows = samples_of(clock, all);
  CHECK(clock.restarts() == 1);
  CHECK(clock.counts(0).refused == 1 + 4);
  CHECK(rows.size() == 60 + 46);
  CHECK(rows.back()[0] == 0.49);
}

TEST_CASE("a stamp of no sense neither ends the samples nor makes endless many") {
  for (const double rate : {0.0, 500.0})
    for (const double stamp : {1e300, 1e12, 1e9, -1e300, -1e9}) {
      SynchroniserOptions options;
      options.rate = rate;
      Synchroniser clock({"y.a"}, options);
      std::vector<Arrival> all;
      for (int k = 0; k < 100; ++k) {
        if (k == 50) all.push_back({0, stamp, 0.002 * k, 1});
        all.push_back({0, 0.002 * k, 0.002 * k, 1});
      }
      const auto rows = samples_of(clock, all);
      CHECK(rows.size() >= 90);
      CHECK(rows.size() <= 101);
      CHECK(rows.back()[0] == Approx(0.198).margin(0.003));
    }
}

TEST_CASE("samples go on without readings for a second, then stop until there is one") {
  SynchroniserOptions options;
  options.rate = 100;
  Synchroniser clock({"y.a"}, options);
  std::vector<Arrival> all;
  for (int k = 0; k < 20; ++k) all.push_back({0, 0.01 * k, 0.01 * k, 1});
  for (int k = 0; k < 20; ++k) all.push_back({0, 100 + 0.01 * k, 100 + 0.01 * k, 2});
  const auto rows = samples_of(clock, all);
  CHECK(rows.size() > 130);
  CHECK(rows.size() < 160);
  CHECK(std::isnan(value_at(rows, 0.5)));
  CHECK(value_at(rows, 100.1) == 2);
}

TEST_CASE("where each reading counts once, it enters the nearest sample alone") {
  SynchroniserOptions options;
  options.rate = 100, options.each_once = true;
  Synchroniser clock({"y.a"}, options);
  std::vector<Arrival> all;
  for (int k = 0; k < 30; ++k) all.push_back({0, 0.0301 * k, 0.0301 * k, 1.0 * k});  // a third of the rate
  const auto rows = samples_of(clock, all);
  std::vector<int> seen(30, 0);
  for (const auto& row : rows)
    if (std::isfinite(row[1])) {
      ++seen[static_cast<std::size_t>(row[1])];
      CHECK(std::abs(row[0] - 0.0301 * row[1]) <= 0.0051);
    }
  for (int k = 1; k < 28; ++k) CHECK(seen[static_cast<std::size_t>(k)] == 1);
}

TEST_CASE("options of a clock that are out of range are refused") {
  SynchroniserOptions options;
  options.wait = 1;
  CHECK_THROWS_AS(Synchroniser({"y.a"}, options), std::invalid_argument);
  options.wait = 0.01, options.rate = -1;
  CHECK_THROWS_AS(Synchroniser({"y.a"}, options), std::invalid_argument);
  options.rate = 1e-300;
  CHECK_THROWS_AS(Synchroniser({"y.a"}, options), std::invalid_argument);
  options.rate = 0, options.sources = 0;
  CHECK_THROWS_AS(Synchroniser({"y.a"}, options), std::invalid_argument);
}

TEST_CASE("a single stamp far ahead is refused, several, a pause as long, and slow readings are believed") {
  Synchroniser clock({"y.a"}, {});
  std::vector<Arrival> all;
  for (int k = 0; k < 100; ++k) {
    all.push_back({0, 0.01 * k, 0.01 * k, 1.0 * k});
    if (k == 50) all.push_back({0, 1000, 0.505, -1});
  }
  for (int k = 0; k < 100; ++k) all.push_back({0, 500 + 0.01 * k, 1 + 0.01 * k, 1});    // from now on
  for (int k = 0; k < 100; ++k) all.push_back({0, 600 + 0.01 * k, 101 + 0.01 * k, 2});  // as late as they say
  const auto rows = samples_of(clock, all);
  CHECK(clock.restarts() == 0);
  CHECK(clock.counts(0).refused == 1);
  CHECK(rows.size() == 100 + 100 + 100);  // those that were believed late, too
  for (const auto& row : rows) CHECK(row[0] < 700);

  Synchroniser torn({"y.a"}, {});  // stamps that agree with nothing
  for (int k = 0; k < 100; ++k) {
    const double value = k, stamp = k < 50 ? 0.01 * k : 1000.0 * (k % 7) + 100 * (k % 3) + 50;
    torn.add(0, stamp, at(0.01 * k), &value);
  }
  torn.end();
  CHECK(torn.counts(0).refused == 50);

  Synchroniser slow({"y.a"}, {});  // a file: it arrives all at once
  std::vector<Arrival> each;
  for (int k = 0; k < 20; ++k) each.push_back({0, 5.0 * k, 0.001 * k, 1});
  CHECK(samples_of(slow, each).size() == 20);
  CHECK(slow.counts(0).refused == 0);
}
