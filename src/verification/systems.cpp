// The sparse system of each formulation, solved by its plan, beside the recursions.
#include <algorithm>
#include <limits>
#include <stdexcept>

#include "checks.hpp"
#include "entry_names.hpp"
#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/runtime/make_solver.hpp"
#include "sparsedyn/runtime/solver.hpp"

namespace sparsedyn::verification {
namespace {

Sensor on_every(const std::string& name, const std::string& type, const std::string& target) {
  Sensor s;
  s.name = name, s.type = type;
  if (target.empty())
    s.all = true;
  else
    s.targets = {{target, 0}}, s.optional = true;
  return s;
}

/// One quantity of every joint, and of a floating base; no wrench from outside.
SensorSet every_joint(const std::string& type) {
  SensorSet set;
  set.name = type;
  Sensor joints = on_every("joints", type, ""), base = on_every("base", type, "base"),
         air = on_every("air", "external_wrench", "");
  base.fallback = air.fallback = {0.0};
  set.sensors = {joints, base, air};
  return set;
}

/// One formulation, for one of the two problems.
class Problem {
 public:
  Problem(const Model& model, const Formulation& formulation, bool inverse) : inverse_(inverse) {
    const auto system =
        std::make_shared<const System>(model, every_joint(inverse ? "joint_acceleration" : "joint_torque"), formulation);
    std::optional<Plan> plan = recursive_plan(*system);
    if (!plan) throw std::runtime_error("no order of the recursions serves");
    const std::vector<std::string> names = inverse ? velocity_names(model) : force_names(model);
    for (const Input& input : system->inputs()) from_.push_back(place_of(input.columns, names));
    y_.resize(from_.size());
    SolverOptions wanted;  // entry by entry: joints that follow others are left out
    for (const std::string& name : inverse ? force_names(model) : velocity_names(model))
      wanted.outputs.push_back((inverse ? "tau." : "ddq.") + name);
    solver_ = std::make_unique<Solver>(system, std::make_shared<const Plan>(std::move(*plan)), wanted);
  }

  bool solve(const State& s, std::vector<double>& x) {
    const std::vector<double>& given = inverse_ ? s.a : s.tau;
    for (std::size_t i = 0; i < y_.size(); ++i) y_[i] = from_[i] < 0 ? 0.0 : given[static_cast<std::size_t>(from_[i])];
    return solver_->solve(s.q.data(), s.v.data(), y_.data(), x.data()).ok();
  }

 private:
  int place_of(const std::vector<std::string>& columns, const std::vector<std::string>& names) const {
    for (std::size_t k = 0; k < names.size(); ++k)
      for (const std::string& column : columns)
        if (column == (inverse_ ? "ddq." : "tau.") + names[k]) return static_cast<int>(k);
    return -1;
  }

  bool inverse_;
  std::vector<int> from_;  // of each input: the entry of v that it is, or -1
  std::vector<double> y_;
  std::unique_ptr<Solver> solver_;
};

class OneFormulation final : public Check {
 public:
  OneFormulation(const Model& model, const Formulation& formulation)
      : model_(model),
        work_(model),
        inverse_("joint torques", "sparse system, " + formulation_name(formulation), "recursion (rnea)"),
        forward_("accelerations", "sparse system, " + formulation_name(formulation), "articulated bodies (aba)") {
    set_up(formulation, true, inverse_, torques_), set_up(formulation, false, forward_, accelerations_);
  }

  void at(const State& s) override {
    const auto n = static_cast<std::size_t>(model_.nv);
    std::vector<double> x(n), r(n);
    const Force<double>* none = nullptr;
    if (torques_) {
      rnea(model_, work_, s.q.data(), s.v.data(), s.a.data(), none, r.data());
      const bool solved = torques_->solve(s, x);
      if (!solved) std::fill(x.begin(), x.end(), std::numeric_limits<double>::quiet_NaN());
      inverse_.add(s, x, r);
    }
    if (accelerations_) {
      const bool regular = aba(model_, work_, s.q.data(), s.v.data(), s.tau.data(), none, r.data()).ok();
      const bool solved = accelerations_->solve(s, x);
      forward_.add_solved(s, x, solved, r, regular);
    }
  }

  void report(Verification& out) const override {
    const EntryNames names(model_);
    out.agreements.push_back(inverse_.result(names.torques()));
    out.agreements.push_back(forward_.result(names.accelerations()));
  }

 private:
  void set_up(const Formulation& formulation, bool inverse, Comparison& row, std::unique_ptr<Problem>& problem) {
    try {
      problem = std::make_unique<Problem>(model_, formulation, inverse);
    } catch (const std::exception& e) {  // the formulation does not hold this robot, or no plan is healthy
      row.skip(e.what());
    }
  }

  const Model& model_;
  Workspace<double> work_;
  Comparison inverse_, forward_;
  std::unique_ptr<Problem> torques_, accelerations_;
};

}  // namespace

std::vector<std::unique_ptr<Check>> system_checks(const Model& model) {
  std::vector<std::unique_ptr<Check>> checks;
  for (const char* name : {"newton-euler", "shifted", "canonical", "maximal-coordinates", "joint-space"})
    checks.push_back(std::make_unique<OneFormulation>(model, formulation_named(name)));
  return checks;
}

}  // namespace sparsedyn::verification
