// compute regressor.
#include "algorithm.hpp"
#include "sparsedyn/dynamics/regressor.hpp"

namespace sparsedyn::cli {
namespace {

class RegressorRows : public Evaluation {
 public:
  explicit RegressorRows(const Model& model) : model_(model), work_(model) {}
  bool evaluate(const State& s, double* Y) noexcept override {
    regressor(model_, work_, s.q, s.v, s.a, Y);
    return true;
  }

 private:
  const Model& model_;
  RegressorWorkspace<double> work_;
};

std::vector<std::string> regressor_columns(const Model& model) {
  std::vector<std::string> names;
  const int count = ParameterIndex(model).count;
  for (int i = 0; i < model.nv; ++i)
    for (int k = 0; k < count; ++k) names.push_back("Y." + std::to_string(i) + '.' + std::to_string(k));
  return names;
}

}  // namespace

const Algorithm regressor_algorithm{
    "regressor",
    "tau = Y times the parameters that `info --json` lists as parameter_names: q, dq, ddq -> Y",
    {true, true, false, false},
    regressor_columns,
    [](const Model& model) -> std::unique_ptr<Evaluation> { return std::make_unique<RegressorRows>(model); }};

}  // namespace sparsedyn::cli
