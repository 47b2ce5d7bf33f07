// How well the set says that the state is known.
#include "io/number.hpp"
#include "io/suggestions.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "system/build/stages.hpp"

namespace sparsedyn {

void add_state_sigma(SystemTables& tables) {
  const std::vector<std::string> names = velocity_names(tables.model);
  const auto spread = [&](const std::vector<std::pair<NameAt, double>>& stated, const char* kind, std::vector<double>& sigma) {
    if (tables.sensors.position_sigma.empty() && tables.sensors.velocity_sigma.empty()) return;
    sigma.assign(names.size(), 0.0);
    for (const std::pair<NameAt, double>& one : stated) {
      const NameAt& who = one.first;
      const double deviation = one.second;
      const std::string element = std::string("state_sigma ") + kind + " " + who.name;
      const auto refuse = [&](const std::string& found, const std::string& expected) {
        throw InputError(tables.sensors.file_of(who), who.line, element, found, expected);
      };
      if (deviation != 0 && !(deviation >= 1e-100 && deviation <= 1e100))
        refuse(number_text(deviation), "0 (exact), or 1e-100 to 1e100");
      bool found = who.name == "*";
      for (std::size_t k = 0; k < names.size(); ++k) {
        const bool named = names[k] == who.name || names[k].rfind(who.name + ".", 0) == 0;
        found = found || named;
        if (named || who.name == "*") sigma[k] = deviation;
      }
      if (!found)
        refuse("no such joint or velocity" + suggestions_text(who.name, names),
               "*, a joint that moves, or one of its velocities");
    }
  };
  spread(tables.sensors.position_sigma, "q", tables.position_sigma);
  spread(tables.sensors.velocity_sigma, "dq", tables.velocity_sigma);
}

}  // namespace sparsedyn
