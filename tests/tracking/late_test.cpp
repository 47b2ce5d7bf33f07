// Estimates some samples late and from the whole log; and what breaks a log.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "sparsedyn/tracking/tracked_log.hpp"
#include "support/heap.hpp"
#include "support/tracker_columns.hpp"
#include "support/walking_robot.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

Tracker late_walker(int lag = 0, bool slip = true) {
  TrackerOptions options;
  options.outputs = {"q", "dq.base", "bias"};
  options.deviations = true, options.lag = lag, options.slip = slip;
  return Tracker(std::make_shared<const System>(walking_quadruped(), walking_sensors()), options);
}

std::vector<double> flat(const WalkLog& log) {
  std::vector<double> y;
  for (const auto& row : log.readings) y.insert(y.end(), row.begin(), row.end());
  return y;
}

double speed_error(const Tracker& tracker, const double* out, const std::vector<double>& v) {
  const std::size_t at = column_of(tracker, "dq.base.vx");
  double sum = 0;
  for (std::size_t c = 0; c < 3; ++c) sum += std::pow(out[at + c] - v[3 + c], 2);
  return sum;
}

/// A robot that stands on one sole, blind for two seconds in which it turns by two radians about a hip: the second row that
/// sees it after that (`breaks`) asks for a correction of more than a radian.
struct TurnedOnOneSole {
  static constexpr long rows = 340, sees = 300, breaks = 302, late = 5;
  static constexpr double dt = 0.01;
  std::vector<double> start, readings;
  std::vector<double> row(long k) const {
    std::vector<double> y = readings;
    y[18] = 1, y[12] += 0.001 * std::sin(static_cast<double>(k));
    if (k >= 100 && k < sees) std::fill_n(y.begin(), 18, nothing);
    if (k >= sees) y[1] += 2;
    return y;
  }
  std::vector<double> flat(long end) const {
    std::vector<double> all;
    for (long k = 0; k < end; ++k) {
      const std::vector<double> y = row(k);
      all.insert(all.end(), y.begin(), y.end());
    }
    return all;
  }
};

TurnedOnOneSole turned_on_one_sole() {
  const WalkLog log = walk(1, 100, 5);
  std::vector<double> readings = log.readings[0];
  readings.resize(19);
  return {log.q[0], readings};
}

/// Its tracker; delay: of the sole's flag, s.
Tracker on_one_sole(double delay, int lag) {
  SensorSet set = walking_sensors();
  set.sensors.resize(4);
  set.sensors[3].over_time.contact.points = {{{0.1, 0.1, 0}}, {{-0.1, 0.1, 0}}, {{0, -0.1, 0}}};
  set.sensors[3].over_time.delay = delay;
  TrackerOptions options;
  options.outputs = {"q.base", "dq.base"}, options.deviations = true, options.lag = lag;
  return Tracker(std::make_shared<const System>(walking_quadruped(), set), options);
}

bool finite(const std::vector<double>& out) {
  return std::all_of(out.begin(), out.end(), [](double x) { return std::isfinite(x); });
}

}  // namespace

TEST_CASE("looking back over all samples is one pass over the whole log, whose last sample is the filter's") {
  const WalkLog log = walk(80, 250, 9);
  Tracker tracker = late_walker(79);
  const std::size_t columns = tracker.columns().size();
  std::vector<double> newest(columns), late(columns), all(columns * log.q.size());
  tracker.start(log.q[0].data(), log.v[0].data());
  for (const auto& y : log.readings) REQUIRE(tracker.step(y.data(), log.dt, newest.data()).ok);
  const std::vector<double> dt(log.q.size(), log.dt);
  for (const TrackerStep& step : smooth(tracker, flat(log), dt, 1, all.data())) REQUIRE(step.ok);
  for (int back = 0; back < 80; ++back) {
    REQUIRE(tracker.delayed(back, late.data()));
    const double* whole = all.data() + columns * static_cast<std::size_t>(79 - back);
    for (std::size_t c = 0; c < columns; ++c) CHECK(late[c] == Approx(whole[c]).epsilon(1e-12).margin(1e-14));
  }
  for (std::size_t c = 0; c < columns; ++c) CHECK(all[79 * columns + c] == Approx(newest[c]).epsilon(1e-12).margin(1e-14));
  CHECK_FALSE(tracker.delayed(80, late.data()));
  CHECK_FALSE(tracker.delayed(-1, late.data()));
}

TEST_CASE("later readings help: the whole log errs less than the filter, and says so") {
  double filtered = 0, smoothed = 0, filter_sd = 0, batch_sd = 0;
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const WalkLog log = walk(750, 250, seed);
    Tracker tracker = late_walker();
    const std::size_t columns = tracker.columns().size();
    const std::size_t sd = column_of(tracker, "sd.dq.base.vx");
    std::vector<double> out(columns), all(columns * log.q.size());
    tracker.start(log.q[0].data(), log.v[0].data());
    const auto steps = smooth(tracker, flat(log), std::vector<double>(log.q.size(), log.dt), 3, all.data());
    for (std::size_t k = 0; k < log.q.size(); ++k) {
      REQUIRE(tracker.step(log.readings[k].data(), log.dt, out.data()).ok);
      REQUIRE(steps[k].ok);
      if (k < 250 || k > 700) continue;
      filtered += speed_error(tracker, out.data(), log.v[k]);
      smoothed += speed_error(tracker, all.data() + k * columns, log.v[k]);
      filter_sd += out[sd], batch_sd += all[k * columns + sd];
    }
  }
  CHECK(smoothed < 0.8 * filtered);
  CHECK(batch_sd < filter_sd);
}

TEST_CASE("gaps, spikes and stuck flags never leave a number that is none, and are got over within a second") {
  std::mt19937 rng(1);
  const auto chance = [&](double p) { return std::uniform_real_distribution<double>(0, 1)(rng) < p; };
  for (unsigned seed = 1; seed <= 30; ++seed) {
    WalkLog log = walk(900, 250, seed);
    for (std::size_t k = 100; k < 500; ++k) {
      std::vector<double>& y = log.readings[k];
      for (double& x : y)
        if (chance(0.01)) x = nothing;
      if (chance(0.01)) y[12 + rng() % 6] = (chance(0.5) ? -1 : 1) * std::pow(10.0, static_cast<double>(rng() % 300));
      if (chance(0.01)) y[rng() % 12] += 1;
      if (seed % 3 == 0) y[18 + seed % 4] = 1;  // a stuck flag
    }
    Tracker tracker = late_walker();
    std::vector<double> out(tracker.columns().size(), 0.0);
    tracker.start(log.q[0].data(), log.v[0].data());
    double worst = 0;
    for (std::size_t k = 0; k < log.q.size(); ++k) {
      const TrackerStep step = tracker.step(log.readings[k].data(), log.dt, out.data());
      INFO("seed " << seed << ", sample " << k << ": " << step.why);
      CHECK((step.ok || *step.why));
      REQUIRE(finite(out));
      if (k >= 750) worst = std::max(worst, std::sqrt(speed_error(tracker, out.data(), log.v[k])));
    }
    INFO("seed " << seed);
    CHECK(worst < 0.3);
  }
}

TEST_CASE("time that stands still or goes back fails its sample alone, and over a long gap the estimate goes on") {
  const WalkLog log = walk(1500, 250, 4);
  Tracker tracker = late_walker();
  std::vector<double> out(tracker.columns().size());
  tracker.start(log.q[0].data(), log.v[0].data());
  for (std::size_t k = 0; k < 300; ++k) REQUIRE(tracker.step(log.readings[k].data(), log.dt, out.data()).ok);
  const std::vector<double> before = out;
  for (const double dt : {0.0, -0.004, nothing, std::numeric_limits<double>::infinity()}) {
    const TrackerStep step = tracker.step(log.readings[300].data(), dt, out.data());
    CHECK_FALSE(step.ok);
    CHECK_THAT(step.why, Catch::Contains("time"));
    CHECK(out == before);
  }
  for (const double gap : {0.4, 3.0, 1000.0}) {  // s, of which nothing is known
    const std::size_t after = gap < 1 ? 400 : 500;
    REQUIRE(tracker.step(log.readings[after].data(), gap, out.data()).ok);
    REQUIRE(finite(out));
    for (std::size_t k = after + 1; k < after + 500; ++k) {
      REQUIRE(tracker.step(log.readings[k].data(), log.dt, out.data()).ok);
      REQUIRE(finite(out));
    }
    CHECK(std::sqrt(speed_error(tracker, out.data(), log.v[after + 499])) < 0.1);
  }
}

TEST_CASE("readings that are all missing let the deviations grow, and are made up for") {
  const WalkLog log = walk(1000, 250, 6);
  Tracker tracker = late_walker();
  const std::size_t sd = column_of(tracker, "sd.dq.base.vx");
  std::vector<double> out(tracker.columns().size());
  const std::vector<double> none(tracker.inputs().size(), nothing);
  CHECK_FALSE(tracker.step(none.data(), 0, out.data()).ok);  // nothing to start from
  tracker.start(log.q[0].data(), log.v[0].data());
  double known = 0;
  for (std::size_t k = 0; k < log.q.size(); ++k) {
    const bool blind = k >= 400 && k < 425;
    REQUIRE(tracker.step(blind ? none.data() : log.readings[k].data(), log.dt, out.data()).ok);
    REQUIRE(finite(out));
    if (k == 399) known = out[sd];
    if (k == 424) CHECK(out[sd] > 3 * known);
    if (k == 650) CHECK(out[sd] < 1.5 * known);
  }
}

TEST_CASE("flags that come late and say so cost next to nothing, and taken at their word they do") {
  for (const int rows : {2, 5, 10}) {  // 8, 20 and 40 ms
    double in_time = 0, declared = 0, at_their_word = 0, again = 0;
    for (unsigned seed = 1; seed <= 4; ++seed) {
      const WalkLog log = walk(1000, 250, seed);
      WalkLog late = log;
      for (std::size_t k = log.readings.size(); k-- > 0;)
        for (std::size_t f = 18; f < 22; ++f)
          late.readings[k][f] = log.readings[k >= static_cast<std::size_t>(rows) ? k - static_cast<std::size_t>(rows) : 0][f];
      SensorSet set = walking_sensors();
      for (std::size_t s = 3; s < 7; ++s) set.sensors[s].over_time.delay = rows * log.dt;
      TrackerOptions options;
      options.outputs = {"q", "dq.base", "bias"};
      options.slip = false, options.lag = 5;
      const auto plain = std::make_shared<const System>(walking_quadruped(), walking_sensors());
      Tracker first(plain, options), second(std::make_shared<const System>(walking_quadruped(), set), options),
          third(plain, options);
      std::vector<double> out(first.columns().size());
      for (Tracker* tracker : {&first, &second, &third}) tracker->start(log.q[0].data(), log.v[0].data());
      for (std::size_t k = 0; k < log.q.size(); ++k) {
        const bool counts = k >= 250;
        REQUIRE(first.step(log.readings[k].data(), log.dt, out.data()).ok);
        in_time += counts ? speed_error(first, out.data(), log.v[k]) : 0;
        bool ok = false;
        const long taken = allocations_of([&] { ok = second.step(late.readings[k].data(), log.dt, out.data()).ok; });
        REQUIRE(ok);
        CHECK(taken == 0);
        declared += counts ? speed_error(second, out.data(), log.v[k]) : 0;
        if (k >= 5) REQUIRE(second.delayed(5, out.data()));
        again += counts ? speed_error(second, out.data(), log.v[k - 5]) : 0;
        REQUIRE(third.step(late.readings[k].data(), log.dt, out.data()).ok);
        at_their_word += counts ? speed_error(third, out.data(), log.v[k]) : 0;
      }
    }
    INFO(rows << " rows late");
    CHECK(std::sqrt(declared / in_time) < (rows <= 5 ? 1.1 : 1.2));
    CHECK(std::sqrt(again / in_time) < 1.1);
    if (rows == 10) CHECK(std::sqrt(at_their_word / in_time) > 3);
  }
}

TEST_CASE("late flags settled are the flags in time: the whole log is the same") {
  const WalkLog log = walk(300, 250, 8);
  WalkLog late = log;
  for (std::size_t k = log.readings.size(); k-- > 3;)
    for (std::size_t f = 18; f < 22; ++f) late.readings[k][f] = log.readings[k - 3][f];
  SensorSet set = walking_sensors();
  for (std::size_t s = 3; s < 7; ++s) set.sensors[s].over_time.delay = 3 * log.dt;
  Tracker plain = late_walker(), told(std::make_shared<const System>(walking_quadruped(), set),
                                      TrackerOptions{{"q", "dq.base", "bias"}, true, true, 0});
  const std::size_t columns = plain.columns().size();
  std::vector<double> a(columns * log.q.size()), b(a.size());
  for (Tracker* tracker : {&plain, &told}) tracker->start(log.q[0].data(), log.v[0].data());
  const std::vector<double> dt(log.q.size(), log.dt);
  std::vector<double> cut = flat(log);  // the last three rows' flags never come
  for (std::size_t k = log.q.size() - 3; k < log.q.size(); ++k)
    for (std::size_t f = 18; f < 22; ++f) cut[k * log.readings[0].size() + f] = 0;
  smooth(plain, cut, dt, 2, a.data());
  smooth(told, flat(late), dt, 2, b.data());
  for (std::size_t k = 0; k < a.size(); ++k) REQUIRE(a[k] == Approx(b[k]).epsilon(1e-12).margin(1e-14));
}

TEST_CASE("a foot that slides fast is let go: the velocity errs less than a third of what it does with trusted footholds") {
  WalkNoise noise;
  noise.slide = 0.12;  // at 1.3 m/s
  double let_go = 0, trusted = 0, slips = 0;
  for (unsigned seed = 1; seed <= 4; ++seed) {
    const WalkLog log = walk(1500, 250, seed, noise);
    for (const bool slip : {true, false}) {
      Tracker tracker = late_walker(0, slip);
      std::vector<double> out(tracker.columns().size());
      tracker.start(log.q[0].data(), log.v[0].data());
      for (std::size_t k = 0; k < log.q.size(); ++k) {
        const TrackerStep step = tracker.step(log.readings[k].data(), log.dt, out.data());
        REQUIRE(step.ok);
        slips += step.slips;
        if (k >= 250) (slip ? let_go : trusted) += speed_error(tracker, out.data(), log.v[k]);
      }
    }
  }
  CHECK(slips > 100);
  CHECK(std::sqrt(let_go / trusted) < 1.0 / 3);
}

TEST_CASE("the rows of a log come out in their order: as they are stepped, some rows late, and all at once") {
  const WalkLog log = walk(120, 250, 12);
  const std::size_t rows = log.q.size(), bad = 50;  // a row whose time is unknown
  Tracker tracker = late_walker(8), alone = late_walker(8);
  const std::size_t columns = tracker.columns().size();
  const auto time = [&](std::size_t k) { return k == bad ? nothing : 5 + log.dt * static_cast<double>(k); };
  const auto through = [&](const TrackedLogOptions& options, TrackFigures& figures) {
    std::vector<std::vector<double>> out;
    TrackedLog rows_of(tracker, options, [&](const double* results, const char* why) {
      CHECK((why != nullptr) == (out.size() == bad));
      out.push_back(results ? std::vector<double>(results, results + columns) : std::vector<double>());
    });
    for (std::size_t k = 0; k < rows; ++k)
      rows_of.add(log.readings[k].data(), time(k), base_truth(log.q[k].data(), log.v[k].data()));
    rows_of.finish();
    figures = rows_of.figures();
    REQUIRE(out.size() == rows);
    return out;
  };
  TrackFigures first, late, whole;
  TrackedLogOptions by_steps, by_lag, batch;
  by_lag.lag = 8, batch.batch = true, batch.iterations = 1;
  const auto stepped = through(by_steps, first), lagging = through(by_lag, late), all = through(batch, whole);

  std::vector<double> out(columns), back(columns);
  std::vector<double> intervals, readings;
  alone.start(log.q[0].data(), log.v[0].data());
  double last = time(0);
  for (std::size_t k = 0; k < rows; ++k) {
    if (k == bad) continue;
    intervals.push_back(time(k) - last), last = time(k);
    readings.insert(readings.end(), log.readings[k].begin(), log.readings[k].end());
    REQUIRE(alone.step(log.readings[k].data(), intervals.back(), out.data()).ok);
    for (std::size_t c = 0; c < columns; ++c) CHECK(std::abs(stepped[k][c]) == Approx(std::abs(out[c])).margin(1e-15));
    if (k < 8 || (k > bad && k <= bad + 8)) continue;
    REQUIRE(alone.delayed(8, back.data()));
    for (std::size_t c = 0; c < columns; ++c) CHECK(std::abs(lagging[k - 8][c]) == Approx(std::abs(back[c])).margin(1e-15));
  }
  std::vector<double> at_once((rows - 1) * columns);
  smooth(alone, readings, intervals, 1, at_once.data());
  for (std::size_t k = 0; k < rows; ++k)
    for (std::size_t c = 0; c < columns && k != bad; ++c)
      CHECK(std::abs(all[k][c]) == Approx(std::abs(at_once[(k - (k > bad)) * columns + c])).margin(1e-15));

  CHECK(first.compared == static_cast<long>(rows) - 1);
  CHECK(first.mean_interval == Approx(log.dt * static_cast<double>(rows - 1) / static_cast<double>(rows - 2)));
  CHECK(first.path == Approx(whole.path));
  CHECK((late.position < 0.05 && first.nees > 0 && std::isnan(late.nees)));
  double squares = 0;
  const std::size_t x = column_of(tracker, "q.base.x");
  for (std::size_t k = 0; k < rows; ++k)
    for (std::size_t c = 0; c < 3 && k != bad; ++c) squares += std::pow(stepped[k][x + c] - log.q[k][c], 2);
  CHECK(first.position == Approx(std::sqrt(squares / static_cast<double>(rows - 1))));
}

TEST_CASE("an even clock is the mean interval of a log, whose gaps and standing stamps stay as they are") {
  const EvenClock clock({1.0, 1.009, nothing, 1.021, 1.02, 1.03, 2.0, 2.011});
  const double mean = (0.009 + 0.012 + 0.009 + 0.011) / 4;
  CHECK(clock.interval(0.013) == Approx(mean));
  CHECK(clock.interval(0.97) == 0.97);
  CHECK(clock.interval(-0.001) == -0.001);
  CHECK(EvenClock({1.0}).interval(0.5) == 0.5);
}

TEST_CASE("a row whose stamp is far ahead of the next one's is as if it were not there, and a gap is a gap") {
  const WalkLog log = walk(60, 250, 12);
  const auto through = [&](const TrackedLogOptions& options, double ahead, bool there, TrackFigures& figures) {
    Tracker tracker = late_walker(options.lag);
    std::vector<std::vector<double>> found;
    std::size_t refused = 0;
    TrackedLog rows_of(tracker, options, [&](const double* results, const char* why) {
      if (why) ++refused;
      if (results) found.emplace_back(results, results + tracker.columns().size());
    });
    for (std::size_t k = 0; k < log.q.size(); ++k) {
      const double time = log.dt * static_cast<double>(k) + (k > 40 ? 0.5 : 0);  // a gap after row 40
      if (k != 30 || there)
        rows_of.add(log.readings[k].data(), k == 30 ? ahead : time, base_truth(log.q[k].data(), log.v[k].data()));
    }
    rows_of.finish();
    figures = rows_of.figures();
    CHECK(refused == (there ? 1 : 0));
    return found;
  };
  TrackedLogOptions by_steps, by_lag, batch;
  by_lag.lag = 3, batch.batch = true, batch.iterations = 1;
  for (const TrackedLogOptions& options : {by_steps, by_lag, batch})
    for (const double ahead : {10.0, 1e6}) {
      TrackFigures with, without;
      const auto found = through(options, ahead, true, with), expected = through(options, ahead, false, without);
      CHECK(found == expected);
      CHECK(with.jitter == Approx(without.jitter));
      CHECK(without.jitter < log.dt);
    }
}

TEST_CASE("where late flags break the estimate the row with which they came fails, once") {
  using Log = TurnedOnOneSole;
  const Log log = turned_on_one_sole();
  Tracker in_time = on_one_sole(0, 0), late = on_one_sole(Log::late * Log::dt, 0);
  std::vector<double> first(in_time.columns().size()), second(first.size());
  in_time.start(log.start.data()), late.start(log.start.data());
  for (long k = 0; k < Log::rows; ++k) {
    const std::vector<double> y = log.row(k);
    const TrackerStep one = in_time.step(y.data(), Log::dt, first.data()), other = late.step(y.data(), Log::dt, second.data());
    CAPTURE(k, one.why, other.why);
    CHECK(one.ok == (k != Log::breaks));
    CHECK(other.ok == (k != Log::breaks + Log::late));
    if (!one.ok) CHECK_THAT(one.why, Catch::Contains("starts anew with the next sample"));
    if (!other.ok) CHECK_THAT(other.why, Catch::Contains("late") && Catch::Contains("started anew"));
  }
  CHECK_FALSE(late.delayed(1, second.data()));
  REQUIRE(late.delayed(0, second.data()));
  CHECK(finite(second));
}

TEST_CASE("looking back over rows that late flags broke finds each row's own estimate, or says that there is none") {
  using Log = TurnedOnOneSole;
  const Log log = turned_on_one_sole();
  for (const int lag : {2, 9}) {
    Tracker in_time = on_one_sole(0, 0), late = on_one_sole(Log::late * Log::dt, lag);
    const std::size_t columns = late.columns().size();
    TrackedLogOptions options;
    options.lag = lag;
    std::vector<long> refused;
    std::vector<std::vector<double>> found;
    TrackedLog rows(late, options, [&](const double* results, const char* why) {
      if (!results) {
        CHECK((why && std::string(why).find("late") != std::string::npos));
        refused.push_back(static_cast<long>(found.size()));
      }
      found.push_back(results ? std::vector<double>(results, results + columns) : std::vector<double>());
    });
    const auto time = [](std::size_t k) { return Log::dt * static_cast<double>(k); };
    for (std::size_t k = 0; k < static_cast<std::size_t>(Log::rows); ++k)
      rows.add(log.row(static_cast<long>(k)).data(), time(k), base_truth(log.start.data(), nullptr));
    rows.finish();
    REQUIRE(found.size() == static_cast<std::size_t>(Log::rows));
    CHECK(refused == (lag > Log::late ? std::vector<long>{Log::breaks, Log::breaks + Log::late}
                                      : std::vector<long>{Log::breaks + Log::late}));
    if (lag < Log::late) continue;
    // the whole log up to where it broke is what is known of the rows before
    const std::size_t end = static_cast<std::size_t>(Log::breaks);
    std::vector<double> all(end * columns), dt(end, 0.0);
    for (std::size_t k = 1; k < end; ++k) dt[k] = time(k) - time(k - 1);
    in_time.start(log.start.data());
    smooth(in_time, log.flat(Log::breaks), dt, 1, all.data());
    for (std::size_t k = end - 4; k < end; ++k)
      for (std::size_t c = 0; c < columns; ++c) CHECK(found[k][c] == Approx(all[k * columns + c]).epsilon(1e-10).margin(1e-12));
  }
}

TEST_CASE("a whole log on which the estimate starts anew is smoothed part by part, however often it is gone through") {
  using Log = TurnedOnOneSole;
  const Log log = turned_on_one_sole();
  const auto end = static_cast<std::size_t>(Log::breaks), rows = static_cast<std::size_t>(Log::rows);
  for (const int iterations : {1, 2, 3}) {
    Tracker tracker = on_one_sole(0, 0);
    const std::size_t columns = tracker.columns().size();
    const std::size_t yaw = column_of(tracker, "sd.q.base.rz");
    std::vector<double> all(rows * columns), part(end * columns);
    tracker.start(log.start.data());
    const auto steps = smooth(tracker, log.flat(Log::rows), std::vector<double>(rows, Log::dt), iterations, all.data());
    smooth(tracker, log.flat(Log::breaks), std::vector<double>(end, Log::dt), iterations, part.data());
    for (std::size_t k = 0; k < rows; ++k) {
      CAPTURE(iterations, k, steps[k].why);
      CHECK(steps[k].ok == (k != end));
      if (k < end) CHECK(all[k * columns + yaw] == Approx(part[k * columns + yaw]).epsilon(1e-10));
      if (k > end) CHECK(all[k * columns + yaw] == Approx(0.5).epsilon(1e-3));  // nothing of before is known after it
    }
    for (std::size_t k = 0; k < part.size(); ++k) CHECK(all[k] == Approx(part[k]).epsilon(1e-10).margin(1e-12));
  }
}
