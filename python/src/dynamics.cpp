// sd.rnea, sd.aba, sd.crba, sd.minverse, sd.bias, sd.gravity, sd.coriolis.
#include "algorithm.hpp"

namespace sparsedyn::python {

#define SPARSEDYN_TAIL                                                                                                      \
  "out: float64 array(s) of the result's shape, written in place. threads: 0 for all cores; the numbers are the same for\n" \
  "any number. A sample that fails raises SolveError (`.rows`, `.messages`); with on_error='nan' it is NaN, and the\n"      \
  "named tuple (value, failed) is returned."

void bind_dynamics(nb::module_& m) {
  define(m, of_catalogue("rnea", nullptr, PackedAlgorithm::rnea),
         R"(Inverse dynamics: tau = M(q) ddq + bias(q, dq) − Σ Jᵀ fx, by the recursive Newton–Euler algorithm.

q (..., nq), dq and ddq (..., nv) -> tau (..., nv); rad, m, N·m, N. fx: {link: (..., 6)}, the wrench of the world on the link
in the link's frame about its origin, moment first. Cost: O(n); Panda: a third of a microsecond.

)" SPARSEDYN_TAIL);
  define(m, of_catalogue("aba", nullptr, PackedAlgorithm::aba),
         R"(Forward dynamics: ddq = M(q)⁻¹ (tau − bias(q, dq) + Σ Jᵀ fx), by the articulated-body algorithm.

q (..., nq), dq and tau (..., nv) -> ddq (..., nv). fx as in rnea. A state at which a joint moves no inertia fails. Cost: O(n).

)" SPARSEDYN_TAIL);
  define(m, of_catalogue("crba", nullptr, PackedAlgorithm::crba),
         R"(The joint-space inertia matrix M(q), symmetric, all entries: q (..., nq) -> (..., nv, nv). Cost: O(n · depth).

)" SPARSEDYN_TAIL);
  define(m, of_catalogue("minverse"),
         R"(The inverse of M(q), symmetric, all entries: q (..., nq) -> (..., nv, nv). Cost: O(n² · depth).

)" SPARSEDYN_TAIL);
  define(m, of_catalogue("bias", nullptr, PackedAlgorithm::bias), R"(Coriolis, centrifugal and gravity torques: tau at ddq = 0.

q (..., nq), dq (..., nv) -> (..., nv). fx as in rnea. Cost: O(n).

)" SPARSEDYN_TAIL);
  define(m, of_catalogue("gravity", nullptr, PackedAlgorithm::gravity),
         R"(The torques that hold the robot still: tau at dq = ddq = 0. q (..., nq) -> (..., nv). Cost: O(n).

)" SPARSEDYN_TAIL);
  define(m, of_catalogue("coriolis"),
         R"(The Coriolis matrix C(q, dq) with C dq = bias(q, dq) − bias(q, 0) and dM/dt = C + Cᵀ, as Pinocchio's.

q (..., nq), dq (..., nv) -> (..., nv, nv). Cost: 350 flops a body, 120 for each pair of joints on a branch.

)" SPARSEDYN_TAIL);
}

}  // namespace sparsedyn::python
