// A state of a robot in any scalar, that can be moved entry by entry, with its inverse or forward dynamics.
#pragma once

#include <vector>

#include "reference/reference_derivatives.hpp"
#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/model/configuration.hpp"

namespace sparsedyn {

/// The dynamics and everything they read and write, in one scalar.
template <class S>
struct DynamicsPoint {
  DynamicsPoint(const Model& m, Dynamics d)
      : model(m),
        dynamics(d),
        ws(m),
        q0(m.nq),
        v0(m.nv),
        x0(m.nv),
        q(m.nq),
        v(m.nv),
        x(m.nv),
        y(m.nv),
        delta(m.nv),
        fx(m.bodies.size()) {}

  void set(const double* q_in, const double* v_in, const double* x_in, const Force<double>* fx_in) {
    for (int i = 0; i < model.nq; ++i) q[i] = q0[i] = S(q_in[i]);
    for (int i = 0; i < model.nv; ++i) v[i] = v0[i] = S(v_in[i]), x[i] = x0[i] = S(x_in[i]), delta[i] = S(0.0);
    has_wrenches = fx_in != nullptr;
    for (std::size_t b = 0; has_wrenches && b < fx.size(); ++b) fx[b] = cast<S>(fx_in[b]);
  }
  const Force<S>* wrenches() const { return has_wrenches ? fx.data() : nullptr; }
  const std::vector<S>& evaluate() {
    if (dynamics == Dynamics::inverse)
      rnea(model, ws, q.data(), v.data(), x.data(), wrenches(), y.data());
    else
      aba(model, ws, q.data(), v.data(), x.data(), wrenches(), y.data());
    return y;
  }
  /// Moves entry k of variable 0 (q, on the tangent), 1 (v) or 2 (x) by h from where it is.
  void move(int variable, int k, const S& h) {
    if (variable != 0) {
      S& entry = variable == 1 ? v[k] : x[k];
      entry = entry + h;
      return;
    }
    delta[k] = h;
    integrate(model, q.data(), delta.data(), q.data());
    delta[k] = S(0.0);
  }
  /// The state as it was set.
  void put_back() { q = q0, v = v0, x = x0; }
  /// The dynamics with one entry moved, the state put back.
  const std::vector<S>& moved(int variable, int k, const S& h) {
    move(variable, k, h);
    evaluate();
    put_back();
    return y;
  }

  const Model& model;
  Dynamics dynamics;
  Workspace<S> ws;
  std::vector<S> q0, v0, x0, q, v, x, y, delta;
  std::vector<Force<S>> fx;
  bool has_wrenches = false;
};

}  // namespace sparsedyn
