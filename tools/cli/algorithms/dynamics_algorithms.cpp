// compute rnea, compute aba.
#include "algorithm.hpp"
#include "cli/logs/log_columns.hpp"
#include "cli/support/massless.hpp"
#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/dynamics/rnea.hpp"

namespace sparsedyn::cli {
namespace {

class Rnea : public Evaluation {
 public:
  explicit Rnea(const Model& model) : model_(model), work_(model) {}
  bool evaluate(const State& s, double* tau) noexcept override {
    rnea(model_, work_, s.q, s.v, s.a, s.fx, tau);
    return true;
  }

 private:
  const Model& model_;
  Workspace<double> work_;
};

class Aba : public Evaluation {
 public:
  explicit Aba(const Model& model) : model_(model), work_(model) {}
  bool evaluate(const State& s, double* a) noexcept override {
    status_ = aba(model_, work_, s.q, s.v, s.tau, s.fx, a);
    return status_.ok();
  }
  std::string why() const override {
    return status_.ok() ? Evaluation::why()
                        : with_massless_advice("singular at ddq." + velocity_names(model_)[status_.singular], model_);
  }

 private:
  const Model& model_;
  Workspace<double> work_;
  DynamicsStatus status_;
};

}  // namespace

const Algorithm rnea_algorithm{"rnea",
                               "inverse dynamics: q, dq, ddq, fx -> tau",
                               {true, true, false, true},
                               [](const Model& model) { return with_prefix("tau", force_names(model)); },
                               [](const Model& model) -> std::unique_ptr<Evaluation> { return std::make_unique<Rnea>(model); }};

const Algorithm aba_algorithm{"aba",
                              "forward dynamics: q, dq, tau, fx -> ddq",
                              {true, false, true, true},
                              [](const Model& model) { return with_prefix("ddq", velocity_names(model)); },
                              [](const Model& model) -> std::unique_ptr<Evaluation> { return std::make_unique<Aba>(model); }};

}  // namespace sparsedyn::cli
