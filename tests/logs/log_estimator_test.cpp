// Whole logs: offsets learnt and taken off, sensors that are out of order named.
#include "sparsedyn/logs/log_estimator.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <random>

#include "determinacy/predicted_readings.hpp"
#include "determinacy/simulated_sensors.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "support/robots.hpp"
#include "support/systems.hpp"

using namespace sparsedyn;
using sparsedyn::test::on_all;

namespace {

std::shared_ptr<const System> arm(bool biased) {
  SensorSet set;
  set.sensors = {on_all("motors", "joint_torque", 0.3, biased), on_all("gauges", "joint_torque", 0.3),
                 on_all("cells", "joint_torque", 0.3), on_all("encoders", "joint_acceleration", 1.0),
                 on_all("air", "external_wrench", 0)};
  return std::make_shared<const System>(test::random_tree(4, 9), set);
}

/// A smooth motion, what the sensors read on it, and the true torques.
struct Recording {
  std::vector<std::vector<double>> q, v, y, tau;
};

Recording recorded(const System& system, int samples, unsigned seed) {
  const Model& model = system.model();
  std::mt19937 rng(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<double> rate, phase;
  for (int j = 0; j < model.nv; ++j) rate.push_back(2 + 4 * uniform(rng)), phase.push_back(6 * uniform(rng));
  SimulatedSensors sensors(system, std::vector<char>(system.unknowns().size(), 0));
  Recording made;
  for (int i = 0; i < samples; ++i) {
    std::vector<double> q(model.nq), v(model.nv), wish(system.unknowns().size(), 0.0), x(wish), y(system.inputs().size()), tau;
    for (int j = 0; j < model.nv; ++j) {
      const double at = rate[j] * 0.004 * i + phase[j];
      q[j] = 0.8 * std::sin(at), v[j] = 0.8 * rate[j] * std::cos(at);
      wish[system.ddq_column(j)] = -0.8 * rate[j] * rate[j] * std::sin(at);
    }
    sensors.read(q.data(), v.data(), wish.data(), x.data(), y.data());
    for (const Measurement& m : system.measurements())
      for (int k = 0; k < m.rows(); ++k)
        if (m.inputs[k] >= 0) y[m.inputs[k]] += m.sigma[k] * normal(rng);
    for (int j = 0; j < model.nv; ++j) tau.push_back(x[system.tau_column(j)]);
    made.q.push_back(q), made.v.push_back(v), made.y.push_back(y), made.tau.push_back(tau);
  }
  return made;
}

/// Goes through the recording in batches.
void in_batches(const Recording& log, const std::function<bool(const Estimator::Inputs*, int, int)>& take) {
  const int samples = static_cast<int>(log.q.size());
  for (int first = 0; first < samples; first += Batch::lanes) {
    std::vector<Estimator::Inputs> batch;
    for (int i = first; i < std::min<int>(samples, first + Batch::lanes); ++i)
      batch.push_back({log.q[i].data(), log.v[i].data(), log.y[i].data()});
    if (!take(batch.data(), static_cast<int>(batch.size()), first)) return;
  }
}

void learn(LogEstimator& estimator, const Recording& log) {
  while (estimator.learning()) {
    estimator.begin();
    in_batches(log, [&](const Estimator::Inputs* samples, int count, int) { return estimator.learn(samples, count); });
    estimator.end();
  }
}

/// The share of samples in which the truth lies within two deviations, of each torque.
std::vector<double> coverage(LogEstimator& estimator, const Recording& log) {
  const std::size_t n = log.tau.front().size();
  std::vector<double> within(n, 0.0), out(estimator.estimator().output_columns().size());
  estimator.begin();
  in_batches(log, [&](const Estimator::Inputs* samples, int count, int first) {
    estimator.prepare(samples, count);
    for (int k = 0; k < count; ++k) {
      REQUIRE(estimator.take(k, first + k + 2, out.data()).ok());
      for (std::size_t j = 0; j < n; ++j)
        within[j] += std::abs(out[j] - log.tau[first + k][j]) < 2 * estimator.estimator().standard_deviations()[j];
    }
    return true;
  });
  for (double& share : within) share /= static_cast<double>(log.q.size());
  return within;
}

EstimatorOptions torques(double huber) {
  EstimatorOptions options;
  options.outputs = {"tau"};
  options.standard_deviations = true;
  options.huber = huber;
  return options;
}

/// "COLUMN FAULT, …".
std::string named(const LogEstimator& estimator) {
  std::string found;
  for (const ReadingFault& fault : estimator.faults().faults())
    found +=
        (found.empty() ? "" : ", ") + estimator.estimator().system().equation_names()[fault.row] + " " + fault_name(fault.kind);
  return found;
}

}  // namespace

TEST_CASE("offsets are calibrated, and with them taken off the truth lies within two deviations") {
  const auto system = arm(true);
  const auto plan = plan_estimator(*system);
  for (const double huber : {0.0, 3.0}) {
    double squares = 0, count = 0;
    std::vector<double> mean(4, 0.0);
    const unsigned seeds = 12;
    for (unsigned seed = 0; seed < seeds; ++seed) {
      Recording log = recorded(*system, 300, 100 + seed);
      for (std::vector<double>& y : log.y) y[1] += 2, y[2] -= 0.7;
      LogEstimator estimator(system, plan, torques(huber));
      learn(estimator, log);
      const double truth[] = {0, 2, -0.7, 0};
      for (std::size_t k = 0; k < 4; ++k) {
        const double z = (estimator.offsets().value[k] - truth[k]) / estimator.offsets().standard_deviation[k];
        squares += z * z, ++count;
      }
      const std::vector<double> within = coverage(estimator, log);
      for (std::size_t j = 0; j < 4; ++j) mean[j] += within[j] / seeds;
      CHECK(named(estimator) == "");
    }
    CHECK(squares > 20);  // chi-square of 48 freedoms: 0.03 % and 99.97 %
    CHECK(squares < 88);
    for (double share : mean) CHECK(share == Approx(0.9545).margin(0.015));
  }
}

TEST_CASE("a stuck, a saturated, a swapped, a drifting and a spiking sensor are named, and no other") {
  const auto system = arm(false);
  const auto plan = plan_estimator(*system);
  const auto input = [&](const std::string& name) {
    for (const Measurement& m : system->measurements())
      for (int k = 0; k < m.rows(); ++k)
        if (m.columns[k] == name) return m.inputs[k];
    return -1;
  };
  const int gauge = input("y.gauges.joint2");
  REQUIRE(gauge >= 0);
  struct Case {
    const char* fault;
    std::function<void(Recording&)> make;
    long from_line;
  };
  const std::vector<Case> cases{{"stuck",
                                 [&](Recording& log) {
                                   for (std::size_t i = 500; i < log.y.size(); ++i) log.y[i][gauge] = log.y[499][gauge];
                                 },
                                 501},
                                {"saturated",
                                 [&](Recording& log) {
                                   double low = 1e9, high = -1e9;
                                   for (const auto& y : log.y) low = std::min(low, y[gauge]), high = std::max(high, y[gauge]);
                                   for (auto& y : log.y) y[gauge] = std::min(y[gauge], 0.3 * low + 0.7 * high);
                                 },
                                 0},
                                {"sign",
                                 [&](Recording& log) {
                                   for (auto& y : log.y) y[gauge] = -y[gauge];
                                 },
                                 2},
                                {"drift",
                                 [&](Recording& log) {
                                   for (std::size_t i = 0; i < log.y.size(); ++i)
                                     log.y[i][gauge] += 2 * (1 - std::exp(-static_cast<double>(i) / 800));
                                 },
                                 0},
                                {"spikes",
                                 [&](Recording& log) {
                                   for (std::size_t i : {700u, 900u, 1100u}) log.y[i][gauge] += 500;
                                 },
                                 702}};
  for (const double huber : {0.0, 3.0})
    for (const Case& c : cases) {
      INFO(c.fault << ", huber " << huber);
      Recording log = recorded(*system, 2000, 5);
      c.make(log);
      LogEstimator estimator(system, plan, torques(huber));
      const std::vector<double> within = coverage(estimator, log);
      CHECK(named(estimator) == std::string("y.gauges.joint2 ") + c.fault);
      const std::vector<ReadingFault> faults = estimator.faults().faults();
      if (c.from_line > 0 && !faults.empty()) CHECK(faults.front().from_line == c.from_line);
      if (c.fault == std::string("spikes")) {
        const std::vector<OutlierSample> worst = estimator.faults().worst();
        REQUIRE(worst.size() >= 3);
        for (int k = 0; k < 3; ++k) CHECK((worst[k].line - 702) % 200 == 0);
      }
      const bool bounded = huber > 0 && c.fault != std::string("sign") && c.fault != std::string("drift");
      if (bounded)
        for (double share : within) CHECK(share > 0.93);
    }
}

TEST_CASE("a sensor that is off by a constant for a stretch of the log has no spikes, but disagrees there") {
  const auto system = arm(false);
  const auto plan = plan_estimator(*system);
  int gauge = -1, row = -1;
  for (const Measurement& m : system->measurements())
    for (int k = 0; k < m.rows(); ++k)
      if (m.columns[k] == "y.gauges.joint2") gauge = m.inputs[k], row = m.first_row + k;
  REQUIRE(gauge >= 0);
  for (const std::size_t length : {3u, 60u}) {  // of 3 samples each they are spikes
    Recording log = recorded(*system, 2000, 5);
    for (const std::size_t begin : {700u, 1300u})
      for (std::size_t i = begin; i < begin + length; ++i) log.y[i][gauge] += 50;
    LogEstimator estimator(system, plan, torques(0));
    coverage(estimator, log);
    const std::vector<std::pair<int, long>> off = estimator.faults().often_off();
    INFO(length);
    CHECK(named(estimator) == (length == 3 ? "y.gauges.joint2 spikes" : ""));
    CHECK(off == (length == 3 ? std::vector<std::pair<int, long>>{} : std::vector<std::pair<int, long>>{{row, 120}}));
  }
}

TEST_CASE("a log that is read more than once has gaps from a stuck stretch's first sample on, and its offsets none of it") {
  const auto system = arm(true);
  const auto plan = plan_estimator(*system);
  for (const char* name : {"motors", "gauges"}) {  // with an offset, and without
    INFO(name);
    Recording log = recorded(*system, 2000, 6);
    int stuck = -1, row = -1;
    for (const Measurement& m : system->measurements())
      for (int k = 0; k < m.rows(); ++k)
        if (m.columns[k] == std::string("y.") + name + ".joint2") stuck = m.inputs[k], row = m.first_row + k;
    REQUIRE(stuck >= 0);
    for (std::size_t i = 0; i < log.y.size(); ++i) {
      log.y[i][1] += 2;
      if (i > 700 && i < 1100) log.y[i][stuck] = log.y[700][stuck];
      if (i > 1500) log.y[i][stuck] = log.y[1500][stuck];
    }
    const auto is_stuck = [](int i) { return (i >= 700 && i < 1100) || i >= 1500; };
    LogEstimator estimator(system, plan, torques(3));
    learn(estimator, log);
    for (std::size_t k = 0; k < estimator.offsets().value.size(); ++k) {
      const double truth = k == 1 ? 2 : 0;
      CHECK(std::abs(estimator.offsets().value[k] - truth) < 4 * estimator.offsets().standard_deviation[k]);
    }
    std::vector<double> out(estimator.estimator().output_columns().size());
    estimator.begin();
    in_batches(log, [&](const Estimator::Inputs* samples, int count, int first) {
      estimator.prepare(samples, count);
      for (int k = 0; k < count; ++k) {
        REQUIRE(estimator.take(k, first + k + 2, out.data()).ok());
        INFO("sample " << first + k);
        CHECK(estimator.faults().left_out(k) == (is_stuck(first + k) ? std::vector<int>{row} : std::vector<int>{}));
      }
      return true;
    });
    const std::vector<ReadingFault> faults = estimator.faults().faults();
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].row == row);
    CHECK(faults[0].kind == FaultKind::stuck);
    CHECK(faults[0].from_line == 702);
    CHECK(faults[0].samples == 900);
  }
}

TEST_CASE("a log without faults names no sensor, and neither does a robot at rest with repeating readings") {
  const auto system = arm(false);
  const auto plan = plan_estimator(*system);
  for (unsigned seed = 0; seed < 20; ++seed) {
    LogEstimator estimator(system, plan, torques(3));
    coverage(estimator, recorded(*system, 500, seed));
    CHECK(named(estimator) == "");
  }
  Recording rest = recorded(*system, 400, 3);
  for (std::size_t i = 1; i < rest.q.size(); ++i) rest.q[i] = rest.q[0], rest.v[i] = rest.v[0], rest.y[i] = rest.y[0];
  LogEstimator estimator(system, plan, torques(3));
  coverage(estimator, rest);
  CHECK(named(estimator) == "");
  Recording coarse = recorded(*system, 2000, 3);  // rounded to a third of the noise
  for (std::vector<double>& y : coarse.y)
    for (double& x : y) x = 0.1 * std::round(x / 0.1);
  LogEstimator other(system, plan, torques(3));
  coverage(other, coarse);
  CHECK(named(other) == "");
}

TEST_CASE("a prediction is the reading that makes its row hold") {
  const auto system = arm(false);
  const Recording log = recorded(*system, 3, 8);
  Estimator estimator(system, plan_estimator(*system), {});
  PredictedReadings predicted(*system);
  std::vector<double> out(estimator.output_columns().size()), y(system->inputs().size());
  REQUIRE(estimator.estimate(log.q[1].data(), log.v[1].data(), log.y[1].data(), out.data()).ok());
  predicted.read(log.q[1].data(), log.v[1].data(), estimator.unknowns(), y.data());
  for (const Measurement& m : system->measurements())
    for (int k = 0; k < m.rows(); ++k)
      if (m.inputs[k] >= 0)
        CHECK(log.y[1][m.inputs[k]] - y[m.inputs[k]] == Approx(estimator.residual(m.first_row + k) * m.sigma[k]).margin(1e-9));
}

TEST_CASE("offsets of a log's parts add up to the whole log's") {
  const auto system = arm(true);
  const auto plan = plan_estimator(*system);
  const Recording log = recorded(*system, 200, 5);
  LogEstimator whole(system, plan, torques(0)), settled(system, plan, torques(0));
  learn(whole, log);
  std::vector<double> sum;
  for (int part = 0; part < 4; ++part) {
    LogEstimator estimator(system, plan, torques(0));
    for (int i = 50 * part; i < 50 * part + 50; ++i) {
      const Estimator::Inputs sample{log.q[i].data(), log.v[i].data(), log.y[i].data()};
      estimator.learn(&sample, 1);
    }
    const std::vector<double> numbers = estimator.learnt();
    sum.resize(numbers.size(), 0.0);
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += numbers[k];
  }
  const std::size_t n = whole.offset_names().size();
  REQUIRE(sum.size() == 1 + n * n + n);
  CHECK(sum.front() == 200);
  settled.settle(sum);
  REQUIRE_FALSE(settled.learning());
  CHECK(settled.samples_learnt() == 200);
  for (std::size_t k = 0; k < n; ++k) {
    const double sd = whole.offsets().standard_deviation[k];
    CHECK(std::abs(settled.offsets().value[k] - whole.offsets().value[k]) < 1e-10 * sd);
    CHECK(settled.offsets().standard_deviation[k] == Approx(sd).epsilon(1e-12));
  }
  CHECK_THROWS_AS(settled.settle({}), std::invalid_argument);
  CHECK_THROWS_AS(settled.settle({1.0, 2.0}), std::invalid_argument);
  sum[1] = std::nan("");
  CHECK_THROWS_AS(settled.settle(sum), std::invalid_argument);
  LogEstimator robust(system, plan, torques(3));
  sum[1] = 1;
  CHECK_THROWS_AS(robust.settle(sum), std::logic_error);
}

TEST_CASE("the offset and the noise of a sensor that warms up are marked as untrusted") {
  const auto system = arm(true);
  const auto plan = plan_estimator(*system);
  for (unsigned seed = 0; seed < 10; ++seed) {
    CAPTURE(seed);
    Recording log = recorded(*system, 2000, seed);
    for (std::size_t i = 0; i < log.y.size(); ++i) log.y[i][1] += 12 + 2 * (1 - std::exp(-static_cast<double>(i) / 800));
    LogEstimator estimator(system, plan, torques(0));
    learn(estimator, log);
    coverage(estimator, log);
    const double mean = 12 + 2 * (1 - 800.0 / 2000 * (1 - std::exp(-2.5)));
    CHECK(estimator.offsets().value[1] == Approx(mean).margin(0.05));  // one number for what is none
    CHECK(named(estimator) == "y.motors.joint2 drift");
    const std::vector<ReadingFault> faults = estimator.faults().faults();
    CHECK(faults[0].change == Approx(2 * (1 - std::exp(-2.5))).margin(0.25));
    CHECK(faults[0].or_else.empty());
    for (const SensorNoise& noise : estimator.faults().noise()) {
      const std::string sensor = system->sensors().sensors[static_cast<std::size_t>(noise.sensor)].name;
      CAPTURE(sensor);
      // gauges and cells of the same joint disagree with it, so that their noise is not borne out either
      if (sensor == "motors") CHECK(noise.rejected == std::vector<int>{faults[0].row});
      if (sensor == "motors" || sensor == "encoders") CHECK(noise.agrees == (sensor == "encoders"));
    }
  }
}

TEST_CASE("sensors agree with noise as stated, and only the one that is louder does not") {
  const auto system = arm(false);
  const auto plan = plan_estimator(*system);
  for (unsigned seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    Recording log = recorded(*system, 600, seed);
    const bool loud = seed % 2 == 1;
    std::mt19937 rng(seed);
    std::normal_distribution<double> more(0, 0.3);
    for (const Measurement& m : system->measurements())
      for (int k = 0; k < m.rows() && loud; ++k)
        if (m.columns[k].compare(0, 9, "y.gauges.") == 0)
          for (std::vector<double>& y : log.y) y[m.inputs[k]] += more(rng);
    LogEstimator estimator(system, plan, torques(0));
    coverage(estimator, log);
    CHECK(named(estimator) == "");
    for (const SensorNoise& noise : estimator.faults().noise()) {
      const std::string sensor = system->sensors().sensors[static_cast<std::size_t>(noise.sensor)].name;
      CAPTURE(sensor);
      CHECK(noise.agrees.has_value());
      if (!loud || sensor == "gauges") CHECK(noise.agrees == !loud);
      CHECK(static_cast<double>(noise.innovations.expected) > 4 * 400);
    }
  }
}
