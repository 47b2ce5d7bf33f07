// Contacts over time, as all rows have them: which points of which links, whose flags.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "sparsedyn/system/system.hpp"
#include "tracking/rotation_vector.hpp"

namespace sparsedyn::tracking {

/// A contact on one link: one point or several that stand or move together.
struct TrackedContact {
  std::string name;  // SENSOR or SENSOR.LINK
  int link;
  int flag = -1;     // input
  double delay = 0;  // s: the flag was taken so much earlier than its row
  const ContactOverTime* settings;
  int first_point, points;
};

/// A point that a foothold is estimated for.
struct ContactPoint {
  std::string name;  // as in foot.NAME.x
  int contact, link;
  Vector3 in_link;
  int error;          // first of its δd
  double radius = 0;  // m, of a sphere that rolls; 0: the point stands
  bool rolls() const noexcept { return radius > 0; }
};

/// How many of them roll.
std::size_t count_rolling(const std::vector<ContactPoint>& points);

/// What a set says of a contact's radius that is not used, as a note; empty: nothing.
std::string note_on_radius(const Sensor& contact);

/// Appends a contact on each link that `sensor`, a contact of the system's set, names, and its points. add_flag: gives the
/// input of a flag in that column, which a log must have where it is `required`. The system must outlive the contacts.
void add_contact(const System& system, const Sensor& sensor,
                 const std::function<int(const std::string& column, bool required)>& add_flag,
                 std::vector<TrackedContact>& contacts, std::vector<ContactPoint>& points);

/// Stands for the reading of a flag that has not come yet: the foot counts as let go.
constexpr double flag_to_come = -std::numeric_limits<double>::infinity();

/// What a reading makes of whether the contact stands: a flag from 0 to 1, or a force with hysteresis; a gap leaves it as it
/// was. force_on: of a force, what it was last.
void read_flag(const TrackedContact& contact, double reading, char& force_on, double& stands) noexcept;

}  // namespace sparsedyn::tracking
