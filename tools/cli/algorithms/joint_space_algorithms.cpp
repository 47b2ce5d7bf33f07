// compute crba, compute minverse.
#include "algorithm.hpp"
#include "cli/logs/log_columns.hpp"
#include "cli/support/massless.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"

namespace sparsedyn::cli {
namespace {

class Crba : public Evaluation {
 public:
  explicit Crba(const Model& model) : model_(model), work_(model) {}
  bool evaluate(const State& s, double* M) noexcept override {
    crba(model_, work_, s.q, M);
    return true;
  }

 private:
  const Model& model_;
  Workspace<double> work_;
};

class Minverse : public Evaluation {
 public:
  explicit Minverse(const Model& model) : model_(model), work_(model) {}
  bool evaluate(const State& s, double* inverse) noexcept override {
    status_ = minverse(model_, work_, s.q, inverse);
    return status_.ok();
  }
  std::string why() const override {
    return status_.ok() ? Evaluation::why()
                        : with_massless_advice("M is singular at ddq." + velocity_names(model_)[status_.singular], model_);
  }

 private:
  const Model& model_;
  Workspace<double> work_;
  DynamicsStatus status_;
};

}  // namespace

const Algorithm crba_algorithm{"crba",
                               "joint-space inertia matrix: q -> M",
                               {false, false, false, false},
                               [](const Model& model) { return matrix_columns(model, {"M"}); },
                               [](const Model& model) -> std::unique_ptr<Evaluation> { return std::make_unique<Crba>(model); }};

const Algorithm minverse_algorithm{
    "minverse",
    "its inverse: q -> Minv",
    {false, false, false, false},
    [](const Model& model) { return matrix_columns(model, {"Minv"}); },
    [](const Model& model) -> std::unique_ptr<Evaluation> { return std::make_unique<Minverse>(model); }};

}  // namespace sparsedyn::cli
