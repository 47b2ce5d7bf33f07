// Rows of the whole body: a reading that all others contradict counts as a gap does.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "support/swaying_robot.hpp"
#include "tracking/shared/reading_doubt.hpp"
#include "tracking/whole/gaussian.hpp"
#include "tracking/whole/whole_layout.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;
using namespace sparsedyn::tracking;

namespace {

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
    "a spike of a torque, or one beyond any push of a gyroscope, is a gap to rows of the whole body, forward and backward") {
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
  for (const Spike& leap : {Spike{"y.torques.knee1", 800}, Spike{"y.torques.knee2", -60}, Spike{"y.gyroscope.z", 40}}) {
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
