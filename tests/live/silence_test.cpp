// When a source is called silent: ways that hold readings back, clocks that are wrong, begin anew or are fast.
#include <catch2/catch.hpp>

#include "collected.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

TEST_CASE("a source whose readings come in bursts is silent only when it stops") {
  for (const double first_stamp : {0.0, 1.7e9}) {
    LiveCore core(std::make_unique<HandsOn>(std::vector<std::string>{"a"}), {});
    Collected out(1);
    double last = 0;
    for (int k = 0; k < 800; ++k) {  // 200 Hz, handed on twenty at a time
      const double arrives = 0.1 * (k / 20) + 1e-5 * (k % 20), value = k;
      core.readings(0, first_stamp + 0.005 * k, at(last = arrives), &value, out);
    }
    CHECK(out.findings.empty());
    core.until(at(last + 0.2), out);
    const LiveFinding* silent = out.first(LiveFault::silent);
    REQUIRE(silent);
    CHECK(silent->at - silent->since < 0.16);
  }
}

TEST_CASE("after a while without bursts silence is named as soon as before them") {
  LiveCore core(std::make_unique<HandsOn>(std::vector<std::string>{"a"}), {});
  Collected out(1);
  double arrives = 0;
  for (int k = 0; k < 5000; ++k) {  // 500 Hz; once the way holds fifty back
    const double stamp = 0.002 * k, value = k;
    arrives = k >= 500 && k < 550 ? 1.1 + 1e-6 * k : stamp;
    core.readings(0, stamp, at(arrives), &value, out);
  }
  core.until(at(arrives + 0.05), out);
  REQUIRE(out.first(LiveFault::silent));
  CHECK(out.findings.back().at - out.findings.back().since <= 0.0121);
}

TEST_CASE("stamps that are wrong, a clock that begins anew, and one that is fast leave silence found as soon") {
  struct Case {
    double wrong_at, anew_at, speed;  // s that pass; of the clock
  };
  for (const auto& [wrong_at, anew_at, speed] : {Case{9, 9, 1}, {3.8, 9, 1}, {9, 3.5, 1}, {9, 9, 3}, {9, 9, 10}, {9, 9, 0.3}}) {
    INFO(wrong_at << ' ' << anew_at << ' ' << speed);
    LiveCore core(std::make_unique<HandsOn>(std::vector<std::string>{"a"}), {});
    Collected out(1);
    double last = 0;
    for (int k = 0; k < 400; ++k) {  // 100 Hz
      const double passed = last = 0.01 * k, value = k;
      const double stamp = std::abs(passed - wrong_at) < 1e-6 ? 1e6 : speed * passed + (passed < anew_at ? 100 : 0);
      core.readings(0, stamp, at(passed), &value, out);
    }
    CHECK(!out.first(LiveFault::silent));
    core.until(at(last + 2), out);
    const LiveFinding* silent = out.first(LiveFault::silent);
    REQUIRE(silent);
    CHECK(silent->at - silent->since == Approx(0.025).epsilon(1e-3));
    const double stamp = speed * last + (last < anew_at ? 100 : 0);
    CHECK(silent->since == Approx(stamp));
  }
}

TEST_CASE("silence after a stamp that is wrong is told on the clock that was believed") {
  LiveCore core(std::make_unique<HandsOn>(std::vector<std::string>{"a"}), {});
  Collected out(1);
  const double value = 1;
  for (int k = 0; k < 200; ++k) core.readings(0, 0.01 * k, at(0.01 * k), &value, out);
  core.readings(0, 1e6, at(2), &value, out);
  core.until(at(3), out);
  const LiveFinding* silent = out.first(LiveFault::silent);
  REQUIRE(silent);
  CHECK(silent->since == Approx(2));
  CHECK(silent->at == Approx(2.025));
}

TEST_CASE("bursts of a clock that is fast are no silence once the clock is known") {
  LiveCore core(std::make_unique<HandsOn>(std::vector<std::string>{"a"}), {});
  Collected out(1);
  double last = 0;
  for (int k = 0; k < 2000; ++k) {  // 200 Hz, thrice as fast as ours, twenty at a time
    const double value = k;
    core.readings(0, 0.015 * k, at(last = 0.1 * (k / 20) + 1e-5 * (k % 20)), &value, out);
  }
  CHECK(out.findings.empty());
  core.until(at(last + 0.2), out);
  REQUIRE(out.first(LiveFault::silent));
}

TEST_CASE("a source that slows down is silent for a while, not for ever") {
  LiveCore core(std::make_unique<HandsOn>(std::vector<std::string>{"a"}), {});
  Collected out(1);
  double t = 0;
  const auto give = [&](double step) {
    const double value = t += step;
    core.readings(0, t, at(t), &value, out);
  };
  for (int k = 0; k < 500; ++k) give(0.002);
  for (int k = 0; k < 100; ++k) give(0.1);
  REQUIRE(out.first(LiveFault::silent));
  CHECK(out.findings.size() < 60);
  out.findings.clear();
  for (int k = 0; k < 100; ++k) give(0.1);
  CHECK(out.findings.empty());
}
