// compute christoffel.
#include <algorithm>

#include "algorithm.hpp"
#include "sparsedyn/dynamics/second_derivatives.hpp"

namespace sparsedyn::cli {
namespace {

/// Γ_ijk = ½ (∂M_ij/∂q_k + ∂M_ik/∂q_j − ∂M_jk/∂q_i) = ½ ∂²τ_i/∂v_j∂v_k, since τ holds Σ Γ_ijk v_j v_k.
class ChristoffelRows : public Evaluation {
 public:
  explicit ChristoffelRows(const Model& model)
      : model_(model), work_(model), second_(model), rest_(static_cast<std::size_t>(model.nv), 0.0) {}
  bool evaluate(const State& s, double* out) noexcept override {
    rnea_second_derivatives(model_, work_, s.q, rest_.data(), rest_.data(), static_cast<const Force<double>*>(nullptr),
                            second_);
    const int n = model_.nv;
    std::fill(out, out + n * n * n, 0.0);
    for_each_triple(model_, second_.index(),
                    [&](int i, int j, int k) { out[(i * n + j) * n + k] = 0.5 * second_.vv(i, j, k); });
    return true;
  }

 private:
  const Model& model_;
  SecondWorkspace<double> work_;
  SecondDerivatives<double> second_;
  std::vector<double> rest_;
};

std::vector<std::string> christoffel_columns(const Model& model) {
  std::vector<std::string> names;
  for (int i = 0; i < model.nv; ++i)
    for (int j = 0; j < model.nv; ++j)
      for (int k = 0; k < model.nv; ++k)
        names.push_back("Gamma." + std::to_string(i) + '.' + std::to_string(j) + '.' + std::to_string(k));
  return names;
}

/// The symbols are made of derivatives by coordinates, which rates of turns are not.
Algorithm::Unfit of_several_freedoms(const Model& model) {
  for (const Joint& joint : model.joints)
    for (int body = joint.first_body; body < joint.first_body + joint.bodies; ++body)
      if (freedoms(model.bodies[static_cast<std::size_t>(body)].joint) > 1)
        return {"joint " + joint.name, "several freedoms in one", "a fixed base and joints of one freedom"};
  return {};
}

}  // namespace

const Algorithm christoffel_algorithm{
    "christoffel",
    "Christoffel symbols of the first kind, of a fixed base and joints of one freedom: q -> Gamma",
    {false, false, false, false},
    christoffel_columns,
    [](const Model& model) -> std::unique_ptr<Evaluation> { return std::make_unique<ChristoffelRows>(model); },
    false,
    nullptr,
    nullptr,
    of_several_freedoms};

}  // namespace sparsedyn::cli
