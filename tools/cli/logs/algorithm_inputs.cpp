#include "algorithm_inputs.hpp"

#include <algorithm>

#include "cli/support/options.hpp"
#include "model/names/named_quaternions.hpp"
#include "sparsedyn/dynamics/regressor.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/model/configuration.hpp"

namespace sparsedyn::cli {
bool normalise_quaternions(const Model& model, double* q, std::string& why) {
  const std::string joint = joint_of_zero_quaternion(model, q);
  if (!joint.empty()) why = "q." + joint + ": a quaternion of zero length";
  return joint.empty();
}

AlgorithmInputs::AlgorithmInputs(const Model& model, const ComputedAlgorithm& algorithm, const std::string& lambda,
                                 CsvReader& log, const CommonOptions& common)
    : model_(model), columns_(log), targets_(algorithm.targets), poses_(algorithm.targets.size()) {
  const auto need = [&](const std::string& prefix, const std::vector<std::string>& names) {
    for (const std::string& name : with_prefix(prefix, names)) columns_.need(name);
  };
  need_positions(algorithm.q_may_be_missing, log);
  const bool placed = !columns_.values().empty() || model.nq == 0;
  if (algorithm.reads.dq) need("dq", velocity_names(model));
  if (algorithm.reads.ddq) need("ddq", velocity_names(model));
  if (algorithm.reads.tau) need_forces(common);
  if (algorithm.reads.lambda) need(lambda, velocity_names(model));
  if (algorithm.reads.pi) need("pi", parameter_names(model));
  first_pose_ = columns_.values().size();
  for (const std::string& link : targets_)
    for (const std::string& name : pose_columns(link)) columns_.need(name);
  columns_.check(model);
  first_wrench_ = columns_.values().size();
  if (algorithm.reads.fx) need_wrenches(log, common);
  const std::size_t before_more = columns_.values().size();
  if (need_more(algorithm, log, common)) state_.more_lambda = columns_.values().data() + before_more;
  const double* next = columns_.values().data();
  const auto take = [&](bool read, int n) { return read ? (next += n) - n : nullptr; };
  state_.q = take(placed, model.nq);
  state_.v = take(algorithm.reads.dq, model.nv);
  state_.a = take(algorithm.reads.ddq, model.nv);
  state_.tau = take(algorithm.reads.tau, model.nv);
  state_.lambda = take(algorithm.reads.lambda, model.nv);
  state_.pi = take(algorithm.reads.pi, algorithm.reads.pi ? ParameterIndex(model).count : 0);
  state_.fx = fx_.empty() ? nullptr : fx_.data();
  state_.poses = poses_.data();
}

/// q; none of it where the log has none and that will do.
void AlgorithmInputs::need_positions(bool may_be_missing, const CsvReader& log) {
  const std::vector<std::string> names = with_prefix("q", coordinate_names(model_));
  const auto there = [&](const std::string& name) { return log.has(name); };
  if (may_be_missing && std::none_of(names.begin(), names.end(), there)) return;
  for (const std::string& name : names) columns_.need(name);
}

/// tau, where that of a floating base is zero if the log does not have it.
void AlgorithmInputs::need_forces(const CommonOptions& common) {
  const std::vector<std::string> names = with_prefix("tau", force_names(model_));
  const std::size_t base = model_.floating() ? 6 : 0;
  if (base) columns_.zero_if_absent({names.begin(), names.begin() + base}, common);
  for (std::size_t i = base; i < names.size(); ++i) columns_.need(names[i]);
}

void AlgorithmInputs::need_wrenches(CsvReader& log, const CommonOptions& common) {
  for (std::size_t i = 0; i < model_.links.size(); ++i) {
    const std::vector<std::string> names = wrench_columns("fx", model_.links[i].name);
    bool there = false;
    for (const std::string& name : names) there = there || log.has(name);
    if (!there || model_.links[i].body < 0) continue;
    columns_.zero_if_absent(names, common);
    wrench_links_.push_back(static_cast<int>(i));
  }
  if (wrench_links_.empty()) return;
  link_wrenches_.assign(model_.links.size(), {zero3<double>(), zero3<double>()});
  fx_.resize(model_.bodies.size());
}

/// Whether the log has some of them.
bool AlgorithmInputs::need_more(const ComputedAlgorithm& algorithm, const CsvReader& log, const CommonOptions& common) {
  if (!algorithm.more_multipliers) return false;
  const std::vector<std::string> names = algorithm.more_multipliers(model_);
  if (std::none_of(names.begin(), names.end(), [&](const std::string& name) { return log.has(name); })) return false;
  columns_.zero_if_absent(names, common);
  return true;
}

void AlgorithmInputs::sum_wrenches() {
  const double* x = columns_.values().data() + first_wrench_;
  for (int link : wrench_links_) {
    link_wrenches_[link] = {{{x[0], x[1], x[2]}}, {{x[3], x[4], x[5]}}};
    x += 6;
  }
  link_wrenches_to_bodies(model_, link_wrenches_.data(), fx_.data());
}

/// Quaternions of any length but zero.
bool AlgorithmInputs::read_poses() {
  double* x = columns_.values().data() + first_pose_;
  for (std::size_t t = 0; t < poses_.size(); ++t, x += 7) {
    if (!normalise_quaternion(x + 3)) {
      why_ = "pose." + targets_[t] + ": a quaternion of zero length";
      return false;
    }
    poses_[t] = {rotation_from_quaternion(x + 3), {{x[0], x[1], x[2]}}};
  }
  return true;
}

bool AlgorithmInputs::read() {
  if (!columns_.read()) {
    why_ = columns_.why();
    return false;
  }
  if (state_.q && !normalise_quaternions(model_, columns_.values().data(), why_)) return false;
  if (!read_poses()) return false;
  if (!fx_.empty()) sum_wrenches();
  return true;
}

}  // namespace sparsedyn::cli
