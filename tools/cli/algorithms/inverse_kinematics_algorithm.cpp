// compute ik: joints at which the links of --target have the poses of the log.
#include <algorithm>
#include <cstdio>
#include <stdexcept>

#include "cli/logs/log_columns.hpp"
#include "cli/support/algorithm.hpp"
#include "cli/support/exit_code.hpp"
#include "io/suggestions.hpp"
#include "model/joint_range.hpp"
#include "sparsedyn/kinematics/inverse_kinematics.hpp"

namespace sparsedyn::cli {
namespace {

/// Without q in the log, each row starts where the row before it ended, so that a path of poses becomes one of joints.
class InverseKinematicsRows : public Evaluation {
 public:
  InverseKinematicsRows(const Model& model, const std::vector<std::string>& links)
      : search_(model, links), along_path_(model, links, on_a_path()), last_(static_cast<std::size_t>(model.nq)) {}

  bool evaluate(const State& s, double* out) noexcept override {
    const double* near = s.q ? s.q : started_ ? last_.data() : nullptr;
    status_ = (s.q ? search_ : along_path_).solve(s.poses, near, out);
    if (!status_.finite) return false;
    std::copy_n(out, last_.size(), last_.begin());
    out[last_.size()] = status_.residual;
    started_ = true;
    return status_.reached;
  }
  std::string why() const override {
    if (!status_.finite) return "a pose or position is not finite";
    char residual[32];
    std::snprintf(residual, sizeof residual, "%.3g", status_.residual);
    return "not reached: the best posture found leaves a residual of " + std::string(residual) + " (m, rad)";
  }
  bool has_best() const override { return status_.finite; }

 private:
  static InverseKinematicsOptions on_a_path() {
    InverseKinematicsOptions options;
    options.nearest = false;
    return options;
  }
  InverseKinematics search_, along_path_;
  InverseKinematicsStatus status_;
  std::vector<double> last_;
  bool started_ = false;
};

std::vector<std::string> posture_columns(const Model& model) {
  std::vector<std::string> names = with_prefix("q", coordinate_names(model));
  names.push_back("residual");
  return names;
}

void check_targets(const Model& model, const std::vector<std::string>& links) {
  std::vector<std::string> names;
  for (const Link& link : model.links) names.push_back(link.name);
  for (std::size_t t = 0; t < links.size(); ++t) {
    const int link = model.find_link(links[t]);
    if (link < 0)
      throw UsageError("--target " + links[t] + ": the robot has no link of that name" + suggestions_text(links[t], names));
    if (model.links[static_cast<std::size_t>(link)].body < 0)
      throw UsageError("--target " + links[t] + ": fixed to the world; expected a link that moves");
    if (std::count(links.begin(), links.end(), links[t]) > 1) throw UsageError("--target " + links[t] + ": given twice");
  }
}

ComputedAlgorithm towards_links(const Model& model, const std::vector<std::string>& links) {
  check_targets(model, links);
  ComputedAlgorithm algorithm = inverse_kinematics_algorithm;
  algorithm.targets = links;
  algorithm.outputs = posture_columns;
  algorithm.prepare = [links](const Model& robot) { return std::make_unique<InverseKinematicsRows>(robot, links); };
  return algorithm;
}

/// Joints that follow each other may have no position that suits them all.
AlgorithmMisfit no_position(const Model& model) {
  try {
    const JointRange range(model);
  } catch (const std::invalid_argument& none) {
    return {"limits", none.what(), "limits that some position keeps"};
  }
  return {};
}

ComputedAlgorithm needing_targets() {
  ComputedAlgorithm algorithm{
      "ik", "joints within their limits at which the links of --target have given poses: pose (q) -> q, residual", {}, {}, {}};
  algorithm.towards = towards_links;
  algorithm.misfit = no_position;
  algorithm.q_may_be_missing = true;
  return algorithm;
}

}  // namespace

const ComputedAlgorithm inverse_kinematics_algorithm = needing_targets();

}  // namespace sparsedyn::cli
