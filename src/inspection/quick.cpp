// The cheap part of the inspection.
#include <algorithm>

#include "tests.hpp"

namespace sparsedyn {
namespace {

/// Joints that the columns q.* name, without a body's mass: what a log says of itself.
Model joints_of(const RecordedLog& log) {
  const auto named = [&](const std::string& name) {
    return std::find(log.columns.begin(), log.columns.end(), name) != log.columns.end();
  };
  ModelBuilder builder("log");
  const Inertia<double> none = zero_inertia<double>();
  builder.root("root", none, named("q.base.qw"));
  std::string parent = "root";
  for (const std::string& column : log.columns) {
    const std::string joint = column.compare(0, 2, "q.") == 0 ? column.substr(2) : "";
    if (joint.empty() || joint.find('.') != std::string::npos || joint == "base") continue;
    JointSpec spec;
    spec.kind = JointKind::continuous;
    builder.link("after " + joint, none, parent, joint, spec, identity_pose<double>());
    parent = "after " + joint;
  }
  return builder.build();
}

}  // namespace

std::vector<Finding> quick_inspection(const Model& model, const RecordedLog& log) {
  inspection::Examination x(model, log, nullptr);
  inspection::test_time(x);
  inspection::test_motion(x);
  inspection::test_base(x);
  inspection::WholeMotion motion = inspection::whole_motion(x);
  inspection::test_torques(x, motion);
  inspection::settle_findings(x.result.findings);
  std::vector<Finding> harm;
  for (const Finding& finding : x.result.findings) switch (finding.kind) {
      case FindingKind::time_unit:
      case FindingKind::angle_unit:
      case FindingKind::quaternion_order:
      case FindingKind::torque_scale:
      case FindingKind::torque_sign:
        if (finding.severity == Severity::harm) harm.push_back(finding);
        break;
      default: break;
    }
  return harm;
}

std::vector<Finding> quick_inspection(const RecordedLog& log) { return quick_inspection(joints_of(log), log); }

}  // namespace sparsedyn
