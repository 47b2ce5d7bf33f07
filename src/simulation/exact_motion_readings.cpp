#include "exact_motion_readings.hpp"

#include <algorithm>

#include "sparsedyn/spatial/detail/component.hpp"

namespace sparsedyn {
namespace {

/// By link: its own wrench, or that of another link of the body.
std::vector<WrenchPlace> wrench_places(const System& system) {
  const Model& model = system.model();
  std::vector<WrenchPlace> places(model.links.size());
  for (std::size_t x = 0; x < system.unknowns().size(); ++x) {
    const Variable& variable = system.unknowns()[x];
    if (variable.kind == VariableKind::fx && variable.component == 0)
      places[static_cast<std::size_t>(variable.owner)] = {variable.owner, static_cast<int>(x), -1};
  }
  for (const KnownWrench& known : system.known_wrenches())
    places[static_cast<std::size_t>(known.link)] = {known.link, -1, known.measurement};
  std::vector<WrenchPlace> found = places;
  for (std::size_t l = 0; l < places.size(); ++l)
    for (std::size_t other = 0; other < places.size() && found[l].link < 0; ++other)
      if (places[other].first >= 0 && model.links[other].body == model.links[l].body && model.links[l].body >= 0)
        found[l] = places[other];
  return found;
}

}  // namespace

ExactMotionReadings::ExactMotionReadings(const System& system)
    : system_(system),
      places_(wrench_places(system)),
      rows_(system),
      readings_(system),
      state_(system),
      work_(system),
      values_(system.pattern().entries()),
      right_side_(static_cast<std::size_t>(system.pattern().rows)),
      z_(rows_.free_unknowns().size()),
      given_(system.unknowns().size()),
      x_(given_),
      y_(system.inputs().size()),
      known_(y_) {}

void ExactMotionReadings::at(const PushedState& s) {
  put_wrenches(s);
  for (int v = 0; v < system_.model().nv; ++v)
    given_[static_cast<std::size_t>(system_.ddq_column(v))] = s.a[static_cast<std::size_t>(v)];
  for (std::size_t k = 0; k < z_.size(); ++k) z_[k] = given_[static_cast<std::size_t>(rows_.free_unknowns()[k])];
  system_.assemble(s.q.data(), s.v.data(), known_.data(), values_.data(), right_side_.data(), work_);
  rows_.solve(values_.data(), right_side_.data(), z_, x_.data());
  std::fill(y_.begin(), y_.end(), 0.0);
  readings_.read(s.q.data(), s.v.data(), x_.data(), y_.data());
  for (const KnownWrench& known : system_.known_wrenches())
    for (int input : measurement(known.measurement).inputs)
      if (input >= 0) y_[static_cast<std::size_t>(input)] = known_[static_cast<std::size_t>(input)];
  of_state_ = state_.predict(s.q.data(), s.v.data());
}

/// Of the unknowns, and of what is known to the laws of motion.
void ExactMotionReadings::put_wrenches(const PushedState& s) {
  const Model& model = system_.model();
  std::fill(given_.begin(), given_.end(), 0.0), std::fill(known_.begin(), known_.end(), 0.0);
  for (std::size_t l = 0; l < s.wrenches.size(); ++l) {
    const WrenchPlace& place = places_[l];
    if (place.link < 0) continue;
    const Pose<double> from = inverse(model.links[static_cast<std::size_t>(place.link)].pose) * model.links[l].pose;
    const Force<double> w = place.link == static_cast<int>(l) ? s.wrenches[l] : to_parent(from, s.wrenches[l]);
    if (place.first >= 0)
      for (int c = 0; c < 6; ++c) given_[static_cast<std::size_t>(place.first + c)] += component(w, c);
    else
      put_known(measurement(place.measurement), w);
  }
}

void ExactMotionReadings::put_known(const Measurement& m, const Force<double>& on_link) {
  const Force<double> read = to_child(m.frame, on_link);
  for (std::size_t k = 0; k < m.components.size(); ++k)
    if (m.inputs[k] >= 0) known_[static_cast<std::size_t>(m.inputs[k])] = component(read, m.components[k]);
}

}  // namespace sparsedyn
