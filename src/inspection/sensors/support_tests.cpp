// Forces under a robot against all of its weight.
//
// The forces under a robot that nothing else touches add up to M (g + a) of its centre of mass: their vertical parts, each
// times an unknown factor, are fitted to it; the factor tells sign and unit.
#include <algorithm>
#include <cmath>

#include "inspection/bounded_fit.hpp"
#include "sensor_tests.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"

namespace sparsedyn::inspection {
namespace {

constexpr std::size_t most_supports = 4;
constexpr double kilogram_force = 9.80665;

/// A sensor under the robot: its force as the log has it.
struct Support {
  const Measurement* m = nullptr;
  std::array<const Series*, 3> force{};
  std::vector<std::string> columns;
};

std::vector<Support> supports_of(Examination& x) {
  std::vector<Support> all;
  for (const Measurement& m : x.system->measurements()) {
    if (m.kind != SensorKind::external_wrench && m.kind != SensorKind::load_cell) continue;
    Support support;
    support.m = &m;
    for (std::size_t k = 0; k < m.components.size(); ++k) {
      const Series* found = x.column(m.columns[k]);
      if (!found && !m.stand_ins[k].empty()) found = x.column(m.stand_ins[k]);
      const std::size_t c = static_cast<std::size_t>(m.components[k]);
      const bool cell = m.kind == SensorKind::load_cell;
      if (found && cell && c == 0) support.force[2] = found, support.columns.push_back(m.columns[k]);
      if (found && !cell && c >= 3) support.force[c - 3] = found, support.columns.push_back(m.columns[k]);
    }
    if (support.force[2] && rms_of(*support.force[2]) > 0) all.push_back(std::move(support));
  }
  return all;
}

class SupportTest : public SensorTest {
 public:
  explicit SupportTest(Examination& x) : x_(x), supports_(supports_of(x)) {
    weight_axis_ = std::sqrt(dot(x.model.gravity, x.model.gravity));
    if (weight_axis_ > 0) up_ = (-1 / weight_axis_) * x.model.gravity;
  }
  bool empty() const { return supports_.empty() || supports_.size() > most_supports || !x_.has_base() || !(weight_axis_ > 0); }

  void take(const LinkSample& sample) override {
    // What the root needs is what all its links need: the force that rnea leaves there, less nothing (no wrench entered).
    const Force<double>& root = sample.work->force[0];
    const double needed = dot(up_, sample.work->world_pose[0].R * root.f);
    std::array<double, most_supports> row{};
    double sum = 0;
    for (std::size_t k = 0; k < supports_.size(); ++k) {
      Vec3<double> f = zero3<double>();
      for (int c = 0; c < 3; ++c)
        if (const Series* const s = supports_[k].force[static_cast<std::size_t>(c)]) f[c] = (*s)[sample.i];
      const Pose<double> frame = link_pose(x_.model, *sample.work, supports_[k].m->link) * supports_[k].m->frame;
      row[k] = dot(up_, frame.R * f), sum += row[k];
    }
    if (!std::isfinite(sum)) return;
    fit_.add(row, needed), as_is_ += (needed - sum) * (needed - sum);
  }

  void judge() override {
    if (fit_.count < 50 || !(fit_.yy > 0)) return;
    const double left = fit_.solve();
    if (as_is_ < 0.02 * fit_.yy || left > 0.25 * as_is_ || left > 0.02 * fit_.yy) return;
    for (std::size_t k = 0; k < supports_.size(); ++k) {
      const double factor = fit_.c[k];
      if (fit_.A[k][k] < 0.02 * fit_.yy / (factor * factor)) continue;  // bears little: its factor is not determined
      tell(supports_[k], factor), take_off(supports_[k], factor);
    }
  }
  void give_up(const std::string&) override {}

 private:
  void tell(const Support& support, double factor) {
    const std::string evidence = support.columns.back() + " carries its share of the robot's weight times " + shown(factor);
    if (factor < 0)
      x_.add(FindingKind::force_sign, Severity::harm, support.columns, evidence, "the wrench of the robot on the ground",
             "change the signs");
    const double size = std::abs(std::log(std::abs(factor)));
    if (size < 0.6) return;
    const bool kilograms = std::abs(std::log(std::abs(factor) / kilogram_force)) < 0.1;
    x_.add(FindingKind::force_unit, Severity::harm, support.columns, evidence,
           kilograms ? "kilograms" : "raw counts, or another unit",
           "multiply by " + shown(kilograms ? kilogram_force : std::abs(factor)));
  }
  /// The columns as the tests after this one take them.
  void take_off(const Support& support, double factor) {
    const double size = std::abs(std::log(std::abs(factor)));
    if (factor > 0 && size < 0.6) return;
    const double by = size < 0.6 ? -1 : factor;
    for (std::size_t k = 0; k < support.m->columns.size(); ++k) {
      Series* column = x_.column(support.m->columns[k]);
      if (!column && !support.m->stand_ins[k].empty()) column = x_.column(support.m->stand_ins[k]);
      if (column)
        for (double& value : *column) value *= by;
    }
  }

  Examination& x_;
  std::vector<Support> supports_;
  double weight_axis_ = 0, as_is_ = 0;
  Vec3<double> up_{};
  BoundedFit<most_supports> fit_;
};

}  // namespace

std::unique_ptr<SensorTest> support_test(Examination& x) {
  auto test = std::make_unique<SupportTest>(x);
  if (test->empty()) return nullptr;
  return test;
}

}  // namespace sparsedyn::inspection
