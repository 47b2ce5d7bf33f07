#include "known_wrenches.hpp"

#include <algorithm>
#include <cmath>

namespace sparsedyn::inspection {
namespace {

constexpr const char* wrench_names[] = {"nx", "ny", "nz", "fx", "fy", "fz"};

double noise_in(const Series* column, double stated) {
  if (!column) return 0;
  const double white = white_noise_of(*column);
  return white > 0 ? white : std::isfinite(stated) ? stated : 0;
}

/// The column of a component of a measurement: the sensor's own, or the one that stands in.
const Series* column_of(Examination& x, const Measurement& m, std::size_t k, std::string& said) {
  for (const std::string& name : {m.columns[k], m.stand_ins[k]})
    if (!name.empty())
      if (const Series* const found = x.column(name)) {
        said = name;
        return found;
      }
  return nullptr;
}

}  // namespace

KnownWrenches::KnownWrenches(Examination& x) : links_(x.model.links.size()) {
  if (x.system) read_sensors(x);
  read_columns(x);
}

void KnownWrenches::read_columns(Examination& x) {
  for (std::size_t l = 0; l < links_; ++l) {
    if (std::any_of(measured_.begin(), measured_.end(), [&](const Measured& m) { return m.link == static_cast<int>(l); }))
      continue;
    Measured m;
    m.link = static_cast<int>(l), m.frame = identity_pose<double>();
    bool any = false;
    for (std::size_t k = 0; k < 6; ++k) {
      const std::string name = "fx." + x.model.links[l].name + "." + wrench_names[k];
      m.component[k] = x.column(name);
      if (m.component[k]) m.name[k] = name;
      any = any || m.component[k];
      m.noise[k] = noise_in(m.component[k], 0);
    }
    if (any) measured_.push_back(std::move(m));
  }
}

void KnownWrenches::read_sensors(Examination& x) {
  for (const Measurement& m : x.system->measurements()) {
    if (m.link < 0 || m.kind != SensorKind::external_wrench || m.components.size() < 6) continue;
    Measured one;
    one.link = m.link, one.frame = m.frame;
    for (std::size_t k = 0; k < m.components.size(); ++k) {
      const auto c = static_cast<std::size_t>(m.components[k]);
      one.component[c] = column_of(x, m, k, one.name[c]);
      one.noise[c] = noise_in(one.component[c], m.sigma[k]);
      if (m.inputs[k] < 0) one.constant[c] = m.values[k];
    }
    measured_.push_back(std::move(one));
  }
}

void KnownWrenches::at(std::size_t i, Force<double>* links) const {
  for (std::size_t l = 0; l < links_; ++l) links[l] = {zero3<double>(), zero3<double>()};
  for (const Measured& m : measured_) {
    std::array<double, 6> x{};
    for (std::size_t k = 0; k < 6; ++k) x[k] = m.component[k] ? m.factor * (*m.component[k])[i] : m.constant[k];
    links[m.link] = links[m.link] + to_parent(m.frame, Force<double>{{{x[0], x[1], x[2]}}, {{x[3], x[4], x[5]}}});
  }
}

std::vector<std::vector<std::string>> KnownWrenches::measured_columns() const {
  std::vector<std::vector<std::string>> all;
  for (const Measured& m : measured_) {
    std::vector<std::string> names;
    for (const std::string& name : m.name)
      if (!name.empty()) names.push_back(name);
    if (!names.empty()) all.push_back(names);
  }
  return all;
}

void KnownWrenches::scale(std::size_t measured, double factor) {
  std::size_t at = 0;
  for (Measured& m : measured_) {
    const bool any = std::any_of(m.name.begin(), m.name.end(), [](const std::string& name) { return !name.empty(); });
    if (any && at++ == measured) m.factor = factor;
  }
}

void KnownWrenches::disturb(Force<double>* links, const std::function<double()>& normal) const {
  for (const Measured& m : measured_) {
    std::array<double, 6> x{};
    for (std::size_t k = 0; k < 6; ++k)
      if (m.noise[k] > 0) x[k] = m.factor * m.noise[k] * normal();
    links[m.link] = links[m.link] + to_parent(m.frame, Force<double>{{{x[0], x[1], x[2]}}, {{x[3], x[4], x[5]}}});
  }
}

}  // namespace sparsedyn::inspection
