#include "tracking/shared/contacts.hpp"

#include <algorithm>
#include <cmath>

#include "system/sensors/contact_targets.hpp"

namespace sparsedyn::tracking {

std::size_t count_rolling(const std::vector<ContactPoint>& points) {
  return static_cast<std::size_t>(std::count_if(points.begin(), points.end(), [](const ContactPoint& p) { return p.rolls(); }));
}

std::string note_on_radius(const Sensor& contact) {
  const ContactOverTime& settings = contact.over_time.contact;
  if (!(settings.radius > 0) || settings.points.size() < 2) return "";
  return "contact " + contact.name + ": \"radius\" is not used: of several points each keeps its place, none rolls";
}

void add_contact(const System& system, const Sensor& sensor,
                 const std::function<int(const std::string& column, bool required)>& add_flag,
                 std::vector<TrackedContact>& contacts, std::vector<ContactPoint>& points) {
  const ContactOverTime& settings = sensor.over_time.contact;
  const std::vector<Vector3> origin{zero3<double>()};
  const std::vector<Vector3>& places = settings.points.empty() ? origin : settings.points;
  for (const sensors::ContactTarget& target : sensors::contact_targets(system, sensor)) {
    const std::string& name = target.name;
    const int link = target.link, flag = add_flag(target.flag, !settings.flag.empty()),
              contact = static_cast<int>(contacts.size());
    contacts.push_back({name, link, flag, sensor.over_time.delay, &settings, static_cast<int>(points.size()),
                        static_cast<int>(places.size())});
    for (std::size_t k = 0; k < places.size(); ++k)
      points.push_back({places.size() > 1 ? name + "." + std::to_string(k) : name, contact, link,
                        sensor.frame.R * places[k] + sensor.frame.d, 0, places.size() > 1 ? 0 : settings.radius});
  }
}

void read_flag(const TrackedContact& contact, double reading, char& force_on, double& stands) noexcept {
  if (std::isnan(reading)) return;
  if (contact.settings->is_force) {
    force_on = reading > (force_on ? contact.settings->below : contact.settings->above);
    stands = force_on;
  } else {
    stands = std::clamp(reading, 0.0, 1.0);
  }
}

}  // namespace sparsedyn::tracking
