#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <initializer_list>

#include "io/fnv_hash.hpp"
#include "sparsedyn/model/coordinate_map.hpp"
#include "sparsedyn/system/detail/constraint_pattern.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn {
namespace {

class Hash : public FnvHash {
 public:
  explicit Hash(bool exact = false) : exact_(exact) {}
  using FnvHash::add;
  /// Numbers to nine digits of the largest among them, so that what rounding leaves does not count; or every bit.
  void add(std::initializer_list<double> numbers) {
    if (exact_) return bits(numbers);
    double largest = 0;
    for (double x : numbers) largest = std::max(largest, std::abs(x));
    int exponent = 0;
    std::frexp(largest * (1 + 1e-9), &exponent);  // the same for 1 and for what was rounded below it
    add(static_cast<long>(exponent));
    for (double x : numbers) add(std::lround(std::ldexp(x, 30 - exponent)));
  }

 private:
  void bits(std::initializer_list<double> numbers) {
    for (double x : numbers) {
      std::int64_t whole = 0;
      static_assert(sizeof whole == sizeof x);
      std::memcpy(&whole, &x, sizeof x);
      add(whole);
    }
  }
  bool exact_;
};

bool none(const Mat3<double>& shares) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      if (shares(i, j) != 0) return false;
  return true;
}

/// All numbers of a system's equations, as they vary with the state, but for gravity, sigmas and constants of the sensors.
void add_numbers(Hash& hash, const SystemTables& tables) {
  const auto add_vector = [&](const Vec3<double>& x) { hash.add({x[0], x[1], x[2]}); };
  const auto add_matrix = [&](const Mat3<double>& R) {
    for (int i = 0; i < 3; ++i) hash.add({R(i, 0), R(i, 1), R(i, 2)});
  };
  for (const BodyTerms& t : tables.terms) {
    const Inertia<double>& I = t.inertia;
    hash.add({t.joint.pitch, I.m});
    add_vector(I.h);
    hash.add({I.moments.xx, I.moments.xy, I.moments.xz, I.moments.yy, I.moments.yz, I.moments.zz});
    add_matrix(t.joint.placement.R);
    add_vector(t.joint.placement.d);
    add_matrix(t.link_R);
  }
  if (const CoordinateMap* map = tables.model.coordinate_map.get())
    for (const CoordinateMap::Entry& e : map->q) hash.add({e.multiplier}), hash.add({e.offset});
  const std::vector<JointPhysics>& physics = tables.model.tree().physics;
  for (std::size_t k = 0; k < physics.size(); ++k) {
    const JointPhysics& p = physics[k];
    if (p.none()) continue;
    hash.add(static_cast<long>(k));
    for (double x : {p.armature, p.damping, p.friction, p.offset, p.smoothing}) hash.add({x});
    if (p.stribeck != 0) hash.add({p.stribeck, p.stribeck_velocity});
    if (p.stiffness) hash.add({*p.stiffness, 1});
  }
  for (const Measurement& m : tables.measurements) {
    add_matrix(m.frame.R);
    add_vector(m.frame.d);
    if (m.kind == SensorKind::normal_force) add_vector(m.normal);
  }
  for (const Closure& c : tables.closures) {
    for (const ClosureSide& side : c.sides) add_matrix(side.anchor.R), add_vector(side.anchor.d);
    for (double x : c.polynomial) hash.add({x});
    for (const ClosureTerm& term : c.linear) hash.add({term.factor});
    hash.add({c.omega});
    for (const Mat3<double>& shares : c.shares)  // none: as before there were shares
      if (!none(shares)) add_matrix(shares);
  }
}

}  // namespace

std::string System::fingerprint() const {
  Hash hash;
  if (tables_.formulation.shifted) hash.add(std::string("shifted"));  // alone leaves names and rows as they are
  for (const Body& body : tables_.model.bodies) hash.add(body.parent), hash.add(static_cast<long>(body.joint));
  for (const Joint& joint : tables_.model.joints) hash.add(joint.name), hash.add(static_cast<long>(joint.bodies));
  for (const Link& link : tables_.model.links)
    hash.add(link.name), hash.add(link.joint), hash.add(static_cast<long>(link.body));
  for (const auto* names : {&tables_.unknown_names, &tables_.equation_names})
    for (const std::string& name : *names) hash.add(name);
  for (const Input& input : tables_.inputs)
    for (const std::string& column : input.columns) hash.add(column);
  for (const auto* indices : {&tables_.pattern.row_start, &tables_.pattern.column})
    for (int index : *indices) hash.add(static_cast<long>(index));
  return hash.hexadecimal();
}

std::string System::numbers_fingerprint() const {
  Hash hash;
  add_numbers(hash, tables_);
  return hash.hexadecimal();
}

namespace {

void add_pose(Hash& hash, const Pose<double>& x) {
  for (int i = 0; i < 3; ++i) hash.add({x.R(i, 0), x.R(i, 1), x.R(i, 2), x.d[i]});
}

void add_reading(Hash& hash, const Measurement& m) {
  for (int index : {static_cast<int>(m.kind), m.link, m.joint, m.body, m.rigid_group, m.first_row})
    hash.add(static_cast<long>(index));
  add_pose(hash, m.in_leading);
  for (std::size_t k = 0; k < m.components.size(); ++k) {
    hash.add(static_cast<long>(m.components[k])), hash.add(static_cast<long>(m.inputs[k]));
    hash.add({m.values[k]});
  }
  for (double sigma : m.sigma) hash.add({sigma});
  for (const auto& [freedom, factor] : m.torques) hash.add(static_cast<long>(freedom)), hash.add({factor});
  hash.add({m.sign, m.normal[0], m.normal[1], m.normal[2]});
}

}  // namespace

std::string System::exact_fingerprint() const {
  Hash hash(true);
  hash.add(fingerprint());
  add_numbers(hash, tables_);
  for (double x : tables_.constants) hash.add({x});
  for (const Link& link : tables_.model.links) {
    add_pose(hash, link.pose);
    const Inertia<double>& I = link.inertia;
    hash.add({I.m, I.h[0], I.h[1], I.h[2]});
    hash.add({I.moments.xx, I.moments.xy, I.moments.xz, I.moments.yy, I.moments.yz, I.moments.zz});
  }
  const Vec3<double>& g = tables_.model.gravity;
  hash.add({g[0], g[1], g[2]});
  for (const Input& input : tables_.inputs) hash.add({input.fallback});
  for (const Measurement& m : tables_.measurements) add_reading(hash, m);
  for (const KnownWrench& x : tables_.known_wrenches) hash.add(static_cast<long>(x.link));
  for (const KnownOffset& offset : tables_.sensors.offsets) hash.add(offset.column.name), hash.add({offset.value});
  for (const std::vector<double>* sigmas : {&tables_.position_sigma, &tables_.velocity_sigma})
    for (double sigma : *sigmas) hash.add({sigma});
  for (const auto& [kind, deviation] : tables_.sensors.prior) hash.add(kind), hash.add({deviation});
  return hash.hexadecimal();
}

std::string constraint_fingerprint(const Model& model, const ConstraintSet& set) {
  Hash hash;
  for (const std::string& name : velocity_names(model)) hash.add(name);
  for (const Constraint& c : set.constraints) {
    hash.add(c.name), hash.add(static_cast<long>(c.type));
    for (const std::string& link : c.links) hash.add(link);
    for (const std::string& joint : c.joints) hash.add(joint);
  }
  const Pattern pattern = constraint_pattern(model, set);
  for (const auto* indices : {&pattern.row_start, &pattern.column})
    for (int index : *indices) hash.add(static_cast<long>(index));
  return hash.hexadecimal();
}

}  // namespace sparsedyn
