// The worst-case pattern, from the same text that computes the numbers.
#include <algorithm>
#include <cstdint>
#include <random>
#include <stdexcept>

#include "sparsedyn/constraints/constrained_dynamics.hpp"
#include "sparsedyn/spatial/detail/component.hpp"
#include "sparsedyn/system/detail/constraint_pattern.hpp"
#include "system/assemble.hpp"
#include "system/build/stages.hpp"
#include "system/pattern_scalar.hpp"

namespace sparsedyn {
namespace {

/// An entry as it is written. Varying ones are numbered in that order.
struct Entry {
  int row, column;
  double constant;
  int varying;  // its number, or -1
};

struct ConstantCollector {
  std::vector<Entry>* entries;
  void entry(int row, int column, double x) {
    if (x != 0.0) entries->push_back({row, column, x, -1});
  }
};
struct VaryingCollector {
  std::vector<Entry>* entries;
  int count = 0;
  bool zero = true;
  void number(const PatternScalar& x) {
    zero = x.is_zero();
    ++count;
  }
  void at(int row, int column) {
    if (!zero) entries->push_back({row, column, 0.0, count - 1});
  }
  void entry(int row, int column, const PatternScalar& x) {
    number(x);
    at(row, column);
  }
  /// The magnitude that a long chain of transforms sums grows exponentially and says nothing: only exact zeros are zeros.
  void deep(int row, int column, const PatternScalar& x) {
    number(x);
    zero = x.sample(0) == 0.0;
    for (int k = 1; k < PatternScalar::samples; ++k) zero = zero && x.sample(k) == 0.0;
    at(row, column);
  }
};

/// Independent normal numbers in every sample. (Sum of uniforms: the same on every platform, which std's normal is not.)
class Draw {
 public:
  PatternScalar operator()() {
    std::array<double, PatternScalar::samples> x;
    for (double& value : x) value = one();
    return PatternScalar(x);
  }
  double one() {
    double sum = -6.0;
    for (int k = 0; k < 12; ++k) sum += static_cast<double>(rng_()) / 4294967296.0;
    return sum;
  }

 private:
  std::mt19937 rng_{20070831u};
};

std::vector<PatternScalar> draw_coordinates(const Model& model, Draw& draw) {
  std::vector<PatternScalar> q(model.nq);
  for (PatternScalar& x : q) x = draw();
  for (const Body& body : model.bodies) {
    if (quaternion_offset(body.joint) < 0) continue;
    const int unit = body.q + quaternion_offset(body.joint);
    std::array<std::array<double, PatternScalar::samples>, 4> u;
    for (int s = 0; s < PatternScalar::samples; ++s) {
      double length = 0;
      for (int k = 0; k < 4; ++k) u[k][s] = q[unit + k].sample(s), length += u[k][s] * u[k][s];
      for (int k = 0; k < 4; ++k) u[k][s] /= std::sqrt(length);
    }
    for (int k = 0; k < 4; ++k) q[unit + k] = PatternScalar(u[k]);
  }
  return q;
}

template <class Sink>
void write_body_constants(const SystemTables& tables, const BodyTerms& t, Sink& sink) {
  for (int r = 0; r < 6; ++r) {
    for (int k = 0; k < 6; ++k) {
      sink.entry(t.kinematics + k, t.acc + r, t.basis.B[r][k]);
      sink.entry(t.wrench + r, t.f + k, t.basis.B[r][k]);
    }
    if (t.fx >= 0) sink.entry(t.wrench + r, t.fx + r, 1.0);
    if (t.net >= 0) sink.entry(t.wrench + r, t.net + r, -1.0), sink.entry(t.inertial + r, t.net + r, 1.0);
  }
  for (int c = 0; c < 6; ++c) {
    double unit[6] = {0, 0, 0, 0, 0, 0};
    unit[c] = 1.0;
    const Force<double> I = t.inertia * Motion<double>{{{unit[0], unit[1], unit[2]}}, {{unit[3], unit[4], unit[5]}}};
    for (int r = 0; r < 3; ++r) {
      sink.entry(t.inertial + r, t.acc + c, -I.n[r]);
      sink.entry(t.inertial + 3 + r, t.acc + c, -I.f[r]);
    }
  }
  for (int k = 0; k < freedoms(t.joint.joint); ++k) {
    const Motion<double>& s = t.subspace[k];
    sink.entry(t.torque + k, t.tau + k, 1.0);
    sink.entry(t.torque + k, t.ddq + k, -t.multiplier * armature_of(tables.model.tree(), t.joint.v + k));
    if (t.leader >= 0) sink.entry(tables.terms[t.leader].torque, t.tau, -t.multiplier);
    if (tables.formulation.maximal_coordinates) {
      sink.entry(t.kinematics + t.basis.along[k], t.ddq + k, -t.multiplier);
      sink.entry(t.torque + k, t.f + t.basis.along[k], -1.0);
      continue;
    }
    for (int r = 0; r < 3; ++r) {
      sink.entry(t.kinematics + r, t.ddq + k, -t.multiplier * s.w[r]);
      sink.entry(t.kinematics + 3 + r, t.ddq + k, -t.multiplier * s.v[r]);
      sink.entry(t.torque + k, t.f + r, -s.w[r]);
      sink.entry(t.torque + k, t.f + 3 + r, -s.v[r]);
    }
  }
}

/// Σ iX_l* fx_l in the rows (f): unknown wrenches of lumped links, moved to the link that leads the body.
template <class Sink>
void write_lumped_wrenches(const SystemTables& tables, Sink& sink) {
  for (std::size_t l = 0; l < tables.model.links.size(); ++l) {
    const int body = tables.model.links[l].body, column = tables.fx_columns[l];
    if (column < 0 || column == tables.terms[body].fx) continue;
    for (int c = 0; c < 6; ++c) {
      Force<double> unit{zero3<double>(), zero3<double>()};
      component(unit, c) = 1.0;
      const Force<double> x = to_parent(tables.link_in_leading[l], unit);
      for (int r = 0; r < 3; ++r) {
        sink.entry(tables.terms[body].wrench + r, column + c, x.n[r]);
        sink.entry(tables.terms[body].wrench + 3 + r, column + c, x.f[r]);
      }
    }
  }
}

template <class Sink>
void write_constants(const System& system, Sink& sink) {
  const SystemTables& tables = system.tables();
  if (tables.formulation.joint_space) {
    for (int i = 0; i < tables.model.tree().nv; ++i) sink.entry(tables.torque_rows + i, tables.tree_tau_columns[i], 1.0);
    for (const BodyTerms& t : tables.terms)
      if (t.leader >= 0) sink.entry(tables.torque_rows + tables.terms[t.leader].joint.v, t.tau, -t.multiplier);
  } else {
    for (const BodyTerms& t : tables.terms) write_body_constants(tables, t, sink);
    write_lumped_wrenches(tables, sink);
  }
  for (const Measurement& m : tables.measurements)
    if (m.first_row >= 0) write_sensor_constants(system, m, sink);
  for (const Closure& c : tables.closures) detail::write_closure_constants(c, sink);
}

}  // namespace

void derive_pattern(const System& system, SystemTables& tables) {
  std::vector<Entry> entries;
  ConstantCollector constants{&entries};
  write_constants(system, constants);

  Draw draw;
  const std::vector<PatternScalar> q = draw_coordinates(tables.model, draw);
  std::vector<PatternScalar> v(tables.model.nv), y(tables.inputs.size()), rhs(tables.equations.size());
  for (auto* numbers : {&v, &y})
    for (PatternScalar& x : *numbers) x = draw();
  VaryingCollector varying{&entries};
  SystemWorkspace<PatternScalar> work(system);
  detail::write_varying(system, q.data(), v.data(), y.data(), rhs.data(), varying, work);

  const auto before = [](const Entry& a, const Entry& b) { return a.row != b.row ? a.row < b.row : a.column < b.column; };
  std::sort(entries.begin(), entries.end(), before);
  tables.pattern.rows = static_cast<int>(tables.equations.size());
  tables.pattern.columns = static_cast<int>(tables.unknowns.size());
  tables.pattern.row_start.assign(tables.equations.size() + 1, 0);
  tables.numbers = static_cast<std::size_t>(varying.count);
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const Entry& e = entries[k];
    if (k > 0 && !before(entries[k - 1], e)) throw std::logic_error("an entry of the system is written twice");
    ++tables.pattern.row_start[e.row + 1];
    tables.pattern.column.push_back(e.column);
    tables.constants.push_back(e.constant);
    if (e.varying >= 0) tables.varying.push_back({static_cast<int>(k), e.varying});
    const Variable& x = tables.unknowns[e.column];
    if (tables.formulation.shifted && is_added(tables.equations[e.row].kind) && x.kind == VariableKind::acc)
      tables.shifted_readings.push_back({e.row, static_cast<int>(k), x.body, x.component});
  }
  for (int r = 0; r < tables.pattern.rows; ++r) tables.pattern.row_start[r + 1] += tables.pattern.row_start[r];
}

Pattern constraint_pattern(const Model& model, const ConstraintSet& set) {
  Pattern pattern;
  pattern.rows = pattern.columns = model.nv;
  pattern.row_start.push_back(0);
  int k = 0;
  for (std::vector<int> row : tied_freedoms(model, set)) {
    row.insert(std::lower_bound(row.begin(), row.end(), k), k);
    pattern.column.insert(pattern.column.end(), row.begin(), row.end());
    pattern.row_start.push_back(pattern.entries());
    pattern.partner.push_back(k++);
  }
  return pattern;
}

}  // namespace sparsedyn
