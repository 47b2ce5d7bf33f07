// Findings and changes of a live run.
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

TEST_CASE("changes are read, refused with a reason, and hold from the next sample on") {
  auto estimate = std::make_unique<HandsOn>(std::vector<std::string>{"a", "b", "flag"});
  HandsOn& inside = *estimate;
  LiveCore core(std::move(estimate), {});
  Collected out(3);
  const auto& readings = core.estimate().readings();
  const auto ask = [&](const char* line, double t) {
    std::string why;
    for (const LiveChange& change : read_live_changes(line, readings, why)) core.change(change, at(t), out);
    return why;
  };
  const auto give = [&](double t, double a) {
    const double row[3] = {a, 2, 1};
    core.readings(0, t, at(t), row, out);
    return out.rows.back();
  };
  give(0, 5), give(0.1, 5);
  CHECK(ask("offset a 1.5", 0.15).empty());
  CHECK(give(0.2, 5)[1] == 3.5);
  CHECK(ask("flag flag 0", 0.25).empty());
  CHECK(give(0.3, 5)[3] == 0);
  CHECK(ask("flag flag read", 0.35).empty());
  CHECK(give(0.4, 5)[3] == 1);
  CHECK(ask("tare b", 0.45).empty());
  give(0.5, 5), give(0.6, 5), give(0.7, 5);
  CHECK(out.rows.back()[2] == 0);
  CHECK(ask("sigma b 0.25", 0.75).empty());
  REQUIRE(inside.sigmas.size() == 1);
  CHECK(inside.sigmas[0] == std::make_pair(std::size_t{1}, 0.25));
  for (const auto& [line, expected] : {std::pair("", "nothing; expected sigma"),
                                       {"sigma", "0 words; expected 2"},
                                       {"sigma a", "1 words; expected 2"},
                                       {"sigma a -1", "expected a number above 0"},
                                       {"sigma a nan", "expected a number above 0"},
                                       {"offset a 1e999", "expected a number"},
                                       {"offset nobody 1", "no sensor or column nobody"},
                                       {"flag a 1", "a is no contact's flag"},
                                       {"flag flag 2", "expected 0, 1 or read"},
                                       {"tare a 1", "2 words; expected 1"},
                                       {"scale a 2", "scale; expected sigma"}})
    CHECK_THAT(ask(line, 1), Catch::Contains(expected));
  LiveChange change;
  change.kind = LiveChange::Kind::offset, change.reading = 1, change.value = 0.1;
  std::string why;
  const auto again = read_live_changes(live_change_text(change, readings), readings, why);
  REQUIRE(again.size() == 1);
  CHECK((again[0].kind == change.kind && again[0].reading == 1 && again[0].value == 0.1));
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
