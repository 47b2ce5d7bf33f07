#include <algorithm>
#include <cstdio>

#include "io/number.hpp"
#include "sparsedyn/urdf/load.hpp"

namespace sparsedyn {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) {
      out += c;
    } else {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
      out += code;
    }
  }
  return out + "\"";
}

template <class Numbers>
std::string list(const Numbers& first, std::size_t count) {
  std::string out = "[";
  for (std::size_t k = 0; k < count; ++k) out += (k ? ", " : "") + number_text(first[k]);
  return out + "]";
}

bool zero(const Vec3<double>& v) { return v[0] == 0 && v[1] == 0 && v[2] == 0; }

std::string object(const UrdfSensor& s) {
  std::string out = "{\"name\": " + quoted(s.name) + ", \"type\": " + quoted(s.type);
  out += (s.type == "force_torque" ? ", \"joint\": " : ", \"link\": ") + quoted(s.at);
  if (!zero(s.xyz)) out += ", \"xyz\": " + list(s.xyz.e, 3);
  if (!zero(s.rpy)) out += ", \"rpy\": " + list(s.rpy.e, 3);
  if (!s.direction.empty()) out += ", \"direction\": " + quoted(s.direction);
  if (!s.sigma.empty()) {
    const bool equal = std::all_of(s.sigma.begin(), s.sigma.end(), [&](double d) { return d == s.sigma[0]; });
    out += ", \"sigma\": " + (equal ? number_text(s.sigma[0]) : list(s.sigma, s.sigma.size()));
  }
  return out + "}";
}

}  // namespace

std::string json_text(const UrdfSensorSet& set) {
  std::string out = "{\"name\": " + quoted(set.name) + ",\n \"sensors\": [";
  for (std::size_t k = 0; k < set.sensors.size(); ++k) out += (k ? ",\n   " : "\n   ") + object(set.sensors[k]);
  return out + (set.sensors.empty() ? "]}\n" : "\n ]}\n");
}

}  // namespace sparsedyn
