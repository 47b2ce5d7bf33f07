// Any sensors in, every quantity by name out: an arm whose torques are measured twice and whose accelerations are estimated
// from encoders. The five lines that matter: a robot, a sensor set, where plans come from, a solver, an answer. Then a batch
// with a gauge that is silent for a while, and a spike. 11_sensor_solver.py does the same.
#include <cmath>
#include <cstdio>
#include <limits>

#include "sparsedyn/answers/sensor_solver.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/planning/search.hpp"
#include "sparsedyn/sparsedyn.hpp"
#include "sparsedyn/urdf/load.hpp"

using namespace sparsedyn;

namespace {

const char* const sensors = R"({"name": "gauged", "sensors": [
  {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.3},
  {"name": "gauges", "type": "joint_torque", "joint": "*", "sigma": 0.1},
  {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 0.5},
  {"name": "air", "type": "external_wrench", "link": "*", "value": 0}]})";

constexpr long rows = 1000, silent_from = 200, silent_to = 300, spike = 700;

}  // namespace

int main() {
  const Model arm = load_urdf("robots/arm.urdf");
  SensorSolverOptions options;
  options.outputs = {"tau"}, options.deviations = true;
  options.plans = searched_plans();  // nothing is searched where a stored plan or a recursive order serves
  SensorSolver solver(arm, parse_sensor_set(sensors, "sensors"), options);

  // a motion, and what the sensors read on it
  const std::size_t n = static_cast<std::size_t>(arm.nv), inputs = solver.system().inputs().size();
  const std::size_t columns = solver.columns().size();
  std::vector<double> q(rows * n), v(rows * n), a(n), tau(rows * n), y(rows * inputs, 0.0), out(rows * columns);
  Workspace<double> work(arm);
  for (std::size_t k = 0; k < rows; ++k) {
    for (std::size_t j = 0; j < n; ++j) {
      const double rate = 1.0 + 0.3 * static_cast<double>(j), at = 0.01 * rate * static_cast<double>(k);
      q[k * n + j] = 0.5 * std::sin(at), v[k * n + j] = 0.5 * rate * std::cos(at), a[j] = -0.5 * rate * rate * std::sin(at);
    }
    rnea<double>(arm, work, &q[k * n], &v[k * n], a.data(), nullptr, &tau[k * n]);
    for (std::size_t j = 0; j < n; ++j) {
      y[k * inputs + j] = y[k * inputs + n + j] = tau[k * n + j];
      y[k * inputs + 2 * n + j] = a[j];
      if (k >= silent_from && k < silent_to) y[k * inputs + n + j] = std::numeric_limits<double>::quiet_NaN();
    }
  }
  y[spike * inputs] += 50;

  const Answer answer = solver.solve(q.data(), v.data(), y.data(), out.data());  // no heap: for a control loop
  std::printf("tau.joint1 %.4f, sd %.4f\n", out[0], out[n]);
  if (!answer.ok) return 1;
  const auto failed = solver.solve_batch({q.data(), v.data(), y.data(), rows}, out.data(), 2);
  const SolveReport report = solver.report();
  double worst = 0;
  for (std::size_t k = 0; k < rows; ++k)
    for (std::size_t j = 0; j < n; ++j)
      if (k != spike) worst = std::max(worst, std::abs(out[k * columns + j] - tau[k * n + j]));
  std::printf("sd %.4f, where the gauges are silent %.4f\n", out[n], out[250 * columns + n]);
  std::printf("%ld rows, the largest error below 1e-9: %s\n", rows, report.estimated && worst < 1e-9 ? "yes" : "no");
  return failed.empty() && worst < 1e-9 && out[250 * columns + n] > 1.5 * out[n] ? 0 : 1;
}
