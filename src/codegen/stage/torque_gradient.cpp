#include "torque_gradient.hpp"

#include "codegen/differentiate/joint_tangent.hpp"
#include "codegen/differentiate/reverse_sweep.hpp"

namespace sparsedyn {

TorqueGradient torque_gradient(const Model& model, const MinimalFormulation& f, const std::vector<Expr>& q,
                               const std::vector<Expr>& v, const std::vector<Expr>& a, const std::vector<Expr>& w) {
  const auto power_of_torques = [&](Recorder& recorder) {
    const std::vector<std::string> names = velocity_names(model);
    const std::vector<Expr> own_q = recorder.coordinates(model), own_v = recorder.input("v", prefixed("v.", names)),
                            own_a = recorder.input("a", prefixed("a.", names)),
                            own_w = recorder.input("w", prefixed("w.", names)),
                            tau = inverse_dynamics(model, f, own_q, own_v, own_a.data(), WrenchInputs());
    Expr power;
    for (std::size_t k = 0; k < tau.size(); ++k) power += own_w[k] * tau[k];
    recorder.output("power", {"power"}, {power});
  };
  const PortValues slopes = reverse_sweep(power_of_torques, {q, v, a, w}, {{Expr(1.0)}});
  return {tangent_slopes(model, q, slopes[0]), slopes[1]};
}

}  // namespace sparsedyn
