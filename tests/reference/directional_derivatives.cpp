#include "reference/directional_derivatives.hpp"

#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/scalar/detail/dual_simd.hpp"

namespace sparsedyn {

struct DirectionalDerivatives::Work {
  explicit Work(const Model& m)
      : model(m),
        inverse(m),
        forward(m),
        q(m.nq),
        v(m.nv),
        x(m.nv),
        step(m.nv),
        fx(m.bodies.size()),
        vector(m.nv),
        by_q(m.nv * m.nv),
        by_v(by_q),
        by_x(by_q) {}

  void set(const double* q_in, const double* v_in, const double* x_in, const Force<double>* fx_in, const Direction& to) {
    for (int i = 0; i < model.nq; ++i) q[i] = Dual<>(q_in[i]);
    for (int i = 0; i < model.nv; ++i) {
      step[i] = Dual<>(0.0, {to.q ? to.q[i] : 0.0});
      v[i] = Dual<>(v_in[i], {to.v ? to.v[i] : 0.0});
      x[i] = Dual<>(x_in[i], {to.x ? to.x[i] : 0.0});
    }
    integrate(model, q.data(), step.data(), q.data());
    wrenches = fx_in ? fx.data() : nullptr;
    for (std::size_t b = 0; fx_in && b < fx.size(); ++b) fx[b] = cast<Dual<>>(fx_in[b]);
  }
  void read(double* vector_out, double* by_q_out, double* by_v_out, double* by_x_out) const {
    for (std::size_t i = 0; i < vector.size(); ++i) vector_out[i] = vector[i].d[0];
    for (std::size_t i = 0; i < by_q.size(); ++i)
      by_q_out[i] = by_q[i].d[0], by_v_out[i] = by_v[i].d[0], by_x_out[i] = by_x[i].d[0];
  }

  const Model& model;
  MomentWorkspace<Dual<>> inverse;
  AbaDerivativeWorkspace<Dual<>> forward;
  std::vector<Dual<>> q, v, x, step;
  std::vector<Force<Dual<>>> fx;
  const Force<Dual<>>* wrenches = nullptr;
  std::vector<Dual<>> vector, by_q, by_v, by_x;
};

DirectionalDerivatives::DirectionalDerivatives(const Model& model) : work_(std::make_unique<Work>(model)) {}
DirectionalDerivatives::~DirectionalDerivatives() = default;

void DirectionalDerivatives::inverse(const double* q, const double* v, const double* a, const Force<double>* fx,
                                     const Direction& direction, const RneaDerivatives<double>& out) noexcept {
  Work& w = *work_;
  w.set(q, v, a, fx, direction);
  rnea_derivatives(w.model, w.inverse, w.q.data(), w.v.data(), w.x.data(), w.wrenches,
                   RneaDerivatives<Dual<>>{w.vector.data(), w.by_q.data(), w.by_v.data(), w.by_x.data()});
  w.read(out.tau, out.dtau_dq, out.dtau_dv, out.M);
}

DynamicsStatus DirectionalDerivatives::forward(const double* q, const double* v, const double* tau, const Force<double>* fx,
                                               const Direction& direction, const AbaDerivatives<double>& out) noexcept {
  Work& w = *work_;
  w.set(q, v, tau, fx, direction);
  const DynamicsStatus status =
      aba_derivatives(w.model, w.forward, w.q.data(), w.v.data(), w.x.data(), w.wrenches,
                      AbaDerivatives<Dual<>>{w.vector.data(), w.by_q.data(), w.by_v.data(), w.by_x.data()});
  w.read(out.a, out.da_dq, out.da_dv, out.da_dtau);
  return status;
}

}  // namespace sparsedyn
