// A fault beside something else that is wrong: masses that are not those of the robot's file, rows that were lost.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "inspection/faults.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

std::vector<double>& column_of(RecordedLog& log, const std::string& name) {
  const auto at = std::find(log.columns.begin(), log.columns.end(), name);
  REQUIRE(at != log.columns.end());
  return log.values[static_cast<std::size_t>(at - log.columns.begin())];
}

void scale(Inertia<double>& I, double factor) {
  I.m *= factor, I.h = factor * I.h;
  for (double* moment : {&I.moments.xx, &I.moments.yy, &I.moments.zz, &I.moments.xy, &I.moments.xz, &I.moments.yz})
    *moment *= factor;
}

std::vector<FindingKind> kinds(const Inspection& found) {
  std::vector<FindingKind> all;
  for (const Finding& f : found.findings) all.push_back(f.kind);
  return all;
}

std::string named(const Inspection& found) {
  std::string text;
  for (const Finding& f : found.findings) text += std::string(finding_name(f.kind)) + "(" + f.columns.front() + ") ";
  return text;
}

}  // namespace

TEST_CASE("a torque of the other sign is found where the robot is lighter or heavier than its file says") {
  for (const double factor : {0.88, 1.12})
    for (const char* joint : {"joint1", "joint2", "joint3", "joint4", "joint5"}) {
      const SensedRobot robot = sensed_robot("arm");
      SensedRobot other = robot;
      for (Body& body : other.model.bodies) scale(body.inertia, factor);
      RecordedLog log = made_log(other, 1);
      const std::string name = std::string("tau.") + joint;
      for (double& tau : column_of(log, name)) tau *= -1;
      const Inspection found = inspect(robot.model, log);
      INFO(factor << " " << joint << ": " << named(found));
      CHECK(place_of(found, FindingKind::torque_sign, {name}) == 0);
      for (const Finding& finding : found.findings) CHECK(finding.kind != FindingKind::torque_of_other_joint);
    }
}

TEST_CASE("a torque of the other sign and another scale is both, and the words say the factor") {
  const SensedRobot robot = sensed_robot("arm");
  const RecordedLog clean = made_log(robot, 1);
  struct Case {
    double factor;
    bool scale;
  };
  for (const Case& c :
       {Case{-0.88, false}, {-1.12, false}, {-0.6, true}, {-0.7, true}, {-1.5, true}, {-1.75, true}, {-0.3, true}, {-5, true}})
    for (const char* joint : {"joint1", "joint2", "joint3", "joint4"}) {
      RecordedLog log = clean;
      const std::string name = std::string("tau.") + joint;
      for (double& tau : column_of(log, name)) tau *= c.factor;
      const Inspection found = inspect(robot.model, log);
      INFO(c.factor << " " << joint << ": " << named(found));
      const int sign = place_of(found, FindingKind::torque_sign, {name});
      REQUIRE(sign == 0);
      CHECK((place_of(found, FindingKind::torque_scale, {name}) >= 0) == c.scale);
      const std::string& evidence = found.findings[0].evidence;
      const std::string opening = name + " is −";
      REQUIRE(evidence.rfind(opening, 0) == 0);
      const double said = std::stod(evidence.substr(opening.size()));
      CHECK(std::abs(std::log(said / -c.factor)) < 0.15);  // friction hides in the factor
    }
}

TEST_CASE("a torque of the other sign and another scale is found beside a torque that the model lacks") {
  const SensedRobot robot = sensed_robot("arm");
  const RecordedLog clean = made_log(robot, 1);
  for (const double factor : {-0.6, -0.65, -0.7, -0.88, -1.12, -1.4, -1.5, -1.6, -2.6})
    for (const double share : {0.12, 0.16, 0.20})  // of the squares
      for (const char* joint : {"joint1", "joint2", "joint4"}) {
        RecordedLog log = clean;
        const std::string name = std::string("tau.") + joint;
        std::vector<double>& torque = column_of(log, name);
        double squares = 0;
        for (double tau : torque) squares += tau * tau;
        const double amplitude = std::sqrt(2 * share / (1 - share) * squares / static_cast<double>(torque.size()));
        for (std::size_t i = 0; i < torque.size(); ++i)
          torque[i] = factor * (torque[i] - amplitude * std::sin(2 * M_PI * 0.009 * static_cast<double>(i) + 1));
        const Inspection found = inspect(robot.model, log);
        INFO(factor << " " << share << " " << joint << ": " << named(found));
        const int sign = place_of(found, FindingKind::torque_sign, {name});
        REQUIRE(sign == 0);
        CHECK(found.findings[0].severity == Severity::harm);
        if (factor == -2.6) CHECK(place_of(found, FindingKind::torque_scale, {name}) >= 0);
      }
}

namespace {

/// A log whose q.joint2 stands still for `length` samples a quarter of the way, and that loses 40 rows in the middle. An
/// encoder's steps hide its noise. `origin`: the time of the first row; `digit`: what times are rounded to, 0 for none.
RecordedLog log_with_lost_rows(const SensedRobot& robot, double rate, std::size_t length, double origin, double digit) {
  MadeLogOptions options;
  options.rate = rate, options.samples = static_cast<std::size_t>(8 * rate);
  RecordedLog log = made_log(robot, 1, options);
  std::vector<double>& position = column_of(log, "q.joint2");
  const std::size_t first = options.samples / 4;
  for (double& value : position) value = 1e-3 * std::round(1e3 * value);
  for (std::size_t i = first; i < first + length; ++i) position[i] = position[first];
  std::vector<double>& time = column_of(log, "time");
  for (std::size_t i = 0; i < time.size(); ++i) {
    time[i] = origin + static_cast<double>(i) / rate;
    if (digit > 0) time[i] = std::stod(std::to_string(std::round(time[i] / digit) * digit));
  }
  for (std::vector<double>& values : log.values) {
    const auto lost = values.begin() + static_cast<std::ptrdiff_t>(options.samples / 2);
    values.erase(lost, lost + 40);
  }
  return log;
}

}  // namespace

TEST_CASE("a position that stands still is found where rows are lost elsewhere, whatever digits the times have") {
  const SensedRobot robot = sensed_robot("arm");
  struct Times {
    double rate, origin, digit;
  };
  for (const Times& times : {Times{250, 0, 0},
                             {400, 0, 0},
                             {240, 0, 1e-6},
                             {300, 0, 1e-6},
                             {240, 1.7e9, 0},
                             {300, 1.7e9, 0},
                             {240, 1.7e9, 1e-6},
                             {240, 0, 1e-3},
                             {400, 0, 1e-3}})
    for (const std::size_t length : {60u, 61u, 62u, 63u, 64u, 65u}) {
      const RecordedLog log = log_with_lost_rows(robot, times.rate, length, times.origin, times.digit);
      const Inspection found = inspect(robot.model, log);
      INFO(times.rate << " Hz from " << times.origin << " s in steps of " << times.digit << " s, " << length
                      << " samples: " << named(found));
      CHECK(place_of(found, FindingKind::stuck, {"q.joint2"}) >= 0);
      CHECK(place_of(found, FindingKind::gap, {"time"}) >= 0);
      CHECK(found.rate == Approx(times.rate).epsilon(times.digit == 1e-3 ? 1e-3 : 1e-6));
      CHECK(found.duration == Approx(8 - 1 / times.rate).margin(2e-3));
    }
}

TEST_CASE("a column in steps is found where times repeat, though the line over these rows leaves the steps") {
  const SensedRobot robot = sensed_robot("arm");
  RecordedLog log = made_log(robot, 1);
  std::vector<double>& q = column_of(log, "q.joint2");
  std::vector<long> steps;
  for (double& angle : q) steps.push_back(std::lround(angle / 0.01)), angle = 0.01 * static_cast<double>(steps.back());
  std::vector<double>& time = column_of(log, "time");
  // The line crosses halves of a step over one repeated time, and thirds of one over two.
  std::size_t one = 100, two = 300;
  while ((steps[one + 1] - steps[one - 1]) % 2 == 0) ++one;
  while ((steps[two + 2] - steps[two - 1]) % 3 == 0) ++two;
  time[one] = time[one - 1], time[two] = time[two + 1] = time[two - 1];
  const Inspection found = inspect(robot.model, log);
  INFO(named(found));
  CHECK(place_of(found, FindingKind::quantised, {"q.joint2"}) >= 0);
  CHECK(place_of(found, FindingKind::time_back, {"time"}) == 0);
}

TEST_CASE("the last row counts, whatever digits the times have") {
  const SensedRobot robot = sensed_robot("arm");
  for (const double rate : {240.0, 300.0}) {
    RecordedLog log = log_with_lost_rows(robot, rate, 1, 0, 1e-6);
    const std::size_t rows = log.values[0].size();
    log.lines.resize(rows);
    for (std::size_t i = 0; i < rows; ++i) log.lines[i] = static_cast<long>(i) + 2;
    for (double& tau : column_of(log, "tau.joint2")) tau *= -1;
    const Inspection found = inspect(robot.model, log);
    INFO(rate << " Hz: " << named(found));
    const int sign = place_of(found, FindingKind::torque_sign, {"tau.joint2"});
    REQUIRE(sign >= 0);
    CHECK(found.findings[static_cast<std::size_t>(sign)].from_line == 2);
    CHECK(found.findings[static_cast<std::size_t>(sign)].to_line == log.lines.back());
  }
}

TEST_CASE("times of three digits at 240 Hz are rounded, and named so") {
  const SensedRobot robot = sensed_robot("arm");
  MadeLogOptions options;
  options.rate = 240;
  RecordedLog log = made_log(robot, 1, options);
  for (double& t : column_of(log, "time")) t = 1e-3 * std::round(1e3 * t);
  const Inspection found = inspect(robot.model, log);
  INFO(named(found));
  REQUIRE(found.findings.size() == 1);
  CHECK(found.findings[0].kind == FindingKind::time_uneven);
  CHECK(found.findings[0].severity == Severity::note);
  CHECK(found.findings[0].likely.find("rounded") != std::string::npos);
  CHECK(found.rate == Approx(240).epsilon(1e-3));
}

TEST_CASE("rows that repeat a time, and rows out of order, do not make times uneven") {
  const SensedRobot robot = sensed_robot("arm");
  for (const double rate : {100.0, 240.0}) {
    MadeLogOptions options;
    options.rate = rate;
    const RecordedLog clean = made_log(robot, 1, options);
    RecordedLog twice = clean, now_and_then = clean, swapped = clean;
    for (std::size_t c = 0; c < clean.columns.size(); ++c) {
      twice.values[c].clear(), now_and_then.values[c].clear();
      for (std::size_t i = 0; i < clean.values[c].size(); ++i) {
        twice.values[c].insert(twice.values[c].end(), 2, clean.values[c][i]);
        now_and_then.values[c].insert(now_and_then.values[c].end(), i % 50 == 10 ? 2 : 1, clean.values[c][i]);
      }
      for (const std::size_t row : {200u, 500u, 701u}) std::swap(swapped.values[c][row], swapped.values[c][row + 1]);
    }
    for (const RecordedLog* log : {&twice, &now_and_then, &swapped}) {
      const Inspection found = inspect(robot.model, *log);
      INFO(rate << " Hz, " << log->values[0].size() << " rows: " << named(found));
      CHECK(kinds(found) == std::vector<FindingKind>{FindingKind::time_back});
      CHECK(found.rate == Approx(rate).epsilon(1e-9));
    }
  }
}

namespace {

/// The arm's log at this rate, with times in whole ms.
RecordedLog log_in_ms(double rate, std::size_t rows) {
  MadeLogOptions options;
  options.rate = rate, options.samples = rows;
  RecordedLog log = made_log(sensed_robot("arm"), 1, options);
  for (double& t : column_of(log, "time")) t = 1e-3 * std::round(1e3 * t);
  return log;
}

}  // namespace

TEST_CASE("times in ms are rounded at rates just below 1 kHz, from an epoch, and in logs of a second or less") {
  const SensedRobot robot = sensed_robot("arm");
  struct Case {
    double rate;
    std::size_t rows;
    double origin;
  };
  for (const Case& c : {Case{690, 2000, 0},
                        {750, 2000, 0},
                        {800, 2000, 0},
                        {800, 2000, 1.7e9},
                        {833, 2000, 0},
                        {900, 2000, 0},
                        {950, 2000, 0},
                        {800, 60, 0},
                        {240, 60, 0},
                        {240, 120, 0},
                        {170, 40, 0},
                        {300, 100, 0}}) {
    RecordedLog log = log_in_ms(c.rate, c.rows);
    for (double& t : column_of(log, "time")) t += c.origin;
    const Inspection found = inspect(robot.model, log);
    INFO(c.rate << " Hz, " << c.rows << " rows from " << c.origin << " s: " << named(found));
    REQUIRE(kinds(found) == std::vector<FindingKind>{FindingKind::time_uneven});
    CHECK(found.findings[0].severity == Severity::note);
    CHECK(found.findings[0].likely.find("rounded") != std::string::npos);
    CHECK(found.rate == Approx(c.rate).epsilon(1.0 / static_cast<double>(c.rows)));
  }
}

TEST_CASE("rows of 1 kHz that are lost at random are lost, though their times are those of a rate below it in ms") {
  const SensedRobot robot = sensed_robot("arm");
  for (const unsigned share : {2u, 5u, 10u, 25u}) {  // per cent
    RecordedLog log = log_in_ms(1000, 2000);
    std::mt19937 rng(share);
    std::vector<bool> lost;
    for (std::size_t i = 0; i < 2000; ++i) lost.push_back(rng() % 100 < share);
    for (std::vector<double>& values : log.values) {
      std::size_t kept = 0;
      for (std::size_t i = 0; i < lost.size(); ++i)
        if (!lost[i]) values[kept++] = values[i];
      values.resize(kept);
    }
    const Inspection found = inspect(robot.model, log);
    INFO(share << " %: " << named(found));
    CHECK(found.rate == Approx(1000).epsilon(1e-6));
    const int uneven = place_of(found, FindingKind::time_uneven, {"time"});
    REQUIRE(uneven >= 0);
    CHECK(found.findings[static_cast<std::size_t>(uneven)].likely.find("lost") != std::string::npos);
  }
}

TEST_CASE("times in whole ms that jitter by one at 100 Hz are not rounded") {
  const SensedRobot robot = sensed_robot("arm");
  RecordedLog log = made_log(robot, 1);
  std::mt19937 rng(3);
  for (double& t : column_of(log, "time")) t = 1e-3 * (std::round(1e3 * t) + static_cast<double>(rng() % 3));
  const Inspection found = inspect(robot.model, log);
  INFO(named(found));
  REQUIRE(place_of(found, FindingKind::time_uneven, {"time"}) == 0);
  CHECK(found.findings[0].likely.find("rounded") == std::string::npos);
}

TEST_CASE("rows know when they were taken, with times that repeat, that are missing, and in ms") {
  const SensedRobot robot = sensed_robot("arm");
  const RecordedLog clean = made_log(robot, 1);
  const auto check = [&](const RecordedLog& log, std::size_t row, double due) {
    const Inspection found = inspect(robot.model, log);
    INFO(named(found));
    REQUIRE(found.times.size() == log.values[0].size());
    CHECK(found.times[row] == Approx(due).margin(1e-12));
    for (std::size_t i = 1; i < found.times.size(); ++i) CHECK(found.times[i] >= found.times[i - 1]);
    REQUIRE_FALSE(found.torques.empty());
    CHECK(found.torques[0].time.back() <= found.times.back() + 1e-9);
  };
  RecordedLog log = clean;
  column_of(log, "time")[500] = column_of(log, "time")[499];
  check(log, 500, 4.99);
  CHECK(kinds(inspect(robot.model, log)) == std::vector<FindingKind>{FindingKind::time_back});
  log = clean, column_of(log, "time")[500] = std::nan("");
  check(log, 500, 5.0);
  const Inspection empty = inspect(robot.model, log);  // the row is there: none was lost
  REQUIRE(kinds(empty) == std::vector<FindingKind>{FindingKind::gap});
  CHECK(empty.findings[0].evidence == "1 row without a time");
  CHECK(empty.findings[0].from_line == 501);
  CHECK(empty.findings[0].to_line == 501);
  log = clean, column_of(log, "time")[0] = column_of(log, "time")[999] = std::nan("");
  check(log, 0, 0), check(log, 999, 9.99);
  for (const std::size_t row : {1u, 2u, 400u, 401u, 402u}) column_of(log, "time")[row] = std::nan("");
  check(log, 2, 0.02), check(log, 401, 4.01), check(log, 403, 4.03);
  log = clean;
  for (double& t : column_of(log, "time")) t = 1.7e12 + 1000 * t;
  check(log, 999, 9.99);
  log = clean;
  for (std::size_t i = 500; i < 1000; ++i) column_of(log, "time")[i] -= 3;
  CHECK(inspect(robot.model, log).times.empty());
}
