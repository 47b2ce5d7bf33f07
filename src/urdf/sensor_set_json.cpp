#include <algorithm>

#include "io/number.hpp"
#include "io/printable.hpp"
#include "sparsedyn/urdf/load.hpp"

namespace sparsedyn {
namespace {

template <class Numbers>
std::string list(const Numbers& first, std::size_t count) {
  std::string out = "[";
  for (std::size_t k = 0; k < count; ++k) out += (k ? ", " : "") + number_text(first[k]);
  return out + "]";
}

bool zero(const Vec3<double>& v) { return v[0] == 0 && v[1] == 0 && v[2] == 0; }

std::string object(const UrdfSensor& s) {
  std::string out = "{\"name\": " + json_quoted(s.name) + ", \"type\": " + json_quoted(s.type);
  out += (s.type == "force_torque" ? ", \"joint\": " : ", \"link\": ") + json_quoted(s.at);
  if (!zero(s.xyz)) out += ", \"xyz\": " + list(s.xyz.e, 3);
  if (!zero(s.rpy)) out += ", \"rpy\": " + list(s.rpy.e, 3);
  if (!s.direction.empty()) out += ", \"direction\": " + json_quoted(s.direction);
  if (!s.sigma.empty()) {
    const bool equal = std::all_of(s.sigma.begin(), s.sigma.end(), [&](double d) { return d == s.sigma[0]; });
    out += ", \"sigma\": " + (equal ? number_text(s.sigma[0]) : list(s.sigma, s.sigma.size()));
  }
  return out + "}";
}

}  // namespace

std::string json_text(const UrdfSensorSet& set) {
  std::string out = "{\"name\": " + json_quoted(set.name) + ",\n \"sensors\": [";
  for (std::size_t k = 0; k < set.sensors.size(); ++k) out += (k ? ",\n   " : "\n   ") + object(set.sensors[k]);
  return out + (set.sensors.empty() ? "]}\n" : "\n ]}\n");
}

}  // namespace sparsedyn
