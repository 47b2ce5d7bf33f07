#include "recorded_sensitivities.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <string>

#include "coordinate_tangent.hpp"
#include "quaternion_lift.hpp"
#include "runtime/write_outputs.hpp"
#include "sparsedyn/codegen/recorder.hpp"
#include "sparsedyn/dynamics/regressor.hpp"
#include "sparsedyn/scalar/autodiff.hpp"
#include "system/assemble.hpp"

namespace sparsedyn {
namespace {

using Number = Dual<Expr, 1>;
using Numbers = std::vector<Number>;
using Vector = std::vector<Expr>;

Numbers still(const Vector& x) {
  Numbers numbers;
  for (const Expr& each : x) numbers.push_back(Number(each, {Expr(0.0)}));
  return numbers;
}

bool is_zero_node(const Expr& x) { return x.ref().node == Expr(0.0).ref().node; }

/// q ⊕ δ along entry k of the tangent, by the joint that entry k moves: u + ½ L δ for a quaternion u, p + R δ for a place.
void seed_position(const Model& model, int k, Numbers& q) {
  const CoordinateMap* const map = model.coordinate_map.get();
  const int t = map ? map->joined[static_cast<std::size_t>(k)].front() : k;
  for (const Body& body : model.tree().bodies) {
    if (t < body.v || t >= body.v + freedoms(body.joint)) continue;
    const int first = map ? map->q[static_cast<std::size_t>(body.q)].index : body.q, c = t - body.v;
    Number* const own = q.data() + first;
    const TangentGroup group = tangent_group(body.joint);
    if (group == TangentGroup::additive) {
      own[c].d[0] = Expr(1.0);
    } else if (group == TangentGroup::planar) {
      const Expr turn = own[2].x, s = sin(turn), cosine = cos(turn);
      if (c == 0) own[0].d[0] = cosine, own[1].d[0] = s;
      if (c == 1) own[0].d[0] = -s, own[1].d[0] = cosine;
      if (c == 2) own[2].d[0] = Expr(1.0);
    } else {
      Number* const u = own + (group == TangentGroup::free ? 3 : 0);
      const Expr turned[4] = {u[0].x, u[1].x, u[2].x, u[3].x};
      if (c < 3) {
        const auto lift = quaternion_lift(turned, 0.5);
        for (std::size_t m = 0; m < 4; ++m) u[m].d[0] = lift[static_cast<std::size_t>(c)][m];
        continue;
      }
      const Mat3<Expr> R = rotation_from_quaternion(turned);
      for (int m = 0; m < 3; ++m) own[m].d[0] = R(m, c - 3);
    }
  }
}

class Sensitivities {
 public:
  Sensitivities(const System& system, const Outputs& outputs, const RecordedSolution& solution)
      : system_(system), outputs_(outputs), s_(solution), q_(still(s_.in.q)), v_(still(s_.in.v)), y_(still(s_.in.y)) {
    const Pattern& pattern = system.pattern();
    for (int r = 0; r < pattern.rows; ++r) row_of_.resize(static_cast<std::size_t>(pattern.row_start[r + 1]), r);
  }

  /// What changes along a direction of q's tangent, v and the readings.
  using Along = Vector (Sensitivities::*)(const Numbers& q, const Numbers& v, const Numbers& y) const;
  Vector outputs_along(const Numbers& q, const Numbers& v, const Numbers& y) const {
    SystemWorkspace<Number> work(system_);
    const RecordedChange change = changed(q, v, y, work);
    return of_outputs(change, y, work);
  }
  Vector unknowns_along(const Numbers& q, const Numbers& v, const Numbers& y) const {
    SystemWorkspace<Number> work(system_);
    return s_.change_of_x(changed(q, v, y, work));
  }

  /// That along each direction of q's tangent, of v, and of the readings that are read.
  /// @{
  std::vector<Vector> by_q(Along along) const {
    std::vector<Vector> all;
    for (int k = 0; k < system_.model().nv; ++k) {
      Numbers q = q_;
      seed_position(system_.model(), k, q);
      all.push_back((this->*along)(q, v_, y_));
    }
    return all;
  }
  std::vector<Vector> by_v(Along along) const {
    std::vector<Vector> all;
    for (int k = 0; k < system_.model().nv; ++k) all.push_back((this->*along)(q_, seeded(v_, k), y_));
    return all;
  }
  std::vector<Vector> by_y(Along along) const {
    std::vector<Vector> all;
    for (std::size_t k = 0; k < s_.read.size(); ++k)
      if (s_.read[k]) all.push_back((this->*along)(q_, v_, seeded(y_, static_cast<int>(k))));
    return all;
  }
  /// @}

  /// Ten numbers of the link that leads a body, those of a joint.
  Vector along_parameter(const ParameterIndex& index, int k) const {
    RecordedChange change;
    if (k < 10 * static_cast<int>(index.of_joints.size()))
      change_body(k / 10, k % 10, change);
    else
      for (std::size_t j = 0; j < index.of_joints.size(); ++j)
        if (const int first = index.of_joints[j]; first >= 0 && k >= first && k < first + index.counts[j])
          change_joint(static_cast<int>(j), k - first, change);
    SystemWorkspace<Number> work(system_);
    assemble(q_, v_, y_, work);
    return of_outputs(change, y_, work);
  }

 private:
  struct Assembled {
    Numbers values, right_side;
  };

  static Numbers seeded(Numbers x, int k) {
    x[static_cast<std::size_t>(k)].d[0] = Expr(1.0);
    return x;
  }

  Assembled assemble(const Numbers& q, const Numbers& v, const Numbers& y, SystemWorkspace<Number>& work) const {
    Assembled a{Numbers(static_cast<std::size_t>(system_.pattern().entries()), Number(0.0)),
                Numbers(static_cast<std::size_t>(system_.pattern().rows), Number(0.0))};
    system_.assemble(q.data(), v.data(), y.data(), a.values.data(), a.right_side.data(), work);
    return a;
  }

  RecordedChange changed(const Numbers& q, const Numbers& v, const Numbers& y, SystemWorkspace<Number>& work) const {
    const Assembled a = assemble(q, v, y, work);
    RecordedChange change;
    for (std::size_t e = 0; e < a.values.size(); ++e)
      if (!is_zero_node(a.values[e].d[0])) change.matrix.push_back({row_of_[e], system_.pattern().column[e], a.values[e].d[0]});
    for (std::size_t r = 0; r < a.right_side.size(); ++r)
      if (!is_zero_node(a.right_side[r].d[0])) change.right_side.emplace_back(static_cast<int>(r), a.right_side[r].d[0]);
    return change;
  }

  Vector of_outputs(const RecordedChange& change, const Numbers& y, const SystemWorkspace<Number>& work) const {
    const Vector dx = s_.change_of_x(change);
    Numbers x, out(outputs_.columns().size(), Number(0.0));
    for (std::size_t u = 0; u < s_.x.size(); ++u) x.push_back(Number(s_.x[u], {dx[u]}));
    system_.unshift(x.data(), work);
    outputs_.write(x.data(), y.data(), work, out.data());
    Vector moved;
    for (const Number& each : out) moved.push_back(each.d[0]);
    return moved;
  }

  /// f − I a + … = v ×* I v with δI more.
  void change_body(int joint, int number, RecordedChange& change) const {
    const Joint& of = system_.model().joints[static_cast<std::size_t>(joint)];
    const std::size_t body = detail::last_body(of);
    const BodyTerms& t = system_.terms()[body];
    double ten[10] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    ten[number] = 1;
    const Inertia<double> more = to_parent(system_.link_in_leading(of.child_link), detail::inertia_of(ten));
    for (int c = 0; c < 6; ++c) {
      const Force<double> x = more * sensors::unit_motion(c);
      for (int r = 0; r < 6; ++r)
        if (const double entry = component(x, r); entry != 0)
          change.matrix.push_back({t.inertial + r, t.acc + c, Expr(-entry)});
    }
    Force<Expr> p = velocity_wrench(more, s_.work.v[body]);
    if (!s_.work.shift.empty()) p = p + more * s_.work.shift[body];
    for (int r = 0; r < 6; ++r)
      if (const Expr x = component(p, r); !is_zero_node(x)) change.right_side.emplace_back(t.inertial + r, x);
  }

  /// τ − Sᵀ f − armature q̈ = damping v + friction g(v) + offset + stiffness q.
  void change_joint(int joint, int which, RecordedChange& change) const {
    const Model& tree = system_.model().tree();
    const Joint& of = tree.joints[static_cast<std::size_t>(joint)];
    const BodyTerms& t = system_.terms()[detail::last_body(of)];
    const auto of_tree = [&](const CoordinateMap::Entry& entry, const std::vector<Expr>& x) {
      return Expr(entry.multiplier) * x[static_cast<std::size_t>(entry.index)] + Expr(entry.offset);
    };
    const Expr q = of_tree(position_entry_of(system_.model(), of.q), s_.in.q),
               v = of_tree(entry_of(system_.model(), of.v), s_.in.v);
    Expr entries[detail::most_joint_numbers];
    detail::joint_entries(physics_of(tree, of.v), q, v, Expr(0.0), entries);
    if (which == 0)
      change.matrix.push_back({t.torque, t.ddq, Expr(-t.multiplier)});
    else
      change.right_side.emplace_back(t.torque, entries[which]);
  }

  const System& system_;
  const Outputs& outputs_;
  const RecordedSolution& s_;
  Numbers q_, v_, y_;
  std::vector<int> row_of_;  // of each entry of the pattern
};

/// Columns of a matrix, row by row.
void output_columns(Recorder& recorder, const std::string& name, const std::vector<Vector>& columns, std::size_t rows) {
  std::vector<std::string> names;
  Vector entries;
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = 0; k < columns.size(); ++k) {
      names.push_back(name + "." + std::to_string(i) + "." + std::to_string(k));
      entries.push_back(columns[k][i]);
    }
  recorder.output(name, names, entries);
}

std::vector<int> all_places(int count) {
  std::vector<int> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

void check_parameters(const System& system) {
  if (system.formulation().joint_space)
    throw std::invalid_argument("derivatives by parameters are not generated for the formulation joint-space");
  for (const Measurement& m : system.measurements())
    if (m.kind == SensorKind::com_acceleration || m.kind == SensorKind::momentum_rate)
      throw std::invalid_argument("derivatives by parameters are not generated for com_acceleration and momentum_rate");
}

}  // namespace

void record_sensitivities(Recorder& recorder, const System& system, const Outputs& outputs, const RecordedSolution& solution,
                          const DerivativesBy& by) {
  if (!by.any()) return;
  const Sensitivities s(system, outputs, solution);
  const bool inputs = !recorder.parameter_columns().empty(), first = !by.second;
  const std::size_t rows = outputs.columns().size();
  std::vector<Vector> q, v, y, p;
  if (by.q && first) q = s.by_q(&Sensitivities::outputs_along);
  if (by.v && first) v = s.by_v(&Sensitivities::outputs_along);
  if (by.y && first) y = s.by_y(&Sensitivities::outputs_along);
  if (by.p) {
    check_parameters(system);
    const ParameterIndex index(system.model());
    for (int k : inputs ? recorder.parameter_columns() : all_places(index.count)) p.push_back(s.along_parameter(index, k));
  }
  if (by.q && first) output_columns(recorder, "dx_dq", q, rows);
  if (by.v && first) output_columns(recorder, "dx_dv", v, rows);
  if (by.y && first) output_columns(recorder, "dx_dy", y, rows);
  if (by.p) output_columns(recorder, inputs ? "dx_dpi" : "dx_dp", p, rows);
}

std::vector<std::vector<Expr>> solution_slopes(const System& system, const Outputs& outputs, const RecordedSolution& solution,
                                               const DerivativesBy& by) {
  const Sensitivities s(system, outputs, solution);
  std::vector<Vector> slopes;
  const auto add = [&](std::vector<Vector> more) { std::move(more.begin(), more.end(), std::back_inserter(slopes)); };
  if (by.q) add(s.by_q(&Sensitivities::unknowns_along));
  if (by.v) add(s.by_v(&Sensitivities::unknowns_along));
  if (by.y) add(s.by_y(&Sensitivities::unknowns_along));
  return slopes;
}

}  // namespace sparsedyn
