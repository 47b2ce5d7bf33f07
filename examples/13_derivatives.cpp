// Exact derivatives: of inverse and forward dynamics by the robot's state, and of what sensors tell by state and readings.
// 13_derivatives.py does the same.
#include <cmath>
#include <cstdio>

#include "sparsedyn/answers/sensor_derivatives.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/planning/search.hpp"
#include "sparsedyn/sparsedyn.hpp"
#include "sparsedyn/urdf/load.hpp"

using namespace sparsedyn;

namespace {

const char* const sensors = R"({"name": "gauged", "sensors": [
  {"name": "gauges", "type": "joint_torque", "joint": "*", "sigma": 0.1},
  {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 0.5},
  {"name": "air", "type": "external_wrench", "link": "*", "value": 0}]})";

/// Row by row.
void print(const char* name, const std::vector<double>& matrix, std::size_t columns) {
  std::printf("%s, first row:", name);
  for (std::size_t k = 0; k < columns; ++k) std::printf(" %.6f", matrix[k] + 0.0);
  std::printf("\n");
}

}  // namespace

int main() {
  const Model arm = load_urdf("robots/arm.urdf");
  const auto n = static_cast<std::size_t>(arm.nv);
  std::vector<double> q(n), v(n), a(n), tau(n), dq(n * n), dv(n * n), M(n * n), acceleration(n);
  for (std::size_t j = 0; j < n; ++j) {
    const auto k = static_cast<double>(j + 1);
    q[j] = 0.3 * std::sin(k), v[j] = 0.5 * std::cos(k), a[j] = 0.2 * k;
  }

  MomentWorkspace<double> inverse(arm);
  rnea_derivatives<double>(arm, inverse, q.data(), v.data(), a.data(), nullptr, {tau.data(), dq.data(), dv.data(), M.data()});
  print("dtau_dq", dq, n);

  AbaDerivativeWorkspace<double> forward(arm);
  std::vector<double> da_dq(n * n), da_dv(n * n), Minv(n * n);
  if (!aba_derivatives<double>(arm, forward, q.data(), v.data(), tau.data(), nullptr,
                               {acceleration.data(), da_dq.data(), da_dv.data(), Minv.data()})
           .ok())
    return 1;
  print("dddq_dq", da_dq, n);

  // the estimate of the torques from gauges and encoders: how it follows the state, and each reading
  const auto system = std::make_shared<const System>(arm, parse_sensor_set(sensors, "sensors"));
  SensorDerivatives estimate(system, {"tau"}, searched_plans());
  const std::size_t inputs = system->inputs().size();
  std::vector<double> y(inputs, 0.0), by_q(n * n), by_y(n * inputs);
  for (std::size_t j = 0; j < n; ++j) y[j] = tau[j], y[n + j] = a[j];
  DerivativeArrays into{};
  into.dq = by_q.data(), into.dy = by_y.data();
  if (!estimate.at(q.data(), v.data(), y.data(), into)) return 1;
  print("estimated tau by q", by_q, n);
  print("estimated tau by y", by_y, 2 * n);
  return 0;
}
