#include "wrench_readings.hpp"

#include <algorithm>
#include <cmath>

#include "torque_fit.hpp"

namespace sparsedyn::inspection {
namespace {

constexpr std::size_t trial_samples = 120;
constexpr double enough = 3;  // of gain()

struct WorldReading {
  double factor;  // that mends it
  bool sign;      // whether the sign is wrong
  const char *unit, *remedy;
};

constexpr WorldReading world_readings[] = {{-1, true, nullptr, nullptr},
                                           {9.80665, false, "kilograms", "multiply by 9.80665"},
                                           {-9.80665, true, "kilograms", "multiply by 9.80665"},
                                           {1e-3, false, "mN and N mm", "multiply by 0.001"},
                                           {-1e-3, true, "mN and N mm", "multiply by 0.001"},
                                           {1e3, false, "kN and kN m", "multiply by 1000"},
                                           {-1e3, true, "kN and kN m", "multiply by 1000"}};

bool fits(const TorqueMisfit& misfit) {
  for (std::size_t k = 0; k < misfit.left.size(); ++k)
    if (misfit.left[k] > std::max(0.1, beyond_noise * misfit.noise[k])) return false;
  return misfit.free;
}

void tell_of_reading(Examination& x, const std::vector<std::string>& columns, const WorldReading& reading, double better) {
  const std::string evidence = columns.front().substr(0, columns.front().rfind('.')) + " times " + shown(reading.factor) +
                               " fits the torques better than as it stands: their shares that are left fall by " +
                               shown(std::exp(better)) + " times, all told";
  if (reading.sign)
    x.add(FindingKind::force_sign, Severity::harm, columns, evidence, "the wrench of the robot on the world",
          "change the signs");
  if (reading.unit) x.add(FindingKind::force_unit, Severity::harm, columns, evidence, reading.unit, reading.remedy);
}

}  // namespace

void take_off_wrench_readings(Examination& x, const WholeMotion& motion, const std::vector<TorqueColumn>& columns) {
  KnownWrenches wrenches(x);
  const std::vector<std::vector<std::string>> measured = wrenches.measured_columns();
  if (measured.empty()) return;
  const auto tried = [&](std::size_t w, double factor) {
    wrenches.scale(w, factor);
    const TorqueMisfit misfit = misfit_of(ModelTorques(x, motion, wrenches, trial_samples), columns);
    wrenches.scale(w, 1);
    return misfit;
  };
  for (std::size_t w = 0; w < measured.size(); ++w) {
    const TorqueMisfit as_is = tried(w, 1);
    if (as_is.samples < 30 || fits(as_is)) return;
    const TorqueMisfit none = tried(w, 0);
    const WorldReading* best = nullptr;
    double most = enough;
    for (const WorldReading& reading : world_readings) {
      const TorqueMisfit so = tried(w, reading.factor);
      const double better = gain(as_is, so);
      if (better > most && gain(none, so) > enough && so.free && mends(as_is, so)) most = better, best = &reading;
    }
    if (!best) continue;
    tell_of_reading(x, measured[w], *best, most);
    for (const std::string& name : measured[w])
      for (double& value : *x.column(name)) value *= best->factor;
  }
}

}  // namespace sparsedyn::inspection
