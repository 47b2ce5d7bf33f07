#include "exact_motion_readings.hpp"

#include <algorithm>

#include "sparsedyn/spatial/detail/component.hpp"

namespace sparsedyn {
namespace {

/// By link: whether the set names its wrench, other than by a constant: by a sensor on it, a contact, or among the unknowns.
std::vector<char> named_wrenches(const System& system) {
  const Model& model = system.model();
  std::vector<char> named(model.links.size(), 0);
  for (const Measurement& m : system.measurements()) {
    const bool read = std::any_of(m.inputs.begin(), m.inputs.end(), [](int input) { return input >= 0; });
    if (m.link >= 0 && sensor_type(m.kind).own_wrench && (read || m.kind == SensorKind::contact))
      named[static_cast<std::size_t>(m.link)] = 1;
  }
  for (const NameAt& n : system.sensors().unknown)
    for (std::size_t l = 0; l < named.size(); ++l)
      if (n.name == "fx." + model.links[l].name) named[l] = 1;
  return named;
}

/// By link: where its own wrench enters, if it does; not where a constant says what it is.
std::vector<WrenchPlace> own_places(const System& system, const std::vector<char>& named) {
  std::vector<WrenchPlace> places(named.size());
  for (std::size_t l = 0; l < places.size(); ++l)
    if (const int link = static_cast<int>(l); system.fx_column(link) >= 0) places[l] = {link, system.fx_column(link), -1};
  for (const KnownWrench& known : system.known_wrenches())
    if (const auto l = static_cast<std::size_t>(known.link); named[l]) places[l] = {known.link, -1, known.measurement};
  return places;
}

/// By link: its own wrench where the set names it; else that of a link of its body which the set names and which
/// is not grounded itself (the ankle of a sole), as contacts stand on the body then; else its own all the same, or that of the
/// link that leads the body.
std::vector<WrenchPlace> wrench_places(const System& system, const std::vector<char>& grounded) {
  const Model& model = system.model();
  const std::vector<char> named = named_wrenches(system);
  const std::vector<WrenchPlace> own = own_places(system, named);
  std::vector<WrenchPlace> found = own;
  for (std::size_t l = 0; l < own.size(); ++l) {
    const int body = model.links[l].body;
    if (named[l] || body < 0) continue;
    if (own[l].link < 0) found[l] = own[static_cast<std::size_t>(model.leading_link(body))];
    for (std::size_t other = own.size(); other-- > 0;)
      if (named[other] && !grounded[other] && model.links[other].body == body) found[l] = own[other];
  }
  return found;
}

}  // namespace

ExactMotionReadings::ExactMotionReadings(const System& system, const std::vector<char>& grounded)
    : system_(system),
      places_(wrench_places(system, grounded)),
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
  for (const Measurement& m : system_.measurements())
    if (m.rigid_group >= 0) put_through_fixed_joint(m, s);
  of_state_ = state_.predict(s.q.data(), s.v.data());
}

/// A force/torque sensor in a fixed joint passes what pushes the links behind it, wherever in the body the system counts it:
/// −Σ l_X* w_l of those that count before the joint, +Σ of those that push before it and count behind.
void ExactMotionReadings::put_through_fixed_joint(const Measurement& m, const PushedState& s) {
  const std::vector<int>& links = system_.rigid_groups()[static_cast<std::size_t>(m.rigid_group)].links;
  const auto is_behind = [&](int link) { return std::find(links.begin(), links.end(), link) != links.end(); };
  Force<double> missing{zero3<double>(), zero3<double>()};  // in the frame of the link that leads the body
  for (std::size_t l = 0; l < s.wrenches.size(); ++l) {
    const double behind = is_behind(static_cast<int>(l)), counted = is_behind(places_[l].link);
    if (behind == counted) continue;
    const Force<double> w = to_parent(system_.link_in_leading(static_cast<int>(l)), s.wrenches[l]);
    missing = missing + Force<double>{(counted - behind) * w.n, (counted - behind) * w.f};
  }
  const Force<double> read = to_child(m.in_leading, missing);
  for (std::size_t k = 0; k < m.components.size(); ++k)
    if (m.inputs[k] >= 0) y_[static_cast<std::size_t>(m.inputs[k])] += m.sign * component(read, m.components[k]);
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
    if (m.inputs[k] >= 0) known_[static_cast<std::size_t>(m.inputs[k])] += component(read, m.components[k]);
}

}  // namespace sparsedyn
