#include "unloaded_links.hpp"

#include <set>

#include "sparsedyn/system/sensor_type.hpp"
#include "system/resolver.hpp"

namespace sparsedyn {
namespace {

bool is_on_wrenches(const Sensor& s) {
  const SensorType* type = find_sensor_type(s.type);
  return type && type->own_wrench;
}

/// Links whose own wrench enters, since something names it.
std::set<std::string> named_links(const Resolver& resolver, const SensorSet& set) {
  std::set<std::string> named;
  for (const Sensor& s : set.sensors)
    if (is_on_wrenches(s) && !s.all)
      for (int link : resolver.targets(s, resolver.type(s))) named.insert(resolver.name_of(resolver.type(s), link));
  for (const NameAt& n : set.unknown) named.insert(n.name.substr(n.name.find('.') + 1));  // fx.LINK
  return named;
}

bool hangs_on_fixed_joint(const Model& model, const Link& link) {
  return link.body >= 0 && model.links[static_cast<std::size_t>(model.leading_link(link.body))].name != link.name;
}

}  // namespace

std::vector<std::string> unloaded_links(const Model& model, const SensorSet& set) {
  const Resolver resolver(model, set);
  std::set<std::string> told = named_links(resolver, set);
  std::vector<std::string> sentences;
  for (const Sensor& s : set.sensors) {
    if (!is_on_wrenches(s)) continue;
    for (const NameAt& n : s.except)
      for (int link : resolver.named(s, resolver.type(s), n)) {
        const std::string& name = model.links[static_cast<std::size_t>(link)].name;
        if (!hangs_on_fixed_joint(model, model.links[static_cast<std::size_t>(link)]) || !told.insert(name).second) continue;
        const std::string& file = n.file.empty() ? set.file_of(s) : n.file;
        const std::string place = n.line > 0 ? file + ":" + std::to_string(n.line) + ": " : "";
        sentences.push_back(place + "\"" + name + "\" is excepted from \"" + s.name +
                            "\", but no sensor and no \"unknown\" names its wrench: it is zero");
      }
  }
  return sentences;
}

}  // namespace sparsedyn
