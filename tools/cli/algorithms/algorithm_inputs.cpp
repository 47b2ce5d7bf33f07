#include "algorithm_inputs.hpp"

#include "cli/support/options.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/model/configuration.hpp"

namespace sparsedyn::cli {
namespace {

const std::string& joint_of_body(const Model& model, int body) {
  for (const Joint& joint : model.joints)
    if (body < joint.first_body + joint.bodies) return joint.name;
  return model.joints.back().name;
}

}  // namespace

bool normalise_quaternions(const Model& model, double* q, std::string& why) {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const int offset = quaternion_offset(model.bodies[i].joint);
    if (offset < 0) continue;
    if (!normalise_quaternion(q + model.bodies[i].q + offset)) {
      why = "q." + joint_of_body(model, static_cast<int>(i)) + ": a quaternion of zero length";
      return false;
    }
  }
  return true;
}

AlgorithmInputs::AlgorithmInputs(const Model& model, const Algorithm& algorithm, const std::string& lambda, CsvReader& log,
                                 const CommonOptions& common)
    : model_(model), columns_(log) {
  const auto need = [&](const std::string& prefix, const std::vector<std::string>& names) {
    for (const std::string& name : with_prefix(prefix, names)) columns_.need(name);
  };
  need("q", coordinate_names(model));
  if (algorithm.reads.dq) need("dq", velocity_names(model));
  if (algorithm.reads.ddq) need("ddq", velocity_names(model));
  if (algorithm.reads.tau) need_forces(common);
  if (algorithm.reads.lambda) need(lambda, velocity_names(model));
  columns_.check(model);
  first_wrench_ = columns_.values().size();
  if (algorithm.reads.fx) need_wrenches(log, common);
  const double* next = columns_.values().data();
  const auto take = [&](bool read, int n) { return read ? (next += n) - n : nullptr; };
  state_.q = take(true, model.nq);
  state_.v = take(algorithm.reads.dq, model.nv);
  state_.a = take(algorithm.reads.ddq, model.nv);
  state_.tau = take(algorithm.reads.tau, model.nv);
  state_.lambda = take(algorithm.reads.lambda, model.nv);
  state_.fx = fx_.empty() ? nullptr : fx_.data();
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

void AlgorithmInputs::sum_wrenches() {
  const double* x = columns_.values().data() + first_wrench_;
  for (int link : wrench_links_) {
    link_wrenches_[link] = {{{x[0], x[1], x[2]}}, {{x[3], x[4], x[5]}}};
    x += 6;
  }
  link_wrenches_to_bodies(model_, link_wrenches_.data(), fx_.data());
}

bool AlgorithmInputs::read() {
  if (!columns_.read()) {
    why_ = columns_.why();
    return false;
  }
  if (!normalise_quaternions(model_, columns_.values().data(), why_)) return false;
  if (!fx_.empty()) sum_wrenches();
  return true;
}

}  // namespace sparsedyn::cli
