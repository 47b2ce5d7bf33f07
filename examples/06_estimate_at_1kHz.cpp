// An arm with torque sensors that are read twice, and accelerations: a stored plan, a loop of 1 kHz without heap or locks, and
// a second thread that tells it a new deviation of the torque sensors while it runs. A reading that is far off is left out, and
// named.
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <thread>

#include "sparsedyn/json/files.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/sparsedyn.hpp"
#include "sparsedyn/urdf/load.hpp"

using namespace sparsedyn;

namespace {

const char* const sensors = R"({"sensors": [
  {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.3},
  {"name": "gauges", "type": "joint_torque", "joint": "*", "sigma": 0.1},
  {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 0.5},
  {"name": "air", "type": "external_wrench", "link": "*", "value": 0}]})";

/// What another thread wants of the loop: it writes, the loop reads when it comes by. No lock, so the loop never waits.
std::atomic<double> wanted_sigma{0.3};

/// Offline: the order is searched once, and kept as text (or in a file).
std::string planned_offline(const System& system) {
  return plan_to_json(stored_plan(*plan_estimator(system)), {"arm", "gauged"});
}

/// On the robot: no search.
std::shared_ptr<const EstimatorPlan> stored(const System& system, const std::string& text) {
  const EstimatorShape shape = estimator_shape(system);
  return plan_estimator(
      system, plan_from_json(json::Document::parse(text, "plan"), shape.fingerprint, shape.augmented.pattern(), shape.unit));
}

}  // namespace

int main() {
  const Model arm = load_urdf("robots/arm.urdf");
  const auto system = std::make_shared<const System>(arm, parse_sensor_set(sensors, "sensors"));
  EstimatorOptions options;
  options.outputs = {"tau"};
  options.standard_deviations = options.gate = true;
  Estimator estimator(system, stored(*system, planned_offline(*system)), options);

  std::thread operator_console([] {  // the motors' sensors turn out to be worse than thought
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    wanted_sigma = 3.0;
  });

  const int ticks = 300, last = 10'000, nv = arm.nv;  // a busy machine may be late with the other thread
  std::vector<double> q(arm.nq), dq(nv), y(system->inputs().size()), still(nv), tau(nv);
  Workspace<double> work(arm);
  double sigma = wanted_sigma, slowest = 0;
  int named = -1;
  auto next = std::chrono::steady_clock::now();
  for (int tick = 0; tick < ticks || (sigma != 3.0 && tick < last); ++tick) {
    for (int i = 0; i < arm.nq; ++i) q[i] = 0.3 * std::sin(0.01 * tick + i);
    rnea<double>(arm, work, q.data(), dq.data(), still.data(), nullptr, tau.data());  // a robot's sensors would be read here
    for (int i = 0; i < nv; ++i) y[i] = y[nv + i] = tau[i];
    if (tick == 50) y[nv] += 200;  // a spike in the first gauge
    const auto start = std::chrono::steady_clock::now();
    if (const double wanted = wanted_sigma; wanted != sigma && estimator.set_sigma("motors", wanted)) sigma = wanted;
    const EstimateStatus status = estimator.estimate(q.data(), dq.data(), y.data(), tau.data());
    if (!status.ok()) return 1;
    if (status.outlier && tick == 50) named = estimator.leave_out_suspects().empty() ? -1 : estimator.leave_out_suspects()[0];
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
    slowest = std::max(slowest, took.count());
    next += std::chrono::milliseconds(1);
    std::this_thread::sleep_until(next);
  }
  operator_console.join();
  const double sd_after = estimator.standard_deviations()[0];
  // what the same state would have been told before
  if (!estimator.set_sigma("motors", 0.3) || !estimator.estimate(q.data(), dq.data(), y.data(), tau.data()).ok()) return 1;
  const double sd_before = estimator.standard_deviations()[0];
  std::printf("sd of the first torque %.3f, after the reload %.3f; the spike is in %s; slowest tick %.0f us\n", sd_before,
              sd_after, named < 0 ? "nothing" : system->equation_names()[named].c_str(), slowest);
  const bool reloaded = sigma == 3.0 && sd_after > sd_before;
  return reloaded && named == estimator.rows("y.gauges.joint1").at(0) ? 0 : 1;
}
