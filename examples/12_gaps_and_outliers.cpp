// A log with noise, a gap, a spike and a gauge that sticks: the estimate bounds what the other sensors contradict, leaves the
// stuck gauge out, and names both. 12_gaps_and_outliers.py does the same.
#include <algorithm>
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
  {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.1},
  {"name": "gauges", "type": "joint_torque", "joint": "*", "sigma": 0.3},
  {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 0.5},
  {"name": "air", "type": "external_wrench", "link": "*", "value": 0}]})";

constexpr long rows = 1000, gap = 100, spike = 300, stuck_from = 600;

/// Uniform, of unit variance, the same in both languages.
double noise(std::size_t row, std::size_t reading) {
  const double x = 4e4 * std::sin(12.9898 * static_cast<double>(row) + 78.233 * static_cast<double>(reading));
  return std::sqrt(12.0) * (x - std::floor(x) - 0.5);
}

}  // namespace

int main() {
  const Model arm = load_urdf("robots/arm.urdf");
  SensorSolverOptions options;
  options.outputs = {"tau"}, options.huber = 3;  // standard deviations from which on a reading counts less
  options.plans = searched_plans();
  SensorSolver solver(arm, parse_sensor_set(sensors, "sensors"), options);

  const auto n = static_cast<std::size_t>(arm.nv), inputs = solver.system().inputs().size();
  std::vector<double> q(rows * n), v(rows * n), a(n), tau(rows * n), y(rows * inputs, 0.0), out(rows * n);
  Workspace<double> work(arm);
  for (std::size_t k = 0; k < rows; ++k) {
    for (std::size_t j = 0; j < n; ++j) {
      const double rate = 1.0 + 0.3 * static_cast<double>(j), at = 0.01 * rate * static_cast<double>(k);
      q[k * n + j] = 0.5 * std::sin(at), v[k * n + j] = 0.5 * rate * std::cos(at), a[j] = -0.5 * rate * rate * std::sin(at);
    }
    rnea<double>(arm, work, &q[k * n], &v[k * n], a.data(), nullptr, &tau[k * n]);
    double* const reading = &y[k * inputs];
    for (std::size_t j = 0; j < n; ++j) {
      reading[j] = tau[k * n + j] + 0.1 * noise(k, j);
      reading[n + j] = tau[k * n + j] + 0.3 * noise(k, n + j);
      reading[2 * n + j] = a[j] + 0.5 * noise(k, 2 * n + j);
    }
  }
  y[gap * inputs + n] = std::numeric_limits<double>::quiet_NaN();  // the first gauge is silent once
  y[spike * inputs + n] += 50;                                     // and jumps once
  for (std::size_t k = stuck_from; k < rows; ++k) y[k * inputs + n + 1] = y[stuck_from * inputs + n + 1];  // the second sticks

  const auto failed = solver.solve_batch({q.data(), v.data(), y.data(), rows}, out.data());
  const SolveReport report = solver.report();
  for (const FaultFound& fault : report.faults)
    std::printf("%s: %s from row %ld on\n", fault.column.c_str(), fault_name(fault.kind), fault.from_line);
  double squares = 0;
  for (std::size_t i = 0; i < out.size(); ++i) squares += (out[i] - tau[i]) * (out[i] - tau[i]);
  std::printf("%ld rows with a gap, %zu failed, torque error %.4f\n", report.with_gaps, failed.size(),
              std::sqrt(squares / static_cast<double>(out.size())));
  return failed.empty() && report.faults.size() == 2 ? 0 : 1;
}
