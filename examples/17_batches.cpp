// Ten thousand samples at once: a sensor set's answers in lanes and threads, to the last bit those of single samples, and
// generated code on structures of arrays. 17_batches.py does the same.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "sparsedyn/answers/sensor_solver.hpp"
#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/jit/compiled_program.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/sparsedyn.hpp"
#include "sparsedyn/urdf/load.hpp"

using namespace sparsedyn;

int main() {
  const Model arm = load_urdf("robots/arm.urdf");
  SensorSolverOptions options;
  options.outputs = {"ddq"};
  SensorSolver solver(arm, load_sensor_set("forward-dynamics"), options);

  constexpr std::size_t rows = 10'000;
  const auto n = static_cast<std::size_t>(arm.nv), inputs = solver.system().inputs().size();
  std::vector<double> q(rows * n), v(rows * n), y(rows * inputs, 0.0), out(rows * n), one(n);
  for (std::size_t k = 0; k < rows; ++k)
    for (std::size_t j = 0; j < n; ++j) {
      const double at = 0.01 * static_cast<double>(k * (j + 1));
      q[k * n + j] = 0.5 * std::sin(at), v[k * n + j] = 0.5 * std::cos(at), y[k * inputs + j] = std::sin(2 * at);
    }
  const auto failed = solver.solve_batch({q.data(), v.data(), y.data(), rows}, out.data(), 0);  // 0: a thread a core
  bool same = failed.empty();
  for (std::size_t k = 0; k < rows; k += 97) {
    same = same && solver.solve(&q[k * n], &v[k * n], &y[k * inputs], one.data()).ok;
    same = same && std::equal(one.begin(), one.end(), &out[k * n]);
  }
  std::printf("ddq of joint 1, last sample: %.6f rad/s2; the bits of single samples: %s\n", out[(rows - 1) * n],
              same ? "yes" : "no");

  // Generated code takes element e of sample s at e * rows + s.
  const CompiledProgram code(emit_c(vectorised_program(arm, "aba"), "arm_aba"), "arm_aba");
  std::vector<double> columns[3], ddq(n * rows);
  for (auto& column : columns) column.resize(n * rows);
  for (std::size_t k = 0; k < rows; ++k)
    for (std::size_t j = 0; j < n; ++j) {
      columns[0][j * rows + k] = q[k * n + j], columns[1][j * rows + k] = v[k * n + j];
      columns[2][j * rows + k] = y[k * inputs + j];
    }
  const double* in[] = {columns[0].data(), columns[1].data(), columns[2].data()};
  double* result[] = {ddq.data()};
  code.batch(in, result, static_cast<long>(rows));
  double worst = 0;
  for (std::size_t k = 0; k < rows; ++k)
    for (std::size_t j = 0; j < n; ++j) worst = std::max(worst, std::abs(ddq[j * rows + k] - out[k * n + j]));
  std::printf("generated code agrees: %s\n", worst < 1e-9 ? "yes" : "no");
  return same && worst < 1e-9 ? 0 : 1;
}
