#include "sparsedyn/inspection/inspect.hpp"

#include <algorithm>

#include "tests.hpp"

namespace sparsedyn {
namespace {

constexpr const char* kind_names[] = {"other_robot",
                                      "unknown_name",
                                      "time_unit",
                                      "time_back",
                                      "time_uneven",
                                      "angle_unit",
                                      "quaternion_order",
                                      "quaternion_conjugate",
                                      "quaternion_norm",
                                      "base_velocity_order",
                                      "base_velocity_frame",
                                      "velocity_of_other_joint",
                                      "velocity_sign",
                                      "velocity_scale",
                                      "torque_of_other_joint",
                                      "torque_sign",
                                      "torque_scale",
                                      "gravity_sign",
                                      "gravity_unit",
                                      "gravity_missing",
                                      "accelerometer_frame",
                                      "gyroscope_unit",
                                      "gyroscope_frame",
                                      "force_unit",
                                      "force_sign",
                                      "force_frame",
                                      "stuck",
                                      "saturated",
                                      "velocity_lag",
                                      "tool_weight",
                                      "drift",
                                      "spikes",
                                      "noise_level",
                                      "quantised",
                                      "beyond_limit",
                                      "gap"};
constexpr const char* severity_names[] = {"harm", "doubt", "note"};

}  // namespace

const char* finding_name(FindingKind kind) noexcept { return kind_names[static_cast<std::size_t>(kind)]; }
const char* severity_name(Severity severity) noexcept { return severity_names[static_cast<std::size_t>(severity)]; }

bool Inspection::harm() const {
  return std::any_of(findings.begin(), findings.end(), [](const Finding& f) { return f.severity == Severity::harm; });
}

Inspection inspect(const Model& model, const RecordedLog& log, const System* system) {
  inspection::Examination x(model, log, system);
  inspection::test_names(x);
  inspection::test_time(x);
  inspection::test_columns(x);
  inspection::test_motion(x);
  inspection::test_base(x);
  inspection::WholeMotion motion = inspection::whole_motion(x);
  inspection::test_supports(x, motion);
  inspection::test_torques(x, motion);
  inspection::test_sensors(x, motion);
  inspection::test_noise(x);
  inspection::settle_findings(x.result.findings);
  x.result.rate = x.timed ? 1 / x.step : 0;
  x.result.duration = x.timed ? x.duration / x.time_unit : 0;
  x.result.times = std::move(x.row_times);
  for (double& time : x.result.times) time /= x.time_unit;
  return std::move(x.result);
}

}  // namespace sparsedyn
