// Derivatives of link velocities and accelerations against complex steps of the forward kinematics.
#include <catch2/catch.hpp>

#include "sparsedyn/dynamics/kinematics.hpp"
#include "support.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

constexpr double step = 1e-30;

/// Imaginary parts of the link's velocity and acceleration, over the step, into column k.
void step_column(const Model& model, Workspace<Complex>& ws, int link, int k, const std::vector<Complex>& q,
                 const std::vector<Complex>& v, const std::vector<Complex>& a, std::vector<double>& dv,
                 std::vector<double>& da) {
  forward_kinematics(model, ws, q.data(), v.data(), a.data());
  const Motion<Complex> V = link_velocity(model, ws, link), A = link_acceleration(model, ws, link);
  for (int r = 0; r < 3; ++r) {
    dv[r * model.nv + k] = V.w[r].imag() / step, dv[(3 + r) * model.nv + k] = V.v[r].imag() / step;
    da[r * model.nv + k] = A.w[r].imag() / step, da[(3 + r) * model.nv + k] = A.v[r].imag() / step;
  }
}

void check(const Model& model, const State& s) {
  const std::size_t size = 6 * model.nv;
  const auto q0 = cast_all<Complex>(s.q), v0 = cast_all<Complex>(s.v), a0 = cast_all<Complex>(s.a);
  Workspace<double> ws(model);
  Workspace<Complex> complex_ws(model);
  forward_kinematics(model, ws, s.q.data(), s.v.data(), s.a.data());
  for (int link = 0; link < static_cast<int>(model.links.size()); ++link) {
    std::vector<double> dv_dq(size, 7), dv_dv(size, 7), da_dq(size, 7), da_dv(size, 7);
    link_derivatives(model, ws, link, {dv_dq.data(), dv_dv.data(), da_dq.data(), da_dv.data()});
    std::vector<double> rv_dq(size), rv_dv(size), ra_dq(size), ra_dv(size), rv_da(size), ra_da(size);
    for (int k = 0; k < model.nv; ++k) {
      auto q = q0, v = v0, a = a0;
      step_tangent(model, q, k, Complex(0, step));
      v[k] += Complex(0, step);
      a[k] += Complex(0, step);
      step_column(model, complex_ws, link, k, q, v0, a0, rv_dq, ra_dq);
      step_column(model, complex_ws, link, k, q0, v, a0, rv_dv, ra_dv);
      step_column(model, complex_ws, link, k, q0, v0, a, rv_da, ra_da);
    }
    CHECK(norm_error(dv_dq, rv_dq) < 1e-12);
    CHECK(norm_error(dv_dv, rv_dv) < 1e-12);
    CHECK(norm_error(da_dq, ra_dq) < 1e-12);
    CHECK(norm_error(da_dv, ra_dv) < 1e-12);
    CHECK(norm_error(dv_dv, ra_da) < 1e-12);
  }
}

}  // namespace

TEST_CASE("kinematic derivatives of every link of random trees, with lumped links and the fixed root, agree with differences") {
  for (bool floating : {false, true})
    for (unsigned seed = 0; seed < 4; ++seed) {
      INFO("floating " << floating << " seed " << seed);
      const Model model = random_tree(9, 300 + seed, {floating, true, 0.4, every_joint_kind()});
      std::mt19937 rng(seed);
      check(model, random_state(model, rng));
      for (const State& s : special_states(model, rng, 1)) check(model, s);
    }
}
