// compute contact-second-derivatives: those of contact-dynamics times multipliers, with the constraints of --constraints.
#include "contact_rows.hpp"
#include "model/columns.hpp"
#include "sparsedyn/codegen/contact_second_derivatives.hpp"

namespace sparsedyn::cli {
namespace {

class SecondRows : public Evaluation {
 public:
  SecondRows(const Model& model, const ConstraintSet& set, const ConstraintOptions& options)
      : second_(model, set, options),
        beyond_(options.effort_limits),
        model_(model),
        a_(model.nv),
        lambda_(second_.dynamics().force_columns().size()),
        gap_(second_.dynamics().gap_columns().size()) {
    for (std::vector<double>& matrix : first_) matrix.resize(a_.size() * a_.size());
    H_.resize(9 * a_.size() * a_.size());
  }
  bool evaluate(const State& s, double* out) noexcept override {
    const ConstraintDerivatives first{a_.data(),        lambda_.data(),   gap_.data(),
                                      first_[0].data(), first_[1].data(), first_[2].data()};
    status_ = second_.evaluate(s.q, s.v, s.tau, s.fx, s.lambda, first, H_.data(), s.more_lambda);
    const std::size_t width = 3 * a_.size();
    for (std::size_t i = 0; i < width; ++i)
      for (std::size_t k = 0; k <= i; ++k) *out++ = H_[i * width + k];
    beyond_.look(s.tau);
    return status_.ok();
  }
  std::string why() const override { return status_.ok() ? Evaluation::why() : second_.dynamics().describe(status_); }
  std::string remark() const override { return beyond_text(beyond_, model_, "the effort limits cut torques off"); }

 private:
  ContactSecondDerivatives second_;
  ConstraintStatus status_;
  BeyondLimits beyond_;
  const Model& model_;
  std::vector<double> a_, lambda_, gap_, first_[3], H_;
};

ComputedAlgorithm second_under(const ConstraintSet& set, const ConstraintOptions& options) {
  ComputedAlgorithm algorithm = contact_second_derivatives_algorithm;
  algorithm.outputs = [](const Model& model) {
    std::vector<std::string> names;
    for (int i = 0; i < 3 * model.nv; ++i)
      for (int k = 0; k <= i; ++k) names.push_back("H." + std::to_string(i) + "." + std::to_string(k));
    return names;
  };
  algorithm.more_multipliers = [=](const Model& model) {
    return with_prefix("multipliers.lambda", ConstrainedDynamics(model, set, options).force_columns());
  };
  algorithm.prepare = [=](const Model& model) { return std::make_unique<SecondRows>(model, set, options); };
  return algorithm;
}

ComputedAlgorithm second_algorithm() {
  ComputedAlgorithm algorithm = needing_constraints("contact-second-derivatives",
                                                    "second derivatives of contact-dynamics times multipliers: q, dq, tau, fx, "
                                                    "multipliers.ddq.* -> H, by (q, dq, tau); with "
                                                    "multipliers.lambda.* those of the forces, too; of redundant rows, "
                                                    "entries along which a loop opens tell nothing",
                                                    {true, false, true, true, true}, second_under);
  algorithm.multipliers = "multipliers.ddq", algorithm.contracts = algorithm.lower_triangles = true;
  return algorithm;
}

}  // namespace

const ComputedAlgorithm contact_second_derivatives_algorithm = second_algorithm();

}  // namespace sparsedyn::cli
