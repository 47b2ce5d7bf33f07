// Changes that are asked for in a live run.
#include <algorithm>
#include <catch2/catch.hpp>

#include "collected.hpp"
#include "support/walking_robot.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

TEST_CASE("changes are read, refused with a reason, and hold from the next sample on") {
  auto estimate = std::make_unique<HandsOn>(std::vector<std::string>{"a", "b", "flag"});
  HandsOn& inside = *estimate;
  LiveCore core(std::move(estimate), {});
  Collected out(3);
  const LiveEstimate& named = core.estimate();
  const auto ask = [&](const char* line, double t) {
    std::string why;
    for (const LiveChange& change : read_live_changes(line, named, why)) core.change(change, at(t), out);
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
  const auto again = read_live_changes(live_change_text(change, named), named, why);
  REQUIRE(again.size() == 1);
  CHECK((again[0].kind == change.kind && again[0].reading == 1 && again[0].value == 0.1));
}

TEST_CASE("names with blanks and quotes stand in quotes, and changes of them read back as they are written") {
  const std::vector<std::string> names{"left hand",         "plain",    "5\" disc", "back\\slash end", "\"",
                                       "tab\tand  blanks ", "line\nend"};
  const HandsOn estimate(names);
  for (std::size_t k = 0; k < names.size(); ++k) {
    LiveChange change;
    change.kind = LiveChange::Kind::offset, change.reading = static_cast<int>(k), change.value = -0.25;
    const std::string text = live_change_text(change, estimate);
    INFO(text);
    std::string why;
    const auto again = read_live_changes(text, estimate, why);
    INFO(why);
    REQUIRE(again.size() == 1);
    CHECK((again[0].reading == change.reading && again[0].value == change.value));
  }
  CHECK(live_change_text({LiveChange::Kind::tare, 1, 0, {}}, estimate) == "tare y.plain");
  CHECK(live_change_text({LiveChange::Kind::tare, 0, 0, {}}, estimate) == "tare \"y.left hand\"");
  for (const auto& [line, expected] : {std::pair("tare left hand", "tare with 2 words; expected 1"),
                                       {"tare \"left hand", "tare with an open quote; expected \"NAME\""},
                                       {"tare \"left hand\\\"", "tare with an open quote"},
                                       {"offset \"left hand\"1", "offset with an open quote"},
                                       {"\"", "a line with an open quote"},
                                       {"tare \"\"", "no sensor or column"}}) {
    std::string why;
    CHECK(read_live_changes(line, estimate, why).empty());
    CHECK_THAT(why, Catch::Contains(expected));
  }
}

TEST_CASE("a tare lasts a fifth of a second by the samples' time, whenever it is asked for") {
  for (const double period : {0.002, 0.05, 1.0})
    for (const int asked_after : {0, 1, 20}) {
      LiveCore core(std::make_unique<HandsOn>(std::vector<std::string>{"a"}), {});
      Collected out(1);
      double asked_at = 0;
      for (int k = 0; k < asked_after + 300; ++k) {
        const double t = period * k, value = k % 2 == 0 ? 4 : 6;
        if (k == asked_after) core.change({LiveChange::Kind::tare, 0, 0}, at(asked_at = t), out);
        core.readings(0, t, at(t), &value, out);
      }
      INFO(period << " " << asked_after);
      const LiveFinding* found = out.first(LiveFault::changed);
      REQUIRE(found);
      CHECK(found->amount == Approx(5).margin(0.35));
      CHECK(found->at - asked_at <= std::max(0.2, period) + 1e-9);
      CHECK(std::abs(out.rows.back()[1]) == Approx(1).margin(0.35));
    }
}

TEST_CASE("a tare of an angle takes off whole turns, an orientation has none, nor an offset") {
  auto estimate = std::make_unique<HandsOn>(std::vector<std::string>{});
  for (const char* name : {"q.hinge", "y.imu.qx", "y.imu.qy", "y.imu.qz", "y.imu.qw"}) estimate->add(name, "");
  LiveCore core(std::move(estimate), {});
  Collected out(5);
  core.change({LiveChange::Kind::tare, 0, 0}, at(0), out);
  for (int k = 0; k < 200; ++k) {
    const double row[5] = {k % 2 == 0 ? 3.14 : -3.14, 0, 0, 0, 1};
    core.readings(0, 0.002 * k, at(0.002 * k), row, out);
  }
  const LiveFinding* found = out.first(LiveFault::changed);
  REQUIRE(found);
  CHECK(std::remainder(found->amount - std::acos(-1.0), 2 * std::acos(-1.0)) == Approx(0).margin(1e-3));
  for (const LiveChange::Kind kind : {LiveChange::Kind::tare, LiveChange::Kind::offset}) {
    out.findings.clear();
    core.change({kind, 2, 0.5}, at(1), out);
    REQUIRE(out.first(LiveFault::refused));
    CHECK(out.first(LiveFault::refused)->reading == 2);
  }
  for (const char* line : {"tare y.imu.qy", "offset y.imu.qw 1"}) {
    std::string why;
    CHECK(read_live_changes(line, core.estimate(), why).empty());
    CHECK_THAT(why, Catch::Contains("a component of an orientation"));
  }
}

TEST_CASE("a change means the reading of that name, before another that may be read from its column") {
  HandsOn estimate({});
  estimate.add(std::vector<std::string>{"y.a", "y.b"}, ""), estimate.add("y.b", "");
  std::string why;
  const auto found = read_live_changes("offset y.b 1", estimate, why);
  REQUIRE(found.size() == 1);
  CHECK(found[0].reading == 1);
}

TEST_CASE("a sensor's noise is changed over time as well") {
  const WalkLog log = walk(200, 250, 3);
  const auto system = std::make_shared<const System>(walking_quadruped(), walking_sensors());
  TrackerOptions wanted;
  wanted.outputs = {"q.base"}, wanted.deviations = true;
  double deviation[2] = {0, 0};
  for (const bool changed : {false, true}) {
    LiveCore core(live_tracker(Tracker(system, wanted), *system), {});
    const auto& columns = core.estimate().columns();
    Collected out(columns.size());
    std::string why;
    for (std::size_t k = 0; k < log.readings.size(); ++k) {
      if (changed && k == 100)
        for (const LiveChange& change : read_live_changes("sigma gyroscope 3", core.estimate(), why))
          core.change(change, at(log.dt * static_cast<double>(k)), out);
      core.readings(0, log.dt * static_cast<double>(k), at(log.dt * static_cast<double>(k)), log.readings[k].data(), out);
    }
    CHECK(why.empty());
    CHECK(out.first(LiveFault::refused) == nullptr);
    const auto at_column = std::find(columns.begin(), columns.end(), "sd.q.base.rx") - columns.begin();
    REQUIRE(at_column < static_cast<std::ptrdiff_t>(columns.size()));
    deviation[changed] = out.rows.back()[static_cast<std::size_t>(at_column + 1)];
  }
  CHECK(deviation[1] > 2 * deviation[0]);
}
