// Code generated for one robot, compiled and called in a loop: inverse dynamics of an arm as straight-line C.
// 16_generated_code.py does the same.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/jit/compiled_program.hpp"
#include "sparsedyn/sparsedyn.hpp"
#include "sparsedyn/urdf/load.hpp"

using namespace sparsedyn;

int main() {
  LoadOptions options;
  options.snap = snap_of_code;  // quarter turns that the file rounds cost no operation
  const Model arm = load_urdf("robots/arm.urdf", options);
  const VectorisedProgram program = vectorised_program(arm, "rnea");
  std::printf("%ld multiplications, %ld additions\n", program.program.counts().mul, program.program.counts().add);
  const CompiledProgram code(emit_c(program, "arm_rnea"), "arm_rnea");  // by $CC or cc; kept in the user's cache

  const auto n = static_cast<std::size_t>(arm.nv);
  std::vector<double> q(n), v(n), a(n), tau(n), expected(n);
  const double* in[] = {q.data(), v.data(), a.data()};
  double* out[] = {tau.data()};
  Workspace<double> work(arm);
  double worst = 0;
  for (int step = 0; step < 1000; ++step) {
    for (std::size_t j = 0; j < n; ++j) {
      const double at = 0.01 * step * static_cast<double>(j + 1);
      q[j] = 0.5 * std::sin(at), v[j] = 0.5 * std::cos(at), a[j] = -0.5 * std::sin(at);
    }
    if (code.call(in, out) != 0) return 1;
    rnea<double>(arm, work, q.data(), v.data(), a.data(), nullptr, expected.data());
    for (std::size_t j = 0; j < n; ++j) worst = std::max(worst, std::abs(tau[j] - expected[j]));
  }
  std::printf("tau of joint 2 at the end: %.6f N m; as the recursion: %s\n", tau[1], worst < 1e-10 ? "yes" : "no");
  return worst < 1e-10 ? 0 : 1;
}
