#include "sparsedyn/runtime/outputs.hpp"

#include <algorithm>

#include "determinacy/held_exactly.hpp"
#include "io/suggestions.hpp"
#include "output_request.hpp"
#include "system/names.hpp"

namespace sparsedyn {
namespace {

const std::string& component_name(VariableKind kind, int k) {
  return (kind == VariableKind::acc ? motion_suffixes() : force_suffixes())[k];
}

/// Whether links' accelerations or joints' wrenches follow from the unknowns.
bool has_inside(const Formulation& formulation, VariableKind kind) {
  return !formulation.joint_space && !(kind == VariableKind::f && formulation.canonical);
}

/// `f.grip.1.nx` does not belong to joint `grip.1`'s neighbour `grip`: a kind and a name ask for whole owners only.
std::string derived_name(const Model& model, VariableKind kind, int link) {
  const Link& l = model.links[link];
  return std::string(kind_name(kind)) + "." + (kind == VariableKind::f ? l.joint : l.name);
}

/// Kinds that some unknown is of, unknowns, and what is derived from them for a link.
std::vector<std::string> names_to_ask_for(const System& system) {
  std::vector<std::string> names = system.unknown_names();
  for (const std::string& kind : kind_names())
    if (std::any_of(system.unknown_names().begin(), system.unknown_names().end(),
                    [&](const std::string& name) { return answers(name, kind); }))
      names.push_back(kind);
  const Model& model = system.model();
  for (std::size_t l = 0; l < model.links.size(); ++l)
    for (VariableKind kind : {VariableKind::acc, VariableKind::fx, VariableKind::f})
      names.push_back(derived_name(model, kind, static_cast<int>(l)));
  for (const Joint& joint : model.joints)
    if (joint.follows()) names.push_back("ddq." + joint.name), names.push_back("dq." + joint.name);
  return names;
}

}  // namespace

Outputs::Outputs(const System& system, const std::vector<std::string>& requests) : system_(system) {
  if (requests.empty())
    for (const std::string& name : system.unknown_names()) add(name);
  for (const std::string& request : requests) add(request);
  std::sort(unknowns_.begin(), unknowns_.end());
  unknowns_.erase(std::unique(unknowns_.begin(), unknowns_.end()), unknowns_.end());
}

void Outputs::add(const std::string& request) {
  const bool found = add_unknowns(request), derived = add_derived(request), follows = add_follower(request);
  if (found || derived || follows) return;
  const std::string formulation = formulation_name(system_.formulation());
  std::string text = "no output is called \"" + request + "\"";
  if (formulation != formulation_name({})) text += " in the formulation " + formulation;
  if (system_.model().nv == 0) text += ": no joint of the robot moves";
  throw UnknownOutput(text + suggestions_text(request, names_to_ask_for(system_)));
}

bool Outputs::add_unknowns(const std::string& request) {
  bool found = false;
  for (std::size_t c = 0; c < system_.unknown_names().size(); ++c) {
    const std::string& name = system_.unknown_names()[c];
    if (!answers(name, request)) continue;
    found = true;
    if (!named_.insert(name).second) continue;
    columns_.push_back(name);
    sources_.push_back({static_cast<int>(c), -1, 0});
    unknowns_.push_back(static_cast<int>(c));
    reads_.push_back({static_cast<int>(c)});
  }
  return found;
}

bool Outputs::add_derived(const std::string& request) {
  const Model& model = system_.model();
  bool found = false;
  for (int l = 0; l < static_cast<int>(model.links.size()); ++l) {
    const Link& link = model.links[l];
    const bool leads = link.body >= 0 && model.leading_link(link.body) == l && !system_.formulation().axis_frames();
    for (VariableKind kind : {VariableKind::acc, VariableKind::fx, VariableKind::f}) {
      const bool is_unknown = leads && !(kind == VariableKind::f && system_.formulation().maximal_coordinates);
      if (kind == VariableKind::fx ? system_.fx_column(l) >= 0 : is_unknown || !has_inside(system_.formulation(), kind))
        continue;
      const std::string stem = derived_name(model, kind, l);
      if (request != stem && request.compare(0, stem.size() + 1, stem + ".") != 0) continue;
      const int index = static_cast<int>(derived_.size());
      const std::size_t before = columns_.size();
      for (int k = 0; k < 6; ++k) {
        const std::string name = stem + "." + component_name(kind, k);
        if (!answers(name, request)) continue;
        found = true;
        if (!named_.insert(name).second) continue;
        columns_.push_back(name);
        sources_.push_back({-1, index, k});
      }
      if (columns_.size() == before) continue;
      derived_.push_back({kind, l});
      rigid_groups_.push_back(kind == VariableKind::f ? rigid_group_behind(system_, l) : RigidGroup{});
      const std::size_t read = unknowns_.size();
      note_unknowns(derived_.back());
      reads_.resize(columns_.size(), {unknowns_.begin() + static_cast<std::ptrdiff_t>(read), unknowns_.end()});
    }
  }
  return found;
}

/// q̈ = m q̈_l, q̇ = m q̇_l; asked for as whole columns.
bool Outputs::add_follower(const std::string& request) {
  for (const Joint& joint : system_.model().joints) {
    if (!joint.follows() || joint.bodies == 0) continue;
    const bool accelerates = request == "ddq." + joint.name;
    if (!accelerates && request != "dq." + joint.name) continue;
    if (!named_.insert(request).second) return true;
    const BodyTerms& terms = system_.terms()[static_cast<std::size_t>(joint.first_body)];
    columns_.push_back(request);
    if (accelerates)
      sources_.push_back({terms.ddq, -1, 0, terms.multiplier}), unknowns_.push_back(terms.ddq), reads_.push_back({terms.ddq});
    else
      sources_.push_back({-1, -1, 0, 1, terms.joint.v}), reads_.push_back({}), reads_velocities_ = true;
    return true;
  }
  return false;
}

/// Collects what the last derived quantity reads.
void Outputs::note_unknowns(const Derived& derived) {
  const auto read = [&](int first) {
    for (int k = 0; k < 6 && first >= 0; ++k) unknowns_.push_back(first + k);
  };
  const int body = system_.model().links[derived.link].body;
  if (derived.kind != VariableKind::fx && body >= 0) read(system_.acc_column(body));
  for (int link : rigid_groups_.back().links) read(system_.fx_column(link));
  for (int child : rigid_groups_.back().bodies) read(system_.f_column(child));
}

std::vector<std::string> default_outputs(const System& system) {
  const std::vector<bool> held = held_exactly(system);
  std::vector<std::string> names;
  for (VariableKind kind : {VariableKind::tau, VariableKind::ddq, VariableKind::lambda})
    for (std::size_t x = 0; x < held.size(); ++x)
      if (!held[x] && system.unknowns()[x].kind == kind) names.push_back(system.unknown_names()[x]);
  return names;
}

}  // namespace sparsedyn
