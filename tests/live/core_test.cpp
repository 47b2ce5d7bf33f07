// Findings of a live run.
#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <random>

#include "collected.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

/// Three noisy sensors at 500 Hz for so long; `spoil` changes a row, or says false where it does not come.
Collected run_spoilt(LiveCore& core, double seconds, const std::function<bool(double t, double* row)>& spoil) {
  Collected out(core.estimate().columns().size());
  std::mt19937 rng(4);
  std::normal_distribution<double> noise(0, 0.01);
  for (int k = 0; k < static_cast<int>(500 * seconds); ++k) {
    const double t = 0.002 * k;
    double row[3] = {std::sin(3 * t) + noise(rng), std::cos(2 * t) + noise(rng), 9.81 + noise(rng)};
    core.until(at(t), out);
    if (spoil(t, row)) core.readings(0, t, at(t + 1e-4), row, out);
  }
  return out;
}

std::unique_ptr<LiveCore> three_sensors(double rate = 0) {
  LiveOptions options;
  options.clock.rate = rate;
  return std::make_unique<LiveCore>(std::make_unique<HandsOn>(std::vector<std::string>{"a", "b", "c"}), options);
}

}  // namespace

TEST_CASE("sensors in order give no findings") {
  const auto core = three_sensors();
  const Collected out = run_spoilt(*core, 20, [](double, double*) { return true; });
  CHECK(out.findings.empty());
  CHECK(out.rows.size() == 10000);
}

TEST_CASE("a sensor that is unplugged is named within 20 ms, and when it is back") {
  const auto core = three_sensors();
  const Collected out = run_spoilt(*core, 4, [](double t, double* row) {
    if (t >= 2 && t < 3) row[1] = std::nan("");
    return true;
  });
  const LiveFinding* found = out.first(LiveFault::missing);
  REQUIRE(found);
  CHECK(found->reading == 1);
  CHECK(found->since == Approx(1.998));
  CHECK(found->at - 2 <= 0.02);
  const LiveFinding* over = out.first(LiveFault::missing, true);
  REQUIRE(over);
  CHECK(over->at == Approx(3));
  CHECK(out.findings.size() == 2);
  CHECK(out.rows.size() == 2000);  // samples go on
}

TEST_CASE("a source that falls silent is named within 20 ms, and when it is back") {
  for (const double rate : {0.0, 500.0}) {
    const auto core = three_sensors(rate);
    const Collected out = run_spoilt(*core, 4, [](double t, double*) { return t < 2 || t >= 2.5; });
    const LiveFinding* found = out.first(LiveFault::silent);
    REQUIRE(found);
    CHECK(found->source == 0);
    CHECK(found->at - 2 <= 0.02);
    REQUIRE(out.first(LiveFault::silent, true));
    CHECK(out.rows.size() == (rate > 0 ? 2000 : 1750));
  }
}

TEST_CASE("a sensor that is stuck is named within its detection time, one that stands still is not") {
  const auto core = three_sensors();
  double kept = 0;
  const Collected out = run_spoilt(*core, 4, [&](double t, double* row) {
    if (t < 2) kept = row[0];
    if (t >= 2 && t < 3) row[0] = kept;
    row[1] = std::round(50 * row[1]) / 50;  // coarse steps: it often repeats itself
    row[2] = 9.81;                          // always
    return true;
  });
  const LiveFinding* found = out.first(LiveFault::stuck);
  REQUIRE(found);
  CHECK(found->reading == 0);
  CHECK(found->since == Approx(1.998));
  CHECK(found->at - found->since <= 0.025);  // ten samples
  REQUIRE(out.first(LiveFault::stuck, true));
  CHECK(out.first(LiveFault::stuck, true)->at == Approx(3));
  CHECK(out.findings.size() == 2);
}

TEST_CASE("an encoder that comes to rest is not stuck") {
  const auto core = three_sensors();
  const Collected out = run_spoilt(*core, 6, [](double t, double* row) {
    const double s = std::min(t, 3.0);  // slows down evenly, 2 rad/s²
    row[0] = std::round((6 * s - s * s) / 1e-4) * 1e-4;
    return true;
  });
  CHECK(!out.first(LiveFault::stuck));
}

TEST_CASE("a spike is named one sample behind it, with its size") {
  const auto core = three_sensors();
  const Collected out = run_spoilt(*core, 3, [](double t, double* row) {
    if (std::abs(t - 2) < 1e-6) row[2] += 5;
    return true;
  });
  const LiveFinding* found = out.first(LiveFault::spike, true);
  REQUIRE(found);
  CHECK(found->reading == 2);
  CHECK(found->since == Approx(2));
  CHECK(found->at == Approx(2.002));
  CHECK(found->amount == Approx(5).epsilon(0.02));
  CHECK(out.findings.size() == 1);
}

TEST_CASE("a source 50 ms off is named with its amount, and so is its return") {
  for (const double off : {0.05, -0.05}) {
    LiveOptions options;
    options.clock.rate = 200, options.clock.sources = 2;
    LiveCore core(std::make_unique<HandsOn>(std::vector<std::string>{"a", "b"}), options);
    Collected out(2);
    for (int k = 0; k < 2000; ++k) {
      const double t = 0.005 * k, shift = t >= 2 && t < 5 ? off : 0;
      const double first[2] = {t, std::nan("")}, second[2] = {std::nan(""), t};
      core.readings(0, t, at(t + 0.001), first, out);
      core.readings(1, t + shift, at(t + 0.001), second, out);
    }
    const LiveFinding *found = out.first(LiveFault::clock), *over = out.first(LiveFault::clock, true);
    REQUIRE(found);
    CHECK(found->source == 1);
    CHECK(found->amount == Approx(off).margin(1e-3));
    CHECK(found->at < 3.1);  // a second: the least delay of that time
    REQUIRE(over);
    CHECK(over->at < 6.1);
    CHECK(std::isfinite(out.rows.back()[2]));
  }
}

TEST_CASE("a contact whose flag is lost does not stand") {
  LiveCore core(std::make_unique<HandsOn>(std::vector<std::string>{"a", "flag"}), {});
  Collected out(2);
  double row[2] = {1, 1};
  core.readings(0, 0, at(0), row, out);
  CHECK(out.rows.back()[2] == 1);
  row[1] = std::nan("");
  core.readings(0, 0.1, at(0.1), row, out);
  CHECK(out.rows.back()[2] == 0);
}

TEST_CASE("over time each reading of every source enters one sample, a slow source's too") {
  LiveOptions options;
  options.clock.sources = 2;
  for (const auto& [over_time, rate] : {std::pair(true, 0.0), {true, 100.0}, {false, 0.0}})
    for (const int every : {1, 10}) {  // the first at 100 Hz, the second 3 ms later, at as much or at a tenth
      options.clock.rate = rate;
      LiveCore core(std::make_unique<HandsOn>(std::vector<std::string>{"a", "b"}, over_time), options);
      Collected out(2);
      std::vector<int> seen(500, 0);
      int between = 0;
      for (int k = 0; k < 500; ++k) {
        const double t = 0.01 * k, first[2] = {t, std::nan("")}, second[2] = {std::nan(""), k + 0.0};
        core.readings(0, t, at(t + 0.001), first, out);
        if (k % every == 0) core.readings(1, t + 0.003, at(t + 0.004), second, out);
      }
      core.finish(out);
      for (const auto& row : out.rows)
        if (std::isfinite(row[2])) row[2] == std::floor(row[2]) ? ++seen[static_cast<std::size_t>(row[2])] : ++between;
      INFO(every);
      if (!over_time) {  // interpolated: each enters two
        if (every == 1) CHECK(between > 400);
        continue;
      }
      CHECK(between == 0);
      // the interval of the first is known from its second reading on
      for (auto k = static_cast<std::size_t>(every); k < 500; k += static_cast<std::size_t>(every)) CHECK(seen[k] == 1);
    }
}

TEST_CASE("a slow source and a slow reading are missing only when they are") {
  LiveOptions options;
  options.clock.sources = 2;
  LiveCore core(std::make_unique<HandsOn>(std::vector<std::string>{"a", "b", "c"}), options);
  Collected out(3);
  for (int k = 0; k < 3000; ++k) {  // 500 Hz, the second source at 20 Hz, every 20th c; both stop after 4 s
    const double t = 0.002 * k, none = std::nan(""), first[3] = {t, none, k % 20 == 0 && t < 4 ? t : none},
                 second[3] = {none, t, none};
    core.readings(0, t, at(t), first, out);
    if (k % 25 == 0 && t < 4) core.readings(1, t, at(t + 0.0005), second, out);
    if (t < 4) REQUIRE(out.first(LiveFault::silent) == nullptr);
  }
  const LiveFinding* silent = out.first(LiveFault::silent);
  REQUIRE(silent);
  CHECK(silent->source == 1);
  CHECK(silent->at - silent->since == Approx(0.125).epsilon(0.05));
  const auto lacks = [&](int reading) {
    return std::count_if(out.findings.begin(), out.findings.end(),
                         [&](const LiveFinding& f) { return f.kind == LiveFault::missing && f.reading == reading; });
  };
  CHECK(lacks(0) == 0);
  CHECK(lacks(2) == 1);
}

TEST_CASE("a reading that comes after its sample was given enters the next one, and none that is older") {
  LiveOptions options;
  options.clock.sources = 2, options.clock.rate = 100;
  LiveCore core(std::make_unique<HandsOn>(std::vector<std::string>{"a", "b"}, true), options);
  Collected out(2);
  for (int k = 0; k < 200; ++k) {  // the second source at 10 Hz, which no sample waits for: 8 ms late, from 1 s on 16 ms
    const double t = 0.01 * k, first[2] = {t, std::nan("")}, stamp = t - (k < 100 ? 0.004 : 0.012),
                 late[2] = {std::nan(""), stamp};
    core.readings(0, t, at(t), first, out);
    if (k % 10 == 5) core.readings(1, stamp, at(t + 0.004), late, out);
  }
  core.finish(out);
  std::vector<double> ages;
  for (const auto& row : out.rows)
    if (std::isfinite(row[2])) ages.push_back(row[0] - row[2]);
  REQUIRE(ages.size() == 10);
  for (const double age : ages) CHECK(age == Approx(0.014));
}

TEST_CASE("on a clock that began anew gaps and spikes are found as before") {
  LiveCore core(std::make_unique<HandsOn>(std::vector<std::string>{"a", "b"}), {});
  Collected out(2);
  std::mt19937 rng(4);
  std::normal_distribution<double> noise(0, 0.01);
  const auto give = [&](double stamp, double arrives, bool has_b, double spike) {
    const double row[2] = {noise(rng) + spike, has_b ? noise(rng) : std::nan("")};
    core.readings(0, stamp, at(arrives), row, out);
  };
  for (int k = 0; k < 1000; ++k) give(100 + 0.002 * k, 0.002 * k, true, k == 900 ? 5 : 0);
  REQUIRE(out.first(LiveFault::spike, true));
  out.findings.clear();
  for (int k = 0; k < 1000; ++k) give(0.002 * k, 2 + 0.002 * k, k < 500, k == 400 ? 5 : 0);
  REQUIRE(out.first(LiveFault::restarted));
  const LiveFinding *spike = out.first(LiveFault::spike, true), *missing = out.first(LiveFault::missing);
  REQUIRE(spike);
  CHECK(spike->since == Approx(0.8));
  REQUIRE(missing);
  CHECK(missing->reading == 1);
  CHECK(missing->at - 1 <= 0.02);
}

TEST_CASE("a time before a reading is missing that is none is refused") {
  for (const double wrong : {std::nan(""), -0.01, 1.0 * INFINITY}) {
    LiveOptions options;
    options.missing_after = wrong;
    CHECK_THROWS_AS(LiveCore(std::make_unique<HandsOn>(std::vector<std::string>{"a"}), options), std::invalid_argument);
  }
}
