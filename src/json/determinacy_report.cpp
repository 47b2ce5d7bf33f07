#include "determinacy_report.hpp"

#include <algorithm>

#include "determinacy/held_exactly.hpp"
#include "io/suggestions.hpp"
#include "io/text/how_many.hpp"
#include "model/loads.hpp"
#include "system/sensors/wildcards.hpp"

namespace sparsedyn {
namespace {

using json::Json;

std::vector<std::string> pick(const std::vector<int>& which, const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (int k : which) out.push_back(names[k]);
  return out;
}

std::string in_words(const SensorAdvice& sensor) {
  return sensor.type + (sensor.on.empty() ? "" : " on " + sensor.on + " " + sensor.target);
}

/// What needs no hardware, before what does.
std::string assumptions_in_words(const Determinacy& found) {
  const std::string of =
      " of " + how_many(found.unknowns - found.rank, "undetermined direction", "undetermined directions") + "\n";
  std::string text = "assumptions that would help without a sensor, each alone, where they are true:\n";
  for (const AssumptionAdvice& a : found.assumptions) {
    const bool base = a.target == "base";
    text += "  " + a.type + (base ? " on joint base" : " on link *") +
            (a.except.empty() ? "" : " except " + listing(a.except)) + ", value 0 (" +
            (base ? "nothing drives a free base" : "air: nothing touches these links") + "): removes " +
            std::to_string(a.removes) + of;
  }
  if (found.assumptions.size() > 1) text += "  all of these: remove " + std::to_string(found.assumptions_remove) + of;
  return text;
}

/// Sensors of one type that remove as much share a line, each line after the one that removes most.
std::string advice_in_words(const Determinacy& found) {
  constexpr std::size_t most_lines = 10, most_names = 8;
  const std::string gap = std::to_string(found.unknowns - found.rank);
  std::vector<std::pair<const SensorAdvice*, std::vector<std::string>>> lines;
  for (const SensorAdvice& sensor : found.advice) {
    const auto same = std::find_if(lines.begin(), lines.end(), [&](const auto& line) {
      return line.first->type == sensor.type && line.first->on == sensor.on && line.first->removes == sensor.removes;
    });
    (same == lines.end() ? lines.emplace_back(&sensor, std::vector<std::string>()) : *same).second.push_back(sensor.target);
  }
  std::string text = "sensors that would help, each alone:\n";
  for (std::size_t i = 0; i < lines.size() && i < most_lines; ++i) {
    const SensorAdvice& first = *lines[i].first;
    text += "  " + first.type + (first.on.empty() ? "" : " on " + first.on + " " + listing(lines[i].second, most_names)) +
            ": removes " + std::to_string(first.removes) + " of " + gap + " undetermined directions\n";
  }
  if (lines.size() > most_lines) text += "  and " + std::to_string(lines.size() - most_lines) + " more kinds\n";
  if (!found.pairs.empty()) text += "pairs that would remove all " + gap + ":\n";
  for (const PairAdvice& pair : found.pairs) text += "  " + in_words(pair.first) + " and " + in_words(pair.second) + "\n";
  return text;
}

/// `fx.LINK (nx fz)` for some components, `fx.LINK` for all six: unknowns by owner.
std::vector<std::string> by_owner(const System& system, const std::vector<int>& unknowns) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < unknowns.size();) {
    const Variable& first = system.unknowns()[unknowns[i]];
    const std::string& name = system.unknown_names()[unknowns[i]];
    const bool spatial = first.kind == VariableKind::acc || first.kind == VariableKind::f || first.kind == VariableKind::fx;
    std::string components;
    std::size_t end = i;
    for (; end < unknowns.size(); ++end) {
      const Variable& x = system.unknowns()[unknowns[end]];
      if (x.kind != first.kind || x.body != first.body || x.owner != first.owner || (!spatial && end > i)) break;
      const std::string& other = system.unknown_names()[unknowns[end]];
      components += (components.empty() ? "" : " ") + other.substr(other.rfind('.') + 1);
    }
    const std::string owner = spatial ? name.substr(0, name.rfind('.')) : name;
    out.push_back(!spatial || end - i == 6 ? owner : owner + " (" + components + ")");
    i = end;
  }
  return out;
}

/// tau and ddq that are determined all the same.
std::vector<int> still_determined(const System& system, const Determinacy& found) {
  std::vector<char> open(system.unknowns().size(), 0);
  for (int x : found.undetermined) open[x] = 1;
  std::vector<int> out;
  for (std::size_t x = 0; x < open.size(); ++x) {
    const VariableKind kind = system.unknowns()[x].kind;
    if (!open[x] && (kind == VariableKind::tau || kind == VariableKind::ddq)) out.push_back(static_cast<int>(x));
  }
  return out;
}

/// The sensors on "*" that state the wrench of this link too.
std::string covering(const System& system, const std::string& link) {
  std::vector<std::string> names;
  for (const Sensor& s : system.sensors().sensors) {
    const auto is_link = [&](const NameAt& n) { return n.name == link || matches(n.name, link); };
    if (s.all && s.type == "external_wrench" && std::none_of(s.except.begin(), s.except.end(), is_link))
      names.push_back(s.name);
  }
  return names.empty() ? "" : ", and \"except\": [\"" + link + "\"] in " + listing(names);
}

/// Joints that move nothing, unless loops hold them; and force/torque sensors on fixed joints behind which nothing can push:
/// the set leaves no wrench there unknown, so that the ground under a sole would count as an error of the sensor.
std::vector<std::string> notes(const System& system, const Determinacy& found) {
  std::vector<std::string> out;
  const bool held = !system.closures().empty() && found.verdict() != Verdict::insufficient;  // by loops
  if (const std::string advice = massless_advice(system.model()); !advice.empty() && !held) out.push_back(advice);
  for (const Measurement& m : system.measurements()) {
    if (m.kind != SensorKind::force_torque || m.rigid_group < 0 || m.body < 0) continue;
    const RigidGroup& rigid_group = system.rigid_groups()[m.rigid_group];
    std::vector<std::string> links;
    for (int l : rigid_group.links) links.push_back(system.model().links[l].name);
    const bool open =
        std::any_of(rigid_group.links.begin(), rigid_group.links.end(), [&](int l) { return system.fx_column(l) >= 0; });
    if (open || !rigid_group.bodies.empty()) continue;
    out.push_back("the set leaves no wrench behind " + system.sensors().sensors[m.sensor].name +
                  " unknown: if something touches " + listing(links, 3) + ", state \"unknown\": [\"fx." + links.front() +
                  "\"]" + covering(system, links.front()));
  }
  return out;
}

/// Components of external wrenches that no exact row states, and that are determined.
std::vector<int> determined_wrenches(const System& system, const Determinacy& found) {
  std::vector<bool> passed = held_exactly(system);
  for (int x : found.undetermined) passed[x] = true;
  std::vector<int> out;
  for (std::size_t x = 0; x < passed.size(); ++x)
    if (!passed[x] && system.unknowns()[x].kind == VariableKind::fx) out.push_back(static_cast<int>(x));
  return out;
}

Json to_json(const SensorAdvice& sensor) {
  Json json{{"type", sensor.type}, {"removes", sensor.removes}, {"numbers", sensor.numbers}};
  if (!sensor.on.empty()) json[sensor.on] = sensor.target;
  return json;
}

Json to_json(const AssumptionAdvice& a) {
  Json json{{"type", a.type}, {a.target == "base" ? "joint" : "link", a.target}, {"value", 0}};
  if (!a.except.empty()) json["except"] = a.except;
  json["removes"] = a.removes, json["numbers"] = a.numbers;
  return json;
}

}  // namespace

std::string in_words(const System& system, const Determinacy& found) {
  std::string text = std::string(verdict_name(found.verdict())) + ": " + how_many(found.equations, "equation", "equations") +
                     " for " + how_many(found.unknowns, "unknown", "unknowns") + ", rank " + std::to_string(found.rank) +
                     " (structural " + std::to_string(found.structural_rank) + "), " + std::to_string(found.redundant_rows()) +
                     " redundant\n";
  const int gap = found.unknowns - found.rank;
  if (gap > 0 && found.structurally_undetermined.empty())
    text += "the pattern alone looks sound: it is the numbers that depend on each other at every state tried\n";
  const bool by_pattern_alone = found.undetermined == found.structurally_undetermined;
  if (!found.undetermined.empty())
    text += "undetermined, in " + how_many(gap, "direction", "independent directions") + " that no sensor sees" +
            (by_pattern_alone ? " (too few rows for these, whatever the numbers): " : ": ") +
            listing(by_owner(system, found.undetermined), 16) + "\n";
  if (!found.structurally_undetermined.empty() && !by_pattern_alone)
    text += "too few rows for these, whatever the numbers: " + listing(by_owner(system, found.structurally_undetermined), 16) +
            "\n";
  if (!found.undetermined.empty()) {
    const auto determined = by_owner(system, still_determined(system, found));
    text += "still determined: " + std::to_string(found.unknowns - static_cast<int>(found.undetermined.size())) +
            " unknowns, of tau and ddq " + (determined.empty() ? "none" : listing(determined, 8)) + "\n";
  }
  if (const auto wrenches = by_owner(system, determined_wrenches(system, found)); !wrenches.empty())
    text += "external wrenches that are determined: " + listing(wrenches, 16) + "\n";
  if (!found.redundant_exact.empty())
    text += "exact rows that depend on each other (a sigma on such sensors weighs them): " +
            listing(pick(found.redundant_exact, system.equation_names()), 12) + "\n";
  if (!found.assumptions.empty()) text += assumptions_in_words(found);
  if (!found.advice.empty()) text += advice_in_words(found);
  for (const std::string& note : notes(system, found)) text += note + "\n";
  return text;
}

Json to_json(const System& system, const Determinacy& found) {
  Json advice = Json::array();
  for (const SensorAdvice& sensor : found.advice) advice.push_back(to_json(sensor));
  Json assumptions = Json::array();
  for (const AssumptionAdvice& a : found.assumptions) assumptions.push_back(to_json(a));
  Json pairs = Json::array();
  for (const PairAdvice& pair : found.pairs) pairs.push_back({to_json(pair.first), to_json(pair.second)});
  return {{"verdict", verdict_name(found.verdict())},
          {"unknowns", found.unknowns},
          {"equations", found.equations},
          {"rank", found.rank},
          {"structural_rank", found.structural_rank},
          {"redundant_rows", found.redundant_rows()},
          {"undetermined", pick(found.undetermined, system.unknown_names())},
          {"determined_wrenches", pick(determined_wrenches(system, found), system.unknown_names())},
          {"redundant_exact", pick(found.redundant_exact, system.equation_names())},
          {"structurally_undetermined", pick(found.structurally_undetermined, system.unknown_names())},
          {"structurally_redundant", pick(found.structurally_redundant, system.equation_names())},
          {"assumptions", assumptions},
          {"assumptions_remove", found.assumptions_remove},
          {"advice", advice},
          {"advice_pairs", pairs},
          {"determined_with_priors", found.determined_with_priors},
          {"notes", notes(system, found)}};
}

std::string in_words(const RankOverStates& found) {
  if (found.worst == found.best)
    return "the rank is " + std::to_string(found.best) + " at all of " + std::to_string(found.ranks.size()) +
           " states tried (" + std::to_string(found.special) + " special, " + std::to_string(found.random) + " random)\n";
  return "singular configurations: the rank falls from " + std::to_string(found.best) + " to as low as " +
         std::to_string(found.worst) + ", at " + std::to_string(found.special_below) + " of " + std::to_string(found.special) +
         " special states (joints at 0 and quarter turns" + (found.zero_below ? ", all at 0 among them" : "") + ") and " +
         std::to_string(found.random_below) + " of " + std::to_string(found.random) + " random ones\n";
}

Json to_json(const RankOverStates& found) {
  return {{"best_rank", found.best},       {"worst_rank", found.worst},
          {"special", found.special},      {"special_below", found.special_below},
          {"random", found.random},        {"random_below", found.random_below},
          {"zero_below", found.zero_below}};
}

}  // namespace sparsedyn
