// What estimates over time alone use of a set: numbers that no file could hold are refused in sets that are written in C++,
// too.
#include <cmath>
#include <string>

#include "io/number.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "system/build/stages.hpp"
#include "system/resolver.hpp"

namespace sparsedyn {
namespace {

constexpr double most = 1e100;  // whose square is far from overflow
constexpr const char *above_zero = "a number > 0, up to 1e100", *from_zero = "a number >= 0, up to 1e100";

bool is_from_zero(double x) { return x >= 0 && x <= most; }

/// refuse: of what was found, and what is expected.
template <class Refuse>
void check(const std::string& name, double x, bool or_zero, const Refuse& refuse) {
  if (!is_from_zero(x) || (x == 0 && !or_zero)) refuse(name + " " + number_text(x), or_zero ? from_zero : above_zero);
}

template <class Refuse>
void check_contact(const ContactOverTime& contact, const Refuse& refuse) {
  check("walk", contact.walk, true, refuse), check("slip", contact.slip, true, refuse);
  check("acceleration", contact.acceleration, true, refuse), check("kinematics", contact.kinematics, true, refuse);
  check("radius", contact.radius, true, refuse);
  if (contact.is_force && !(std::isfinite(contact.below) && std::isfinite(contact.above) && contact.below <= contact.above))
    refuse("above " + number_text(contact.above) + ", below " + number_text(contact.below),
           "finite numbers, below at most above");
  for (const Vec3<double>& point : contact.points)
    for (int k = 0; k < 3; ++k)
      if (!(std::abs(point[k]) <= most)) refuse("a point at " + number_text(point[k]), "a finite number, in metres");
}

}  // namespace

void check_over_time(const Resolver& resolver, const Sensor& s) {
  const auto refuse = [&](const std::string& found, const std::string& expected) { resolver.refuse(s, 0, found, expected); };
  const SensorOverTime& time = s.over_time;
  check("delay", time.delay, true, refuse), check("share", time.share, true, refuse);
  if (time.offset.there) {
    check("bias sigma", time.offset.sigma, true, refuse);
    check("bias walk", time.offset.walk, true, refuse);
  }
  if (s.type == "contact") check_contact(time.contact, refuse);
}

void check_over_time(const SensorSet& set) {
  const auto refuse = [&](const std::string& element) {
    return [&set, element](const std::string& found, const std::string& expected) {
      throw InputError(set.file, 0, element, found, expected);
    };
  };
  check("walk", set.acceleration_walk, true, refuse("prior ddq"));
  if (set.model_wrench.there) {
    check("sigma", set.model_wrench.sigma, true, refuse("model_wrench"));
    check("walk", set.model_wrench.walk, true, refuse("model_wrench"));
  }
  if (set.external_wrench.there) {
    const WalkingWrench& wrench = set.external_wrench;
    for (double sigma : {wrench.moment_sigma, wrench.force_sigma}) check("sigma", sigma, false, refuse("external_wrench"));
    for (double walk : {wrench.moment_walk, wrench.force_walk}) check("walk", walk, true, refuse("external_wrench"));
  }
  for (const auto& [key, deviations] : set.start) {
    const auto refuse_start = refuse("start " + key);
    if (key != "q.base" && key != "dq") refuse_start("no such key", "q.base or dq");
    if (deviations.size() != 1 && deviations.size() != 6)
      refuse_start(std::to_string(deviations.size()) + " numbers", "one number, or six");
    for (double deviation : deviations) check("deviation", deviation, true, refuse_start);
  }
}

}  // namespace sparsedyn
