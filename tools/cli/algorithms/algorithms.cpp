#include <algorithm>

#include "cli/support/algorithm.hpp"
#include "cli/support/massless.hpp"

namespace sparsedyn::cli {
namespace {

/// An algorithm of the library's catalogue, and its outputs as columns.
class CatalogueRows : public Evaluation {
 public:
  CatalogueRows(const Algorithm& algorithm, const Model& model)
      : algorithm_(algorithm), model_(model), data_(model), columns_(algorithm.columns(model)) {
    for (const AlgorithmOutput& output : algorithm.outputs) outputs_.emplace_back(static_cast<std::size_t>(output.size(model)));
    for (std::vector<double>& output : outputs_) out_.push_back(output.data());
  }
  bool evaluate(const State& s, double* out) noexcept override {
    singular_ = algorithm_.evaluate(data_, {s.q, s.v, s.a, s.tau, s.lambda, s.fx, s.pi}, out_.data());
    for (const AlgorithmColumn& column : columns_) *out++ = out_[static_cast<std::size_t>(column.output)][column.entry];
    return singular_ == -1;
  }
  std::string why() const override {
    if (singular_ == -1) return Evaluation::why();
    const std::string entry = "ddq." + velocity_names(model_)[static_cast<std::size_t>(singular_)];
    return with_massless_advice(algorithm_.singular + entry, model_);
  }

 private:
  const Algorithm& algorithm_;
  const Model& model_;
  AlgorithmData<double> data_;
  std::vector<AlgorithmColumn> columns_;
  std::vector<std::vector<double>> outputs_;
  std::vector<double*> out_;
  int singular_ = -1;
};

std::vector<std::string> names_of(const std::vector<AlgorithmColumn>& columns) {
  std::vector<std::string> names;
  for (const AlgorithmColumn& column : columns) names.push_back(column.name);
  return names;
}

/// NAME.i.k of an entry of an output, by its axes.
std::string numbered_name(const AlgorithmOutput& output, int entry, const Model& model) {
  std::string indices;
  for (auto axis = output.axes.rbegin(); axis != output.axes.rend(); ++axis) {
    const int n = size_of(*axis, model);
    indices = "." + std::to_string(entry % n) + indices;
    entry /= n;
  }
  return output.name + indices;
}

std::vector<std::string> numbered_names(const Algorithm& algorithm, const Model& model) {
  std::vector<std::string> names;
  for (const AlgorithmColumn& column : algorithm.columns(model))
    names.push_back(numbered_name(algorithm.outputs[static_cast<std::size_t>(column.output)], column.entry, model));
  return names;
}

/// Algorithms of vectors alone are logs: they have no NumPy files.
bool gives_matrices(const Algorithm& algorithm) {
  return std::any_of(algorithm.outputs.begin(), algorithm.outputs.end(),
                     [](const AlgorithmOutput& output) { return output.axes.size() > 1; });
}

ComputedAlgorithm computed(const Algorithm& algorithm) {
  ComputedAlgorithm made{algorithm.name, algorithm.summary, algorithm.reads, {}, {}};
  made.outputs = [&algorithm](const Model& model) { return names_of(algorithm.columns(model)); };
  made.prepare = [&algorithm](const Model& model) { return std::make_unique<CatalogueRows>(algorithm, model); };
  if (gives_matrices(algorithm)) made.numbered = [&algorithm](const Model& model) { return numbered_names(algorithm, model); };
  made.long_form = algorithm.long_form;
  made.meaningless = algorithm.meaningless, made.misfit = algorithm.misfit;
  if (algorithm.contracted) made.contracted = std::make_shared<const ComputedAlgorithm>(computed(*algorithm.contracted));
  return made;
}

ComputedAlgorithm left_out_algorithm(const char* name) {
  ComputedAlgorithm left_out{name, "left out of this build (-DSPARSEDYN_SECOND_DERIVATIVES=ON)", {}, nullptr, nullptr};
  left_out.option = "-DSPARSEDYN_SECOND_DERIVATIVES=ON";
  return left_out;
}

}  // namespace

const std::vector<ComputedAlgorithm>& computed_algorithms() {
  static const std::vector<ComputedAlgorithm> all = [] {
    std::vector<ComputedAlgorithm> made;
    for (const Algorithm& algorithm : algorithms()) made.push_back(computed(algorithm));
    for (const char* name : {"rnea-second-derivatives", "aba-second-derivatives", "rnea-with-derivatives", "christoffel"})
      if (!find_algorithm(name)) made.push_back(left_out_algorithm(name));
    made.insert(made.end(), {contact_dynamics_algorithm, contact_inverse_dynamics_algorithm, contact_derivatives_algorithm,
                             contact_second_derivatives_algorithm, inverse_kinematics_algorithm});
    return made;
  }();
  return all;
}

}  // namespace sparsedyn::cli
