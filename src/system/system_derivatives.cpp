#include "sparsedyn/system/detail/system_derivatives.hpp"

#include <algorithm>
#include <cmath>

#include "sparsedyn/model/configuration.hpp"
#include "system/assemble.hpp"

namespace sparsedyn {
namespace {

using Number = SystemDerivatives::Number;

Number still(double x) { return Number(x); }
void hold(Number& x) { x.d[0] = 0; }
void hold(Vec3<Number>& x) {
  for (int k = 0; k < 3; ++k) hold(x[k]);
}
void hold(Mat3<Number>& x) {
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) hold(x(r, c));
}
void hold(Pose<Number>& x) { hold(x.R), hold(x.d); }
void hold(Motion<Number>& x) { hold(x.w), hold(x.v); }
void hold(BodyMotion<Number>& x) { hold(x.w), hold(x.al), hold(x.a), hold(x.U); }

Vec3<double> value(const Vec3<Number>& x) { return {{x[0].x, x[1].x, x[2].x}}; }
Motion<double> value(const Motion<Number>& x) { return {value(x.w), value(x.v)}; }

}  // namespace

/// Takes the entries that move.
struct SystemDerivatives::Sink {
  EquationChange& change;
  double last = 0;
  void number(const Number& x) { last = x.d[0]; }
  void at(int row, int column) {
    if (last != 0) change.matrix.push_back({row, column, last});
  }
  void entry(int row, int column, const Number& x) { number(x), at(row, column); }
  void deep(int row, int column, const Number& x) { entry(row, column, x); }
};

SystemDerivatives::SystemDerivatives(const System& system)
    : system_(system),
      model_(system.model()),
      work_(system),
      q_(model_.nq, still(0)),
      v_(model_.nv, still(0)),
      y_(system.inputs().size(), still(0)),
      values_(system.pattern().entries(), still(0)),
      right_side_(system.pattern().rows, still(0)),
      x_(system.pattern().columns),
      index_(model_),
      moved_(model_.nv),
      regressor_(model_.tree()),
      ddq_(model_.tree().nv) {
  const std::vector<BodyTerms>& terms = system.terms();
  const Model& tree = model_.tree();
  body_of_.assign(tree.nv, -1);
  for (std::size_t b = 0; b < terms.size(); ++b)
    for (int k = 0; k < freedoms(terms[b].joint.joint); ++k) body_of_[terms[b].joint.v + k] = static_cast<int>(b);
  for (int k = 0; k < model_.nv; ++k) {
    Moved& m = moved_[k];
    m.own = model_.coordinate_map ? model_.coordinate_map->joined[k] : std::vector<int>{k};
    m.flags.assign(terms.size(), 0);
    for (int t : m.own) m.flags[body_of_[t]] = 1;
    for (std::size_t b = 0; b < terms.size(); ++b) {
      if (terms[b].parent >= 0 && m.flags[terms[b].parent]) m.flags[b] = 1;
      if (m.flags[b]) m.bodies.push_back(static_cast<int>(b));
    }
  }
  const Pattern& pattern = system.pattern();
  for (int r = 0; r < pattern.rows; ++r) row_of_.resize(pattern.row_start[r + 1], r);
  change_.matrix.reserve(2 * row_of_.size() + 64), change_.right_side.reserve(4 * right_side_.size() + 64);
  for (const Measurement& m : system.measurements())
    has_sums_ = has_sums_ || m.kind == SensorKind::com_acceleration || m.kind == SensorKind::momentum_rate;
  if (system.formulation().joint_space) Y_.resize(ddq_.size() * index_.count);
  tree_rates_.resize(ddq_.size()), tree_positions_.resize(static_cast<std::size_t>(tree.nq));
}

void SystemDerivatives::at(const double* q, const double* v, const double* y, const double* x) noexcept {
  for (std::size_t k = 0; k < q_.size(); ++k) q_[k] = still(q[k]);
  for (std::size_t k = 0; k < v_.size(); ++k) v_[k] = still(v[k]);
  for (std::size_t k = 0; k < y_.size(); ++k) y_[k] = still(y[k]);
  std::copy_n(x, x_.size(), x_.data());
  last_ = last_input_ = -1;
  system_.assemble(q_.data(), v_.data(), y_.data(), values_.data(), right_side_.data(), work_);
  if (system_.formulation().shifted)
    for (std::size_t b = 0; b < system_.terms().size(); ++b)
      for (int c = 0; c < 6; ++c) x_[system_.terms()[b].acc + c] -= component(work_.shift[b], c).x;
  if (Y_.empty()) return;
  for (std::size_t t = 0; t < ddq_.size(); ++t) {
    const CoordinateMap::Entry e = entry_of(model_, static_cast<int>(t));
    ddq_[t] = e.multiplier * x[system_.ddq_column(e.index)];
    tree_rates_[t] = e.multiplier * v[e.index];
  }
  if (const CoordinateMap* map = model_.coordinate_map.get()) q = tree_positions(*map, q, tree_positions_.data());
  regressor(model_.tree(), regressor_, q, tree_rates_.data(), ddq_.data(), Y_.data());
}

/// Undoes the last direction.
void SystemDerivatives::begin() noexcept {
  change_.matrix.clear(), change_.right_side.clear();
  if (last_ >= 0) {
    for (int t : moved_[last_].own) {
      const Body& body = system_.terms()[body_of_[t]].joint;
      for (int k = 0; k < coordinates(body.joint); ++k) hold(tree_q()[body.q + k]);
      for (int k = 0; k < freedoms(body.joint); ++k) hold(tree_v()[body.v + k]);
    }
    if (system_.formulation().joint_space) hold_own(last_);
    for (int b : moved_[last_].bodies) {
      hold(work_.X[b]), hold(work_.v[b]), hold(work_.world[b]);
      if (!work_.motion.empty()) hold(work_.motion[b]), hold(work_.shift[b]);
    }
  }
  if (last_input_ >= 0) hold(y_[last_input_]);
  last_ = last_input_ = -1;
}

void SystemDerivatives::add_right_side(int first_row, int count) noexcept {
  for (int r = first_row; r < first_row + count; ++r)
    if (right_side_[r].d[0] != 0) change_.right_side.push_back({r, right_side_[r].d[0]});
}

const EquationChange& SystemDerivatives::along_q(int k) noexcept { return along(Of::q, k); }
const EquationChange& SystemDerivatives::along_v(int k) noexcept { return along(Of::v, k); }

namespace {

/// q ⊕ multiplier δ along one of a joint's freedoms.
void turn(const Body& body, int freedom, double multiplier, Number* q) {
  Number delta[6], turned[8];
  for (Number& x : delta) x = still(0);
  delta[freedom].d[0] = multiplier;
  with_joint(body.joint, [&](auto joint) { decltype(joint)::integrate(q, delta, turned); });
  for (int k = 0; k < coordinates(body.joint); ++k) q[k].d = turned[k].d;
}

}  // namespace

/// q ⊕ multiplier δ of the body that moves by this freedom of the tree. Values stay to the last bit.
void SystemDerivatives::seed_position(int tree_freedom, double multiplier) noexcept {
  const Body& body = system_.terms()[body_of_[tree_freedom]].joint;
  turn(body, tree_freedom - body.v, multiplier, tree_q() + body.q);
}

/// In joint space all is assembled anew, from the robot's own entries.
void SystemDerivatives::seed_own(Of what, int k) noexcept {
  const Body& body = model_.bodies[body_of_[moved_[k].own.front()]];
  if (what == Of::q)
    turn(body, k - body.v, 1, q_.data() + body.q);
  else
    v_[k].d[0] = 1;
}
void SystemDerivatives::hold_own(int k) noexcept {
  const Body& body = model_.bodies[body_of_[moved_[k].own.front()]];
  for (int c = 0; c < coordinates(body.joint); ++c) hold(q_[body.q + c]);
  hold(v_[k]);
}

const EquationChange& SystemDerivatives::along(Of what, int k) noexcept {
  begin();
  last_ = k;
  if (system_.formulation().joint_space) {
    seed_own(what, k);
    return everything();
  }
  for (int t : moved_[k].own) {
    const double multiplier = entry_of(model_, t).multiplier;
    if (what == Of::q)
      seed_position(t, multiplier);
    else
      tree_v()[t].d[0] = multiplier;
  }
  move_bodies(what, k);
  move_sensors(k);
  move_closures();
  if (system_.formulation().shifted) move_shifts(k);
  return change_;
}

/// The rows of hard constraints and what their forces do.
void SystemDerivatives::move_closures() noexcept {
  for (const Closure& c : system_.closures()) {
    const std::size_t before = change_.matrix.size();
    Sink sink{change_};
    detail::write_closure(system_, c, tree_q(), tree_v(), right_side_.data(), sink, work_);
    add_right_side(c.first_row, c.rows);
    add_shifts(before);
  }
}

void SystemDerivatives::move_bodies(Of what, int k) noexcept {
  Sink sink{change_};
  const std::vector<int>& own = moved_[k].own;
  for (int b : moved_[k].bodies) {
    const BodyTerms& t = system_.terms()[b];
    const bool turns =
        what == Of::q && std::any_of(own.begin(), own.end(), [&](int freedom) { return body_of_[freedom] == b; });
    if (turns) {
      work_.X[b] = detail::pose_in_parent(t, tree_q());
      if (t.parent >= 0) detail::write_transform(t, system_.terms()[t.parent], work_.X[b], sink);
    }
    const Motion<Number> joint_velocity = detail::velocity_of_joint(t, tree_v());
    const Motion<Number> c = detail::write_velocity(system_, b, joint_velocity, work_);
    detail::write_right_side(system_, b, joint_velocity, c, tree_q(), tree_v(), right_side_.data(), work_);
    add_right_side(t.kinematics, 6), add_right_side(t.inertial, 6);
    add_right_side(t.torque, freedoms(t.joint.joint));
  }
}

bool SystemDerivatives::is_read_by(const Measurement& m, const std::vector<char>& moved) const noexcept {
  if (m.kind == SensorKind::com_acceleration || m.kind == SensorKind::momentum_rate) return true;
  if (m.body >= 0 && moved[m.body]) return true;
  if (m.rigid_group < 0) return false;
  const std::vector<int>& hanging = system_.rigid_groups()[m.rigid_group].bodies;
  return std::any_of(hanging.begin(), hanging.end(), [&](int child) { return moved[child] != 0; });
}

/// The rows of one sensor.
void SystemDerivatives::move_sensor(int measurement) noexcept {
  const Measurement& m = system_.measurements()[measurement];
  const int rows = static_cast<int>(m.components.size());
  for (int r = m.first_row; r < m.first_row + rows; ++r) right_side_[r] = still(0);
  const std::size_t before = change_.matrix.size();
  Sink sink{change_};
  write_sensor_rows(system_, m, y_.data(), work_, right_side_.data(), sink);
  add_right_side(m.first_row, rows);
  add_shifts(before);
}

/// Of entries from the first-th on, in sensors' rows.
void SystemDerivatives::add_shifts(std::size_t first) noexcept {
  if (!system_.formulation().shifted) return;
  for (std::size_t e = first; e < change_.matrix.size(); ++e) {
    const EquationChange::Entry& entry = change_.matrix[e];
    const Variable& read = system_.unknowns()[entry.column];
    if (read.kind == VariableKind::acc)
      change_.right_side.push_back({entry.row, -entry.value * component(work_.shift[read.body], read.component).x});
  }
}

void SystemDerivatives::move_sensors(int k) noexcept {
  for (int m : system_.tables().varying_sensors)
    if (is_read_by(system_.measurements()[m], moved_[k].flags)) move_sensor(m);
}

/// What sensors read of accelerations beyond the shifted unknowns.
void SystemDerivatives::move_shifts(int k) noexcept {
  for (const ShiftedReading& r : system_.tables().shifted_readings) {
    const double moved = moved_[k].flags[r.body] ? component(work_.shift[r.body], r.component).d[0] : 0;
    if (moved != 0) change_.right_side.push_back({r.row, -values_[r.value].x * moved});
  }
}

double SystemDerivatives::shift_of(int unknown) const noexcept {
  if (work_.shift.empty() || last_ < 0) return 0;
  const Variable& x = system_.unknowns()[unknown];
  return x.kind == VariableKind::acc ? component(work_.shift[x.body], x.component).d[0] : 0;
}

/// In joint space every entry is a sum along the tree.
const EquationChange& SystemDerivatives::everything() noexcept {
  system_.assemble(q_.data(), v_.data(), y_.data(), values_.data(), right_side_.data(), work_);
  for (const VaryingEntry& p : system_.tables().varying)
    if (const double x = values_[p.value].d[0]; x != 0)
      change_.matrix.push_back({row_of_[p.value], system_.pattern().column[p.value], x});
  add_right_side(0, static_cast<int>(right_side_.size()));
  return change_;
}

const EquationChange& SystemDerivatives::along_y(int k) noexcept {
  begin();
  last_input_ = k;
  y_[k].d[0] = 1;
  if (system_.formulation().joint_space) return everything();
  for (const SensorReading& r : system_.tables().readings)
    if (r.input == k) change_.right_side.push_back({r.row, 1.0});
  const int measurement = system_.inputs()[k].measurement;
  for (const KnownWrench& known : system_.known_wrenches()) {
    const int body = model_.links[known.link].body;
    if (known.measurement != measurement || body < 0) continue;
    const Force<Number> x =
        to_parent(system_.link_in_leading(known.link), known_wrench(system_.measurements()[measurement], y_.data()));
    for (int c = 0; c < 6; ++c)
      if (const double moved = component(x, c).d[0]; moved != 0)
        change_.right_side.push_back({system_.terms()[body].wrench + c, -moved});
  }
  for (int m : system_.tables().varying_sensors) {
    const Measurement& sensor = system_.measurements()[m];
    if (m == measurement || sensor.rigid_group >= 0) move_sensor(m);
  }
  return change_;
}

const EquationChange& SystemDerivatives::along_parameter(int k) noexcept {
  begin();
  const bool joint_space = system_.formulation().joint_space;
  if (k < 10 * static_cast<int>(model_.tree().joints.size())) {
    double ten[10] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    ten[k % 10] = 1;
    const Inertia<double> added = detail::inertia_of(ten);
    joint_space ? body_parameter_in_joint_space(k, added) : body_parameter(k / 10, added);
    return change_;
  }
  for (std::size_t j = 0; j < index_.of_joints.size(); ++j)
    if (const int first = index_.of_joints[j]; first >= 0 && k >= first && k < first + index_.counts[j])
      joint_parameter(static_cast<int>(j), k - first);
  return change_;
}

void SystemDerivatives::add_entry(int row, int column, double x) noexcept {
  if (x != 0) change_.matrix.push_back({row, column, x});
}
void SystemDerivatives::add_right_side_of(int row, double x) noexcept {
  if (x != 0) change_.right_side.push_back({row, x});
}

/// f − I a + … = v ×* I v with δI more. added: in the frame of the link that leads the body.
void SystemDerivatives::body_parameter(int joint, const Inertia<double>& added) noexcept {
  const Joint& of = model_.joints[joint];
  const auto body = static_cast<std::size_t>(of.first_body + of.bodies - 1);
  const BodyTerms& t = system_.terms()[body];
  const Inertia<double> more = to_parent(system_.link_in_leading(of.child_link), added);
  for (int c = 0; c < 6; ++c) {
    const Force<double> x = more * sensors::unit_motion(c);
    for (int r = 0; r < 6; ++r) add_entry(t.inertial + r, t.acc + c, -component(x, r));
  }
  Force<double> p = velocity_wrench(more, value(work_.v[body]));
  if (!work_.shift.empty()) p = p + more * value(work_.shift[body]);
  for (int r = 0; r < 6; ++r) add_right_side_of(t.inertial + r, component(p, r));
  if (has_sums_) body_parameter_in_sums(body, more);
}

/// τ − M q̈ + … = bias. With s_i what freedom i does to the link, M_ij gains s_i · δI s_j, and M q̈ + bias a column of the
/// regressor.
void SystemDerivatives::body_parameter_in_joint_space(int k, const Inertia<double>& added) noexcept {
  const Joint& of = model_.tree().joints[k / 10];
  const RegressorWorkspace<double>::Path& path = regressor_.path[static_cast<std::size_t>(of.first_body + of.bodies - 1)];
  const Pose<double>& link = model_.links[of.child_link].pose;
  for (std::size_t i = 0; i < path.freedoms.size(); ++i) {
    const Motion<double> s = to_child(link, path.screws[i]);
    const int row = system_.tables().torque_rows + path.freedoms[i];
    double bias = Y_[static_cast<std::size_t>(path.freedoms[i]) * index_.count + k];
    for (std::size_t j = 0; j < path.freedoms.size(); ++j) {
      const Force<double> x = added * to_child(link, path.screws[j]);
      const double more = dot(s.w, x.n) + dot(s.v, x.f);
      const CoordinateMap::Entry e = entry_of(model_, path.freedoms[j]);
      add_entry(row, system_.ddq_column(e.index), -e.multiplier * more);
      bias -= more * ddq_[path.freedoms[j]];
    }
    add_right_side_of(row, bias);
  }
}

/// The rows of com_acceleration and momentum_rate (sensors/momentum.hpp), the mass and its centre moving with one body's.
void SystemDerivatives::body_parameter_in_sums(std::size_t body, const Inertia<double>& added) noexcept {
  const auto inertia = [&](std::size_t b) {
    Inertia<Number> I = cast<Number>(system_.terms()[b].inertia);
    if (b != body) return I;
    const Inertia<Number> more = cast<Number>(added);
    const Number along(0.0, {1.0});
    const Sym3<Number>& x = more.moments;
    Sym3<Number>& s = I.moments;
    I.m = I.m + along * more.m;
    for (int k = 0; k < 3; ++k) I.h[k] = I.h[k] + along * more.h[k];
    s = {s.xx + along * x.xx, s.xy + along * x.xy, s.xz + along * x.xz,
         s.yy + along * x.yy, s.yz + along * x.yz, s.zz + along * x.zz};
    return I;
  };
  Number mass(0.0);
  Vec3<Number> centre = zero3<Number>();
  for (std::size_t b = 0; b < system_.terms().size(); ++b) {
    const Inertia<Number> I = inertia(b);
    mass += I.m;
    centre = centre + work_.world[b].R * I.h + I.m * work_.world[b].d;
  }
  if (!(mass.x > 0)) return;
  const std::size_t before = change_.matrix.size();
  for (int k = 0; k < 3; ++k) centre[k] = centre[k] / mass;
  for (const Measurement& m : system_.measurements()) {
    const bool rate = m.kind == SensorKind::momentum_rate;
    if (!rate && m.kind != SensorKind::com_acceleration) continue;
    const Number factor = rate ? Number(1.0) : 1.0 / mass;
    const Vec3<Number> about = rate ? centre : zero3<Number>();
    const std::array<int, 6> row_of = sensors::rows_by_place(m, rate ? sensors::six : sensors::linear);
    for (std::size_t b = 0; b < system_.terms().size(); ++b) {
      const BodyTerms& t = system_.terms()[b];
      const Inertia<Number> I = inertia(b);
      const Pose<Number> place{work_.world[b].R, work_.world[b].d - about};
      for (int c = 0; c < 6; ++c) {
        const Force<Number> x = to_parent(place, I * cast<Number>(sensors::unit_motion(c)));
        for (int k = 0; k < 6; ++k)
          if (row_of[k] >= 0) add_entry(row_of[k], t.acc + c, (factor * component(x, k)).d[0]);
      }
      const Force<Number> bias = to_parent(place, velocity_wrench(I, work_.v[b]));
      for (int k = 0; k < 6; ++k)
        if (row_of[k] >= 0) add_right_side_of(row_of[k], -(factor * component(bias, k)).d[0]);
    }
    for (int k = 3; k < 6; ++k)
      if (row_of[k] >= 0) add_right_side_of(row_of[k], -(factor * mass * model_.gravity[k - 3]).d[0]);
  }
  add_shifts(before);
}

/// τ − Sᵀ f − armature q̈ = damping v + friction g(v) + offset + stiffness q.
void SystemDerivatives::joint_parameter(int joint, int which) noexcept {
  const Joint& of = model_.tree().joints[joint];
  const BodyTerms& t = system_.terms()[body_of_[of.v]];
  const int row = system_.formulation().joint_space ? system_.tables().torque_rows + of.v : t.torque;
  double entries[detail::most_joint_numbers];
  detail::joint_entries(physics_of(model_.tree(), of.v), tree_q()[of.q].x, tree_v()[of.v].x, 0.0, entries);
  if (which == 0)
    add_entry(row, t.ddq, -t.multiplier);
  else
    add_right_side_of(row, entries[which]);
}

}  // namespace sparsedyn
