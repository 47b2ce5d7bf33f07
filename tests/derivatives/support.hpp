// Tangent steps and complex-step references for the derivative tests.
#pragma once

#include <complex>
#include <vector>

#include "sparsedyn/dynamics/derivatives.hpp"
#include "support/robots.hpp"
#include "support/states.hpp"
#include "support/sweep.hpp"

namespace sparsedyn::test {

using Complex = std::complex<double>;

template <class T, class S>
std::vector<T> cast_all(const std::vector<S>& x) {
  return std::vector<T>(x.begin(), x.end());
}
template <class T>
std::vector<Force<T>> cast_all(const std::vector<Force<double>>& x) {
  std::vector<Force<T>> y;
  for (const auto& f : x) y.push_back(cast<T>(f));
  return y;
}

/// q ⊕ step e_k to first order in the step: exact for a complex step or a dual number.
template <class S>
void step_tangent(const Model& model, std::vector<S>& q, int k, const S& step) {
  for (const Body& body : model.bodies) {
    const int c = k - body.v;
    if (c < 0 || c >= freedoms(body.joint)) continue;
    S* x = q.data() + body.q;
    const auto turn = [&](S* u, int axis) {  // u (x, y, z, w) times (step/2 e_axis, 1)
      Vec3<S> e = zero3<S>();
      e[axis] = 0.5 * step;
      const Vec3<S> r{{u[0], u[1], u[2]}};
      const Vec3<S> moved = r + u[3] * e + cross(r, e);
      u[3] -= dot(r, e);
      for (int i = 0; i < 3; ++i) u[i] = moved[i];
    };
    const auto shift = [&](const Mat3<S>& R, int axis) {
      for (int i = 0; i < 3; ++i) x[i] += R(i, axis) * step;
    };
    switch (body.joint) {
      case BodyJoint::spherical: turn(x, c); break;
      case BodyJoint::floating:
        if (c < 3)
          turn(x + 3, c);
        else
          shift(rotation_from_quaternion(x + 3), c - 3);
        break;
      case BodyJoint::planar:
        if (c == 2) {
          x[2] += step;
        } else {
          using std::cos;
          using std::sin;
          const S co = cos(x[2]), si = sin(x[2]);
          x[0] += (c == 0 ? co : S(-si)) * step;
          x[1] += (c == 0 ? si : co) * step;
        }
        break;
      default: x[c] += step;  // coordinates whose rates are the velocities
    }
  }
}

/// Storage for all results of rnea_derivatives.
template <class S>
struct RneaMatrices {
  std::vector<S> tau, dq, dv, M;
  explicit RneaMatrices(const Model& m)
      : tau(m.nv, S(7.0)), dq(m.nv * m.nv, S(7.0)), dv(m.nv * m.nv, S(7.0)), M(m.nv * m.nv, S(7.0)) {}
  RneaDerivatives<S> out() { return {tau.data(), dq.data(), dv.data(), M.data()}; }
};

/// The largest entry of |M| |M⁻¹|, which rounding in M and in its derivatives is amplified by.
double condition(const Model& model, const State& s, const std::vector<double>& Minv);

/// True where the bodies of freedoms i and k lie on one branch.
bool on_one_branch(const Model& model, int i, int k);

}  // namespace sparsedyn::test
