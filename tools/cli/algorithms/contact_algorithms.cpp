// compute contact-dynamics, contact-inverse-dynamics, contact-derivatives: with the constraints of --constraints.
#include "cli/logs/log_columns.hpp"
#include "cli/support/messages.hpp"
#include "contact_rows.hpp"
#include "io/text/how_many.hpp"
#include "sparsedyn/constraints/constrained_dynamics.hpp"
#include "sparsedyn/io/input_error.hpp"

namespace sparsedyn::cli {
std::string beyond_text(const BeyondLimits& beyond, const Model& model, const char* what) {
  if (beyond.rows() == 0) return "";
  std::vector<std::string> names = force_names(model), told;
  for (std::size_t i = 0; i < beyond.rows_of().size(); ++i)
    if (const long rows = beyond.rows_of()[i]; rows > 0) told.push_back("tau." + names[i] + " (" + std::to_string(rows) + ")");
  return what + std::string(" in ") + how_many(static_cast<long>(beyond.rows()), "row", "rows") + ": " + listing(told);
}

namespace {

class ContactRows : public Evaluation {
 public:
  ContactRows(const Model& model, const ConstraintSet& set, const ConstraintOptions& options)
      : dynamics_(model, set, options), beyond_(options.effort_limits), model_(model), nv_(model.nv) {}
  std::string why() const override { return status_.ok() ? "the outputs are not finite" : dynamics_.describe(status_); }
  std::string remark() const override { return beyond_text(beyond_, model_, "the effort limits cut torques off"); }

 protected:
  double* lambda(double* out) const { return out + nv_; }
  double* gap(double* out) const { return lambda(out) + dynamics_.force_columns().size(); }
  double& iterations(double* out) const { return gap(out)[dynamics_.gap_columns().size()]; }
  ConstrainedDynamics dynamics_;
  ConstraintStatus status_;
  BeyondLimits beyond_;
  const Model& model_;
  int nv_;
};

class ForwardRows : public ContactRows {
 public:
  using ContactRows::ContactRows;
  bool evaluate(const State& s, double* out) noexcept override {
    status_ = dynamics_.forward(s.q, s.v, s.tau, s.fx, out, lambda(out), gap(out));
    iterations(out) = status_.iterations;
    beyond_.look(s.tau);
    return status_.ok();
  }
};

class InverseRows : public ContactRows {
 public:
  using ContactRows::ContactRows;
  bool evaluate(const State& s, double* out) noexcept override {
    status_ = dynamics_.inverse(s.q, s.v, s.a, s.fx, out, lambda(out), gap(out));
    if (status_.ok()) beyond_.look(out);
    return status_.ok();
  }
  std::string remark() const override { return beyond_text(beyond_, model_, "the motion takes more than the effort limits"); }
};

class DerivativeRows : public ContactRows {
 public:
  DerivativeRows(const Model& model, const ConstraintSet& set, const ConstraintOptions& options)
      : ContactRows(model, set, options),
        a_(model.nv),
        lambda_(dynamics_.force_columns().size()),
        gap_(dynamics_.gap_columns().size()) {}
  bool evaluate(const State& s, double* out) noexcept override {
    const std::size_t n = a_.size(), square = n * n, rest = lambda_.size() * n;
    double* const forces = out + 3 * square;
    status_ = dynamics_.derivatives(s.q, s.v, s.tau, s.fx,
                                    {a_.data(), lambda_.data(), gap_.data(), out, out + square, out + 2 * square, forces,
                                     forces + rest, forces + 2 * rest});
    beyond_.look(s.tau);
    return status_.ok();
  }

 private:
  std::vector<double> a_, lambda_, gap_;
};

/// `kind`NAME of the freedoms, then lambda and gap, then `more`: made at the first call, for the one robot of a run.
std::function<std::vector<std::string>(const Model&)> columns(const ConstraintSet& set, const std::string& kind,
                                                              const std::string& more) {
  const auto made = std::make_shared<std::vector<std::string>>();
  return [=](const Model& model) {
    if (!made->empty()) return *made;
    const ConstrainedDynamics dynamics(model, set);
    for (const std::string& name : kind == "tau." ? force_names(model) : velocity_names(model)) made->push_back(kind + name);
    for (const std::string& name : dynamics.force_columns()) made->push_back("lambda." + name);
    for (const std::string& name : dynamics.gap_columns()) made->push_back("gap." + name);
    if (!more.empty()) made->push_back(more);
    return *made;
  };
}

ComputedAlgorithm forward_under(const ConstraintSet& set, const ConstraintOptions& options) {
  ComputedAlgorithm algorithm = contact_dynamics_algorithm;
  algorithm.outputs = columns(set, "ddq.", "iterations");
  algorithm.prepare = [=](const Model& model) { return std::make_unique<ForwardRows>(model, set, options); };
  return algorithm;
}

ComputedAlgorithm inverse_under(const ConstraintSet& set, const ConstraintOptions& options) {
  for (const Constraint& c : set.constraints)
    if (c.hard)
      throw InputError(set.file, c.line, "constraint \"" + c.name + "\"", "\"hard\": true",
                       "soft constraints alone: forces of hard ones are no function of the accelerations");
  ComputedAlgorithm algorithm = contact_inverse_dynamics_algorithm;
  algorithm.outputs = columns(set, "tau.", "");
  algorithm.prepare = [=](const Model& model) { return std::make_unique<InverseRows>(model, set, options); };
  return algorithm;
}

ComputedAlgorithm derivatives_under(const ConstraintSet& set, const ConstraintOptions& options) {
  ComputedAlgorithm algorithm = contact_derivatives_algorithm;
  algorithm.outputs = [set](const Model& model) {
    std::vector<std::string> names;
    for (const AlgorithmColumn& column : matrix_columns({"dddq_dq", "dddq_dv", "dddq_dtau"}, model.nv, model.nv))
      names.push_back(column.name);
    const std::size_t forces = ConstrainedDynamics(model, set).force_columns().size();
    for (const char* matrix : {"dlambda_dq.", "dlambda_dv.", "dlambda_dtau."})
      for (std::size_t i = 0; i < forces; ++i)
        for (int k = 0; k < model.nv; ++k) names.push_back(matrix + std::to_string(i) + "." + std::to_string(k));
    return names;
  };
  algorithm.prepare = [=](const Model& model) { return std::make_unique<DerivativeRows>(model, set, options); };
  return algorithm;
}

}  // namespace

ComputedAlgorithm needing_constraints(const char* name, const char* summary, const AlgorithmReads& reads,
                                      ComputedAlgorithm (*constrained)(const ConstraintSet&, const ConstraintOptions&)) {
  ComputedAlgorithm algorithm{name, summary, reads, {}, {}};
  algorithm.constrained = constrained;
  return algorithm;
}

const ComputedAlgorithm contact_dynamics_algorithm =
    needing_constraints("contact-dynamics", "accelerations under --constraints: q, dq, tau, fx -> ddq, lambda, gap, iterations",
                        {true, false, true, true}, forward_under);

const ComputedAlgorithm contact_inverse_dynamics_algorithm =
    needing_constraints("contact-inverse-dynamics", "torques under soft --constraints: q, dq, ddq, fx -> tau, lambda, gap",
                        {true, true, false, true}, inverse_under);

const ComputedAlgorithm contact_derivatives_algorithm = needing_constraints(
    "contact-derivatives",
    "derivatives of contact-dynamics: q, dq, tau, fx -> dddq_dq, dddq_dv, dddq_dtau, dlambda_dq, dlambda_dv, dlambda_dtau",
    {true, false, true, true}, derivatives_under);

}  // namespace sparsedyn::cli
