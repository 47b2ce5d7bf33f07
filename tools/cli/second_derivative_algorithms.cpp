// compute rnea-second-derivatives: the entries that the tree allows, in long form.
#include "cli/algorithm.hpp"
#include "sparsedyn/recursive/rnea_second_derivatives.hpp"

namespace sparsedyn::cli {
namespace {

/// Calls visit(a, b, c) for all ordered triples on one branch.
template <class Visit>
void for_each_triple(const TripleIndex& index, Visit&& visit) {
  for (int a = 0; a < index.nv(); ++a)
    for (int b = 0; b < index.nv(); ++b)
      for (int c = 0; c < index.nv(); ++c)
        if (index.on_one_branch(a, b) && index.on_one_branch(a, c) && index.on_one_branch(b, c)) visit(a, b, c);
}

std::vector<std::string> tensor_entries(const Model& model) {
  const TripleIndex index(model);
  std::vector<std::string> names;
  for (const char* tensor : {"d2tau_dqdq", "d2tau_dqdv", "d2tau_dvdv", "dM_dq"})
    for_each_triple(index, [&](int a, int b, int c) {
      names.push_back(tensor + ('.' + std::to_string(a)) + '.' + std::to_string(b) + '.' + std::to_string(c));
    });
  return names;
}

class RneaSecondDerivativeRows : public Evaluation {
 public:
  explicit RneaSecondDerivativeRows(const Model& model) : model_(model), work_(model), second_(model) {}
  bool evaluate(const State& s, double* out) noexcept override {
    rnea_second_derivatives(model_, work_, s.q, s.v, s.a, s.fx, second_);
    const auto write = [&](auto entry) {
      for_each_triple(second_.index(), [&](int a, int b, int c) { *out++ = (second_.*entry)(a, b, c); });
    };
    using Second = SecondDerivatives<double>;
    write(&Second::qq), write(&Second::qv), write(&Second::vv), write(&Second::Mq);
    return true;
  }

 private:
  const Model& model_;
  SecondWorkspace<double> work_;
  SecondDerivatives<double> second_;
};

}  // namespace

const Algorithm rnea_second_derivatives_algorithm{
    "rnea-second-derivatives",
    "second derivatives of inverse dynamics, one entry a line: q, dq, ddq, fx -> d2tau_dqdq, d2tau_dqdv, d2tau_dvdv, dM_dq",
    {true, true, false, true},
    tensor_entries,
    [](const Model& model) -> std::unique_ptr<Evaluation> { return std::make_unique<RneaSecondDerivativeRows>(model); },
    true};

}  // namespace sparsedyn::cli
