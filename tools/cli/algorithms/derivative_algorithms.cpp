// compute rnea-derivatives, compute aba-derivatives: matrices row by row, in the order of v, columns by q on the tangent space.
#include "algorithm.hpp"
#include "cli/logs/log_columns.hpp"
#include "cli/support/massless.hpp"
#include "sparsedyn/dynamics/derivatives.hpp"

namespace sparsedyn::cli {
namespace {

class RneaDerivativeRows : public Evaluation {
 public:
  explicit RneaDerivativeRows(const Model& model) : model_(model), work_(model), tau_(model.nv) {}
  bool evaluate(const State& s, double* out) noexcept override {
    const int size = model_.nv * model_.nv;
    rnea_derivatives(model_, work_, s.q, s.v, s.a, s.fx, {tau_.data(), out, out + size, out + 2 * size});
    return true;
  }

 private:
  const Model& model_;
  MomentWorkspace<double> work_;
  std::vector<double> tau_;
};

class AbaDerivativeRows : public Evaluation {
 public:
  explicit AbaDerivativeRows(const Model& model) : model_(model), work_(model), a_(model.nv) {}
  bool evaluate(const State& s, double* out) noexcept override {
    const int size = model_.nv * model_.nv;
    status_ = aba_derivatives(model_, work_, s.q, s.v, s.tau, s.fx, {a_.data(), out, out + size, out + 2 * size});
    return status_.ok();
  }
  std::string why() const override {
    return status_.ok() ? Evaluation::why()
                        : with_massless_advice("singular at ddq." + velocity_names(model_)[status_.singular], model_);
  }

 private:
  const Model& model_;
  AbaDerivativeWorkspace<double> work_;
  std::vector<double> a_;
  DynamicsStatus status_;
};

}  // namespace

const Algorithm rnea_derivatives_algorithm{
    "rnea-derivatives",
    "derivatives of inverse dynamics: q, dq, ddq, fx -> dtau_dq, dtau_dv, M = dtau_dddq",
    {true, true, false, true},
    [](const Model& model) {
      return matrix_columns(model, {"dtau_dq", "dtau_dv", "M"});
    },
    [](const Model& model) -> std::unique_ptr<Evaluation> { return std::make_unique<RneaDerivativeRows>(model); }};

const Algorithm aba_derivatives_algorithm{
    "aba-derivatives",
    "derivatives of forward dynamics: q, dq, tau, fx -> dddq_dq, dddq_dv, dddq_dtau",
    {true, false, true, true},
    [](const Model& model) {
      return matrix_columns(model, {"dddq_dq", "dddq_dv", "dddq_dtau"});
    },
    [](const Model& model) -> std::unique_ptr<Evaluation> { return std::make_unique<AbaDerivativeRows>(model); }};

}  // namespace sparsedyn::cli
