#include "estimate_lead.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "io/text/how_many.hpp"
#include "sparsedyn/report/page.hpp"

namespace sparsedyn::cli {
namespace {

using report::number;

constexpr std::size_t most_faults = 4, most_sensors = 6;

std::string strong(const std::string& name) { return "<b>" + report::escaped(name) + "</b>"; }

/// "y.motors.rh_knee is stuck, from 2.1 s (line 212) on".
std::string fault_words(const Json& fault, const std::function<std::string(long)>& time_of_line) {
  const std::string kind = fault["fault"].get<std::string>();
  const long line = fault["from_line"].get<long>();
  const std::string time = time_of_line(line);
  const std::string begins = time.empty() ? "line " + std::to_string(line) : time + " (line " + std::to_string(line) + ")";
  const std::string name = strong(fault["sensor"].get<std::string>());
  if (kind == "stuck") return name + " is stuck, from " + begins + " on";
  if (kind == "saturated") return name + " is at its limit, from " + begins + " on";
  if (kind == "sign") return name + " has the wrong sign, from " + begins + " on";
  if (kind == "drift") return name + " drifts, from " + begins + " on";
  return name + " has spikes, the first at " + begins;
}

std::string faults(const Json& details, const std::function<std::string(long)>& time_of_line) {
  if (!details.contains("outliers") || !details["outliers"].contains("sensors")) return "";
  std::string said;
  std::size_t count = 0;
  for (const Json& fault : details["outliers"]["sensors"]) {
    if (!fault.contains("fault") || !fault.contains("from_line")) continue;
    if (++count <= most_faults) said += (said.empty() ? "" : "; ") + fault_words(fault, time_of_line);
  }
  if (count > most_faults) said += "; and " + how_many(static_cast<long>(count - most_faults), "more fault", "more faults");
  return said.empty() ? "" : said + ". ";
}

/// Sensors that are not trusted, those first whose innovations are furthest from an rms of 1.
std::string untrusted_sensors(const Json& details, bool faulty) {
  if (!details.contains("sensors")) return "";
  std::vector<std::pair<double, std::string>> off;
  for (const auto& [name, sensor] : details["sensors"].items()) {
    if (!sensor["trusted"].is_boolean() || sensor["trusted"].get<bool>()) continue;
    const double expected = sensor["expected"].get<double>();
    const double size = expected > 0 ? std::sqrt(sensor["sum"].get<double>() / expected) : 1;
    off.emplace_back(size, name);
  }
  if (off.empty()) return "";
  std::stable_sort(off.begin(), off.end(), [](const auto& a, const auto& b) {
    return std::abs(std::log(a.first + 1e-300)) > std::abs(std::log(b.first + 1e-300));
  });
  std::string said =
      std::string(faulty ? "With these faults in it, the" : "The") +
      " stated noise does not explain all sensors, so that deviations which rest on these are not to be trusted: ";
  for (std::size_t k = 0; k < std::min(off.size(), most_sensors); ++k)
    said += (k ? ", " : "") + strong(off[k].second) + " (" + (k ? "" : "innovations of rms ") + number(off[k].first, 3) +
            (k ? ")" : " where 1 is as stated)");
  if (off.size() > most_sensors) said += " and " + std::to_string(off.size() - most_sensors) + " more";
  return said + ". ";
}

std::string chi_square(const Json& details) {
  if (!details.contains("chi_square")) return "";
  const double expected = details["chi_square"]["expected"].get<double>();
  if (!(expected > 0)) return "";
  const double ratio = details["chi_square"]["sum"].get<double>() / expected;
  const Json trusted = details.value("trusted", Json());
  const std::string times = number(ratio, 3) + " times what the stated noise makes expected";
  if (details.contains("sd_scale"))
    return "Chi-square is " + times + "; deviations are multiplied by " + number(details["sd_scale"].get<double>(), 3) + ". ";
  if (trusted.is_boolean() && !trusted.get<bool>())
    return "<b>The deviations are not to be trusted</b>: the sensors contradict each other, chi-square is " + times + ". ";
  if (ratio < 0.5) return "The sensors agree better than their stated noise: chi-square is " + times + ". ";
  return "The sensors agree as well as their noise says: chi-square is " + times + ". ";
}

}  // namespace

std::string estimate_findings(const Json& details, const std::function<std::string(long)>& time_of_line) {
  const std::string found = faults(details, time_of_line);
  const std::string off = untrusted_sensors(details, !found.empty()), agreement = chi_square(details);
  return found + (off.empty() ? agreement : found.empty() ? off + agreement : agreement + off);
}

}  // namespace sparsedyn::cli
