// Rows of the whole body: a reading that all others contradict counts as a gap does.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "sparsedyn/model/configuration.hpp"
#include "support/legged_robot.hpp"
#include "tracking/shared/reading_doubt.hpp"
#include "tracking/visibility/exact_readings.hpp"
#include "tracking/visibility/standing_motion.hpp"
#include "tracking/whole/gaussian.hpp"
#include "tracking/whole/whole_layout.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;
using namespace sparsedyn::tracking;

namespace {

/// An acceleration of the base from a time on (s): `most` sin² (m/s²) while it lasts, then back with a sixth for six times as
/// long.
struct BasePush {
  double from, lasts, most;
};

/// m by which it moves a base that was at rest.
double pushed_at(double t, const BasePush& push) {
  const double from = push.from, lasts = push.lasts, most = push.most;
  const auto shift = [](double x, double long_for, double a) {
    if (x <= 0) return 0.0;
    const double rate = 2 * M_PI / long_for;
    const auto during = [&](double s) { return a * (s * s / 4 + (std::cos(rate * s) - 1) / (2 * rate * rate)); };
    return x <= long_for ? during(x) : during(long_for) + a * long_for / 2 * (x - long_for);
  };
  return shift(t - from, lasts, most) - shift(t - from - lasts, 6 * lasts, most / 6);
}

/// A robot on four feet that sways, what its sensors read with their noise, by row and input of the tracker. A push moves it,
/// of which torques show nothing.
struct Swaying {
  explicit Swaying(const Tracker& tracker, const std::shared_ptr<const System>& system, int samples = 80,
                   const BasePush& push = {1e3, 0.06, 0}) {
    IntervalRows rows(*system, WholeLayout::freed_link(*system));
    const WholeLayout layout(system, rows);
    StandingMotion motion(system->model(), ConstraintSet{}, layout.points, 0.25),
        alone(system->model(), ConstraintSet{}, layout.points, 0.25);
    std::vector<int> links;
    for (const TrackedContact& contact : layout.contacts) links.push_back(contact.link);
    ExactReadings readings(*system, links), readings_alone(*system, links);
    std::mt19937 rng(4);
    std::normal_distribution<double> normal;
    std::vector<double> q[3] = {motion.at(-dt), motion.at(0), {}}, v0(18), v1(18);
    std::vector<double> p[3] = {alone.at(-dt), alone.at(0), {}}, u0(18), u1(18);
    for (int k = 0; k < samples; ++k) {
      q[2] = motion.at((k + 1) * dt, pushed_at((k + 1) * dt, push)), p[2] = alone.at((k + 1) * dt);
      difference(system->model(), q[0].data(), q[2].data(), v1.data());
      difference(system->model(), p[0].data(), p[2].data(), u1.data());
      for (double& x : v1) x /= 2 * dt;
      for (double& x : u1) x /= 2 * dt;
      if (k == 0) v0 = v1, u0 = u1, start_q = q[1], start_v = v1;
      auto exact = readings.of(q[0], v0, q[1], v1, dt);
      for (const auto& [column, reading] : readings_alone.of(p[0], u0, p[1], u1, dt))
        if (column.rfind("y.torques", 0) == 0) exact[column] = reading;
      std::vector<double> row;
      for (const TrackerInput& input : tracker.inputs()) {
        const auto at = exact.find(input.columns.front());
        row.push_back(at == exact.end() ? (input.is_flag ? 1.0 : input.fallback)
                                        : at->second + sigma_of(input.columns.front()) * normal(rng));
      }
      y.push_back(row), v.push_back(v1);
      q[0] = q[1], q[1] = q[2], v0 = v1, p[0] = p[1], p[1] = p[2], u0 = u1;
    }
  }
  static double sigma_of(const std::string& column) {
    if (column.rfind("y.torques", 0) == 0) return legged_torque_noise;
    return column.rfind("y.accelerometer", 0) == 0 ? 0.05 : column.rfind("y.gyroscope", 0) == 0 ? 2e-3 : 1e-3;
  }

  static constexpr double dt = 0.004;
  std::vector<std::vector<double>> y, v;  // readings, and the true velocity
  std::vector<double> start_q, start_v;
};

SensorSet with_honest_model() {
  SensorSet set = legged_sensors();
  set.model_wrench = {40, 4, true};
  return set;
}

using Readings = std::vector<std::vector<double>>;  // by row and input

struct Answers {
  std::vector<std::vector<double>> out;  // as they come, some rows late, of the whole log
  std::vector<double> nis;
  double surprise = 0;
};

Answers answers_of(const std::shared_ptr<const System>& system, const TrackerOptions& options, const Swaying& log,
                   const std::vector<std::vector<double>>& y) {
  Tracker tracker(system, options);
  std::vector<double> out(tracker.columns().size()), all, intervals(y.size(), Swaying::dt);
  Answers found;
  tracker.start(log.start_q.data(), log.start_v.data());
  for (std::size_t k = 0; k < y.size(); ++k) {
    const TrackerStep step = tracker.step(y[k].data(), Swaying::dt, out.data());
    REQUIRE(step.ok);
    found.surprise += step.surprise;
    found.nis.push_back(step.innovation / std::max(step.rows, 1));
    found.out.push_back(out);
    if (tracker.delayed(std::min(static_cast<int>(k), options.lag), out.data())) found.out.push_back(out);
    all.insert(all.end(), y[k].begin(), y[k].end());
  }
  std::vector<double> whole(y.size() * out.size());
  tracker.start(log.start_q.data(), log.start_v.data());
  smooth(tracker, all, intervals, 1, whole.data());
  for (std::size_t k = 0; k < y.size(); ++k)
    found.out.emplace_back(whole.begin() + static_cast<std::ptrdiff_t>(k * out.size()),
                           whole.begin() + static_cast<std::ptrdiff_t>((k + 1) * out.size()));
  return found;
}

double farthest(const Answers& a, const Answers& b, std::size_t count) {
  double worst = 0;
  for (std::size_t k = 0; k < a.out.size(); ++k)
    for (std::size_t c = 0; c < count; ++c) {
      const double sd = a.out[k][count + c], apart = std::abs(a.out[k][c] - b.out[k][c]);
      REQUIRE((std::isfinite(a.out[k][c]) == std::isfinite(b.out[k][c])));
      if (std::isfinite(apart)) worst = std::max(worst, apart / std::max(sd, 1e-9));
      if (std::isfinite(sd)) worst = std::max(worst, std::abs(sd - b.out[k][count + c]) / std::max(sd, 1e-9));
    }
  return worst;
}

}  // namespace

TEST_CASE(
    "a spike of a torque or a gyroscope, or one beyond any push of an accelerometer, is a gap to rows of the whole body, "
    "forward and backward") {
  const auto system = std::make_shared<const System>(walking_quadruped(), with_honest_model());
  TrackerOptions options;
  options.outputs = {"dq", "bias", "foot", "model_wrench"}, options.deviations = true, options.lag = 5;
  const Tracker tracker(system, options);
  const Swaying log(tracker, system);
  const Answers clean = answers_of(system, options, log, log.y);
  const std::size_t count = tracker.columns().size() / 2, at = 40;
  CHECK(*std::max_element(clean.nis.begin() + 5, clean.nis.end()) < 10);
  struct Spike {
    const char* column;
    double size;
  };
  for (const Spike& leap : {Spike{"y.torques.knee1", 800}, Spike{"y.torques.knee2", -60}, Spike{"y.accelerometer.z", -400},
                            Spike{"y.gyroscope.y", 1}, Spike{"y.gyroscope.z", 40}}) {
    auto spiked = log.y, gap = log.y;
    const auto of = [&](const TrackerInput& input) { return input.columns.front() == leap.column; };
    const auto first =
        static_cast<std::size_t>(std::find_if(tracker.inputs().begin(), tracker.inputs().end(), of) - tracker.inputs().begin());
    REQUIRE(first < tracker.inputs().size());
    spiked[at][first] += leap.size, gap[at][first] = std::nan("");
    const Answers found = answers_of(system, options, log, spiked), without = answers_of(system, options, log, gap);
    const double apart = farthest(without, found, count);
    CAPTURE(leap.column, leap.size, apart, found.nis[at], clean.nis[at]);
    CHECK(apart < 1e-3);  // deviations; a gyroscope's leap of 40 rad/s counts, with a noise of nearly as much
    CHECK(found.nis[at] > 100 / 40.0);
    CHECK(found.nis[at] > 5 * clean.nis[at]);
    CHECK(found.surprise > without.surprise + 5);  // a reading that does not count is no likely one
  }
}

namespace {

/// How far the base's velocity and the joints' are off after a row, and `nis`.
struct Off {
  double base = 0, in_deviations = 0, joints = 0, joints_in_deviations = 0;  // m/s, rad/s: the worst
  double nis = 0;                                                            // mean of the rows
};

/// The readings with a column off by as much from a row on, to another.
Readings with_offset(const Tracker& tracker, Readings y, const std::string& column, double off, std::size_t from,
                     std::size_t to) {
  bool there = false;
  for (std::size_t i = 0; i < tracker.inputs().size(); ++i) {
    if (tracker.inputs()[i].columns.front() != column) continue;
    there = true;
    for (std::size_t k = from; k < to; ++k) y[k][i] += off;
  }
  REQUIRE(there);
  return y;
}

/// A tracker of velocities and their deviations, and logs for it.
struct VelocityTracker {
  explicit VelocityTracker(const SensorSet& set = with_honest_model(), int lag = 0)
      : system(std::make_shared<const System>(walking_quadruped(), set)), options(options_of(lag)), tracker(system, options) {}

  Swaying log(int samples, const BasePush& push = {1e3, 0.06, 0}) const { return Swaying(tracker, system, samples, push); }
  Readings with(Readings y, const std::string& column, double off, std::size_t from, std::size_t to) const {
    return with_offset(tracker, std::move(y), column, off, from, to);
  }
  Answers answers(const Swaying& log, const Readings& y) const { return answers_of(system, options, log, y); }

  Off off_after(const Swaying& log, const Readings& y, std::size_t row) {
    std::vector<double> out(tracker.columns().size());
    tracker.start(log.start_q.data(), log.start_v.data());
    Off found;
    for (std::size_t k = 0; k < y.size(); ++k) {
      const TrackerStep step = tracker.step(y[k].data(), Swaying::dt, out.data());
      REQUIRE(step.ok);
      if (k < row) continue;
      found.nis += step.innovation / std::max(step.rows, 1) / static_cast<double>(y.size() - row);
      for (std::size_t c = 3; c < 18; ++c) {
        const double error = std::abs(out[c] - log.v[k][c]);
        double &worst = c < 6 ? found.base : found.joints,
               &deviations = c < 6 ? found.in_deviations : found.joints_in_deviations;
        worst = std::max(worst, error), deviations = std::max(deviations, error / out[18 + c]);
      }
    }
    return found;
  }

  static TrackerOptions options_of(int lag) {
    TrackerOptions options;
    options.outputs = {"dq"}, options.deviations = true, options.lag = lag;
    return options;
  }

  std::shared_ptr<const System> system;
  TrackerOptions options;
  Tracker tracker;
};

}  // namespace

TEST_CASE("a push that no torque shows is no spike of the accelerometer") {
  VelocityTracker velocities;
  for (const BasePush& push :
       {BasePush{0.24, 0.06, 10}, BasePush{0.24, 0.06, 2.5}, BasePush{0.24, 0.02, 5}, BasePush{0.24, 0.02, 20},
        BasePush{0.24, 0.02, 50}, BasePush{0.24, 0.008, 50}, BasePush{0.242, 0.004, 50}}) {
    const Swaying log = velocities.log(120, push);
    const Off off = velocities.off_after(log, log.y, 58);
    CAPTURE(push.lasts, push.most, off.base, off.in_deviations, off.joints);
    CHECK(off.in_deviations < 3);
    CHECK(off.joints_in_deviations < 7);
    CHECK(off.joints < 2);                           // 1.2 rad/s without a push
    if (push.lasts == 0.06) CHECK(off.base < 0.03);  // of 10 m/s², 0.174 m/s where the accelerometer is passed over for 20 ms
  }
}

TEST_CASE("a spike of an accelerometer that a push might explain leaves the deviations honest and the joints alone") {
  VelocityTracker velocities;
  const Swaying log = velocities.log(100);
  const Off clean = velocities.off_after(log, log.y, 40);
  for (const char* column : {"y.accelerometer.x", "y.accelerometer.z"})
    for (const double size : {-190.0, -100.0, -20.0, 20.0, 60.0, 190.0}) {
      const Off off = velocities.off_after(log, velocities.with(log.y, column, size, 50, 51), 40);
      CAPTURE(column, size, off.base, off.in_deviations, off.joints, clean.base, clean.joints);
      CHECK(off.in_deviations < 3);
      CHECK(off.joints < 1.2 * clean.joints);
    }
}

TEST_CASE("a spike on two axes of an accelerometer, or beside one of a torque, leaves the deviations honest") {
  VelocityTracker velocities;
  const Swaying log = velocities.log(100);
  const Off clean = velocities.off_after(log, log.y, 40);
  struct Spikes {
    const char *first, *second;
    double of_first, of_second;
  };
  for (const Spikes& leap :
       {Spikes{"y.accelerometer.x", "y.accelerometer.z", 300, 30}, Spikes{"y.accelerometer.x", "y.accelerometer.z", 300, 100},
        Spikes{"y.accelerometer.z", "y.accelerometer.y", -250, 190}, Spikes{"y.accelerometer.x", "y.accelerometer.z", 60, -60},
        Spikes{"y.torques.knee1", "y.accelerometer.z", 300, 30}, Spikes{"y.torques.knee2", "y.accelerometer.x", -1500, 60}}) {
    const auto y =
        velocities.with(velocities.with(log.y, leap.first, leap.of_first, 50, 51), leap.second, leap.of_second, 50, 51);
    const Off off = velocities.off_after(log, y, 40);
    CAPTURE(leap.first, leap.second, leap.of_first, off.base, off.in_deviations, off.joints, clean.joints);
    CHECK(off.in_deviations < 3);
    CHECK(off.joints < 1.5 * clean.joints);
  }
}

TEST_CASE("a torque or an accelerometer that is off for good is no push for longer than a push lasts, and nis tells") {
  VelocityTracker velocities;
  const Swaying log = velocities.log(250);
  const Off clean = velocities.off_after(log, log.y, 150);
  for (const double size : {30.0, 60.0, 120.0}) {
    const Off off = velocities.off_after(log, velocities.with(log.y, "y.torques.knee1", size, 40, 250), 150);
    CAPTURE(size, off.base, off.in_deviations, off.joints, off.nis, clean.base, clean.in_deviations, clean.nis);
    CHECK(off.in_deviations < 4);
  }
  const Off off = velocities.off_after(log, velocities.with(log.y, "y.accelerometer.x", 10, 40, 250), 40);
  CAPTURE(off.base, off.in_deviations, off.nis, clean.nis);
  CHECK(off.nis > 5 * clean.nis);
}

TEST_CASE("nis tells a push, and a spike that a push might explain") {
  VelocityTracker velocities;
  const Swaying log = velocities.log(80);
  const Answers clean = velocities.answers(log, log.y);
  for (const double size : {20.0, 60.0, 190.0}) {
    const Answers found = velocities.answers(log, velocities.with(log.y, "y.accelerometer.z", size, 50, 51));
    CAPTURE(size, found.nis[50], clean.nis[50]);
    CHECK(found.nis[50] > 5 * clean.nis[50]);
    CHECK(found.nis[50] > 3);
  }
  const Swaying pushed = velocities.log(80, {0.24, 0.02, 20});
  const Answers found = velocities.answers(pushed, pushed.y);
  CHECK(*std::max_element(found.nis.begin() + 58, found.nis.begin() + 66) > 5);
}

TEST_CASE("rows of an interval that is taken anew are those that lag and batch go back over") {
  VelocityTracker velocities(with_honest_model(), 5);
  const Swaying log = velocities.log(100, {0.24, 0.02, 20});
  const auto y = velocities.with(log.y, "y.accelerometer.z", 60, 40, 41);
  const Answers found = velocities.answers(log, y);
  const std::size_t rows = y.size(), first = found.out.size() - rows;
  double apart = 0, in_deviations = 0;  // of the last row, which both know the same of; of batch
  const auto& last = found.out[found.out.size() - 1];
  std::vector<double> out(velocities.tracker.columns().size());
  velocities.tracker.start(log.start_q.data(), log.start_v.data());
  for (const auto& row : y) REQUIRE(velocities.tracker.step(row.data(), Swaying::dt, out.data()).ok);
  for (std::size_t c = 3; c < 18; ++c) {
    apart = std::max(apart, std::abs(last[c] - out[c]) / out[18 + c]);
    for (std::size_t k = 30; k < rows; ++k)
      in_deviations = std::max(in_deviations, std::abs(found.out[first + k][c] - log.v[k][c]) / found.out[first + k][18 + c]);
  }
  CAPTURE(apart, in_deviations);
  CHECK(apart < 0.05);
  CHECK(in_deviations < 4);
}

TEST_CASE("each row that says that nothing drives the base knows of which component, whatever the set states of others") {
  for (const bool moments : {true, false}) {
    SensorSet set = with_honest_model();
    Sensor stated;
    stated.name = "undriven", stated.type = "joint_torque", stated.value = {0};
    stated.targets = {{"base"}};
    stated.components = moments ? std::vector<std::string>{"nx", "ny", "nz"} : std::vector<std::string>{"fx", "fz"};
    set.sensors.push_back(stated);
    VelocityTracker velocities(set);
    IntervalRows rows(*velocities.system, WholeLayout::freed_link(*velocities.system));
    const WholeLayout layout(velocities.system, rows);
    std::vector<int> bases;
    for (const IntervalReading& reading : layout.intervals)
      if (reading.base >= 0) bases.push_back(reading.base);
    std::sort(bases.begin(), bases.end());
    CHECK(bases == std::vector<int>{0, 1, 2, 3, 4, 5});
    const Swaying log = velocities.log(80);
    const Off off = velocities.off_after(log, velocities.with(log.y, "y.accelerometer.z", 60, 50, 51), 40);
    CAPTURE(moments, off.in_deviations, off.joints);
    CHECK(off.in_deviations < 3);
  }
}

TEST_CASE("a base whose link has no mass, or all of it at its origin, is opened to moments, too") {
  for (const double share : {0.0, 1.0}) {
    Model robot = walking_quadruped();
    auto& inertia = robot.bodies.front().inertia;
    inertia.m *= share, inertia.h = {{0, 0, 0}}, inertia.moments = {0, 0, 0, 0, 0, 0};
    const auto system = std::make_shared<const System>(robot, with_honest_model());
    IntervalRows rows(*system, WholeLayout::freed_link(*system));
    const WholeLayout layout(system, rows);
    CHECK((layout.radius > 0.1 && layout.radius < 1));
  }
}

TEST_CASE("a spike beside a gyroscope that nothing else tells leaves covariance and surprise sound") {
  SensorSet set = with_honest_model();
  for (Sensor& s : set.sensors)
    if (s.type == "gyroscope") s.sigma = {1e-5};
  const auto system = std::make_shared<const System>(walking_quadruped(), set);
  TrackerOptions options;
  options.outputs = {"q", "dq", "bias"}, options.deviations = true;
  Tracker tracker(system, options);
  const Swaying log(tracker, system, 40);
  for (const char* column : {"y.torques.knee1", "y.accelerometer.z", "y.gyroscope.x"})
    for (std::size_t at : {1U, 2U, 3U, 35U}) {
      const Readings y = with_offset(tracker, log.y, column, column[2] == 'g' ? 5 : 600, at, at + 1);
      std::vector<double> out(tracker.columns().size());
      tracker.start(log.start_q.data(), log.start_v.data());
      for (const auto& row : y) {
        const TrackerStep step = tracker.step(row.data(), Swaying::dt, out.data());
        CAPTURE(column, at);
        REQUIRE(step.ok);
        REQUIRE(std::isfinite(step.surprise));
        for (std::size_t c = 0; c < out.size(); ++c)
          if (tracker.columns()[c].rfind("sd.", 0) == 0) REQUIRE(out[c] >= 0);
      }
    }
}

TEST_CASE("a row that others do not tell is not taken back") {
  Gaussian e(2);
  e.row(0)[0] = e.row(1)[1] = 1, e.mean = {3, 4};
  const double h[] = {1, 0};
  DenseRowRecord record;
  record.h = {5, 5}, record.gain = {5, 5};
  CHECK(e.take_back(h, 7, 0.5, &record).variance == 0);
  CHECK(e.take_back(h, 7, 1, &record).variance == 0);
  e.settle();
  CHECK((e.at(0, 0) == 1 && e.at(1, 1) == 1 && e.mean == std::vector<double>{3, 4}));
  CHECK((record.h == std::vector<double>{0, 0} && record.gain == record.h && record.innovation == 0 && record.variance == 1));
}

TEST_CASE("of readings far off one row at least is passed over, and no more than a spike lasts") {
  for (double dt : {0.001, 0.004, 0.0201, 0.1}) {
    ReadingDoubt doubt;
    for (int k = 0; k * dt < 0.2; ++k) CHECK(!doubt.passes_over(false, dt));
    int over = 0;
    while (over < 100 && doubt.passes_over(true, dt)) ++over;
    CAPTURE(dt, over);
    CHECK((over >= 1 && (over == 1 || over * dt <= longest_spike + 1e-9)));
    ReadingDoubt one;
    one.left = 0;
    CHECK(one.passes_over(true, dt, 0));
    CHECK(!one.passes_over(true, dt, 0));
    CHECK(!one.passes_over(false, dt, 0));
    CHECK(one.passes_over(true, dt, 0) == (dt >= first_doubt));  // until it has agreed for a while
  }
}

TEST_CASE("a row that is taken back leaves mean, covariance and what came before as if it had never been") {
  constexpr int n = 7;
  std::mt19937 rng(9);
  std::normal_distribution<double> normal;
  Gaussian with(n), without(n);
  double M[n][n];
  for (auto& row : M)
    for (double& x : row) x = normal(rng);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k) {
      double sum = 0;
      for (int j = 0; j < n; ++j) sum += M[i][j] * M[k][j];
      with.row(i)[k] = without.row(i)[k] = sum;
    }
  std::vector<std::vector<double>> h(4, std::vector<double>(n));
  for (auto& row : h)
    for (double& x : row) x = normal(rng);
  const double z[] = {1, 90, -2, 0.5}, variance[] = {0.2, 3, 0.1, 0.4};
  DenseRowRecord empty;
  empty.h.resize(n), empty.gain.resize(n);
  std::vector<DenseRowRecord> kept(5, empty), kept_without(3, empty);
  for (std::size_t k = 0; k < 4; ++k) with.take(h[k].data(), z[k], variance[k], &kept[k]);
  with.settle();
  const double prior = with.variance_of(h[1].data());
  REQUIRE(prior < variance[1]);
  const Gaussian::Found back = with.take_back(h[1].data(), z[1], variance[1], &kept[4]);
  with.settle();
  std::size_t next = 0;
  for (std::size_t k : {0U, 2U, 3U}) without.take(h[k].data(), z[k], variance[k], &kept_without[next++]);
  without.settle();
  GaussianAdjoint over(n), over_without(n);
  for (int i = 0; i < n; ++i)
    over.lambda[static_cast<std::size_t>(i)] = over_without.lambda[static_cast<std::size_t>(i)] = normal(rng);
  for (int i = 0; i < n; ++i)
    over.information[static_cast<std::size_t>(i * n + i)] = over_without.information[static_cast<std::size_t>(i * n + i)] = 2;
  for (std::size_t k = kept.size(); k-- > 0;) over.back_over(kept[k], true);
  for (std::size_t k = kept_without.size(); k-- > 0;) over_without.back_over(kept_without[k], true);
  double innovation = z[1];  // of the row, by all others
  for (int i = 0; i < n; ++i) innovation -= h[1][static_cast<std::size_t>(i)] * without.mean[static_cast<std::size_t>(i)];
  CHECK(-back.square == Approx(innovation * innovation / (without.variance_of(h[1].data()) + variance[1])).epsilon(1e-9));
  for (std::size_t i = 0; i < n; ++i) {
    CHECK(with.mean[i] == Approx(without.mean[i]).margin(1e-10));
    CHECK(over.lambda[i] == Approx(over_without.lambda[i]).epsilon(1e-9).margin(1e-9));
    for (int k = 0; k < n; ++k) {
      CHECK(with.at(static_cast<int>(i), k) == Approx(without.at(static_cast<int>(i), k)).margin(1e-10));
      CHECK(over.information[i * n + static_cast<std::size_t>(k)] ==
            Approx(over_without.information[i * n + static_cast<std::size_t>(k)]).epsilon(1e-9).margin(1e-9));
    }
  }
}

namespace {

/// Mass, inertia and all that goes with them times `share`.
Model lighter(Model robot, double share) {
  for (Body& body : robot.bodies) {
    body.inertia.m *= share, body.inertia.h = share * body.inertia.h;
    for (double* x : {&body.inertia.moments.xx, &body.inertia.moments.xy, &body.inertia.moments.yy, &body.inertia.moments.xz,
                      &body.inertia.moments.yz, &body.inertia.moments.zz})
      *x *= share;
  }
  return robot;
}

}  // namespace

// With fixed newtons for a foot in the air, torques would say nothing of a light leg there.
TEST_CASE("a robot of a thousandth of the mass, whose torques are as much smaller, moves by the same numbers") {
  const WalkLog log = walk(250, 250, 6);
  Efforts efforts = efforts_of(walking_quadruped(), log);
  std::vector<std::vector<double>> found[2];
  for (const double share : {0.1, 1e-4}) {
    SensorSet set = legged_sensors();
    for (Sensor& s : set.sensors)
      if (s.type == "joint_torque") s.sigma[0] *= share;
    set.model_wrench = {1000 * share, 1e5 * share, true};
    TrackerOptions options;
    options.outputs = {"dq"}, options.deviations = true;
    Tracker tracker(std::make_shared<const System>(lighter(walking_quadruped(), share), set), options);
    std::vector<double> out(tracker.columns().size());
    std::mt19937 rng(3);
    tracker.start(log.q[0].data(), log.v[0].data());
    for (std::size_t k = 0; k < log.q.size(); ++k) {
      std::vector<double> y = row_of(tracker, log, efforts, k, rng);
      for (std::size_t i = 0; i < y.size(); ++i)
        if (tracker.inputs()[i].columns.front().rfind("y.torques", 0) == 0) y[i] *= share;
      REQUIRE(tracker.step(y.data(), log.dt, out.data()).ok);
      found[share < 0.01].push_back(out);
    }
  }
  double worst = 0;
  for (std::size_t k = 50; k < found[0].size(); ++k)
    for (std::size_t c = 0; c < 18; ++c) {
      worst = std::max(worst, std::abs(found[0][k][c] - found[1][k][c]) / found[0][k][18 + c]);
      worst = std::max(worst, std::abs(found[0][k][18 + c] / found[1][k][18 + c] - 1));
    }
  CHECK(worst < 0.02);  // a force of 3000 N on a foot that stands is as good as none stated
}

TEST_CASE("a wheel that turns by 150 rad/s is read by its gyroscope, on a fixed base and on a robot") {
  JointSpec axle;
  axle.kind = JointKind::revolute, axle.axis = {{0, 0, 1}};
  const Model robot = ModelBuilder("wheel")
                          .root("base", zero_inertia<double>(), false)
                          .link("wheel", inertia_about_com(1, {{0, 0, 0}}, {0.01, 0, 0, 0.01, 0, 0.01}), "base", "axle", axle,
                                Pose<double>{identity3<double>(), {{0, 0, 0}}})
                          .build();
  SensorSet set;
  const auto add = [&](const char* name, const char* type, double sigma) {
    Sensor sensor;
    sensor.name = name, sensor.type = type, sensor.sigma = {sigma};
    sensor.targets.push_back({std::string(type) == "gyroscope" ? "wheel" : "axle"});
    set.sensors.push_back(sensor);
  };
  add("encoder", "joint_position", 0.01), add("rate", "gyroscope", 1e-3), add("torque", "joint_torque", 0.1);
  TrackerOptions options;
  options.outputs = {"dq"}, options.deviations = true;
  Tracker tracker(std::make_shared<const System>(robot, set), options);
  std::vector<double> out(tracker.columns().size());
  for (const bool read : {true, false}) {
    tracker.start();
    std::mt19937 rng(2);
    std::normal_distribution<double> normal;
    for (int k = 0; k < 300; ++k) {
      std::vector<double> y;
      for (const TrackerInput& input : tracker.inputs()) {
        const std::string& column = input.columns.front();
        const double turn = read ? 150 + 1e-3 * normal(rng) : std::nan("");
        y.push_back(column.rfind("y.encoder", 0) == 0 ? 0.15 * k + 0.01 * normal(rng) : column == "y.rate.z" ? turn : 0.0);
      }
      REQUIRE(tracker.step(y.data(), 0.001, out.data()).ok);
    }
    CHECK(std::abs(out[0] - 150) < 4 * out[1]);
    CHECK((out[1] < 0.01) == read);
  }

  SensorSet legged = with_honest_model();
  Sensor on_shin =
      *std::find_if(legged.sensors.begin(), legged.sensors.end(), [](const Sensor& s) { return s.type == "gyroscope"; });
  on_shin.name = "shin", on_shin.targets = {{"foot0"}};
  legged.sensors.push_back(on_shin);
  const auto system = std::make_shared<const System>(walking_quadruped(), legged);
  IntervalRows rows(*system, WholeLayout::freed_link(*system));
  const WholeLayout layout(system, rows);
  int limited = 0, free = 0;
  for (std::size_t i = static_cast<std::size_t>(rows.first_turn()); i < layout.intervals.size(); ++i)
    (layout.intervals[i].most == 100 ? limited : free) += 1;
  CHECK((limited == 3 && free == 3));
}
