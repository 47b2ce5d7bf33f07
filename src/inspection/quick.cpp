// The cheap part of the inspection.
#include <algorithm>

#include "tests.hpp"

namespace sparsedyn {

std::vector<Finding> quick_inspection(const Model& model, const RecordedLog& log) {
  const Inspection found = inspect(model, log);
  std::vector<Finding> harm;
  for (const Finding& finding : found.findings)
    switch (finding.kind) {
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

}  // namespace sparsedyn
