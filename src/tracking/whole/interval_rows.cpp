#include "tracking/whole/interval_rows.hpp"

#include <algorithm>
#include <stdexcept>

#include "runtime/write_outputs.hpp"
#include "system/sensor_rows.hpp"
#include "tracking/shared/block_rows.hpp"
#include "tracking/shared/contacts.hpp"
#include "tracking/shared/rolling.hpp"

namespace sparsedyn::tracking {
namespace {

/// A sensor's row of one entry, ±1 at every state, that holds a constant exactly.
bool states_exactly(const System& system, int row) {
  const Pattern& pattern = system.pattern();
  const int entry = pattern.row_start[row];
  if (pattern.row_start[row + 1] != entry + 1) return false;
  if (system.equations()[row].kind != EquationKind::sensor || system.input_of(row) >= 0) return false;
  return system.sigma_of(row) == 0 && system.constants()[entry] != 0 &&
         system.unknowns()[pattern.column[entry]].kind == VariableKind::fx;
}

/// A redundant row of a closed loop, in whose place the system says that a part of the loop's force is zero: one answer among
/// many, nothing that is known.
bool chooses_loop_force(const System& system, int row) {
  const Pattern& pattern = system.pattern();
  if (system.equations()[row].kind != EquationKind::constraint) return false;
  for (int k = pattern.row_start[row]; k < pattern.row_start[row + 1]; ++k)
    if (system.unknowns()[pattern.column[k]].kind == VariableKind::lambda) return true;
  return false;
}

/// A force that nothing determines of itself: of loops those along the axes of their rows, of which others follow.
bool is_unknown_force(const System& system, const Variable& x) {
  if (x.kind != VariableKind::lambda) return x.kind == VariableKind::fx;
  return !system.closures()[static_cast<std::size_t>(x.owner)].follows(x.component);
}

}  // namespace

IntervalRows::IntervalRows(const System& system, int freed)
    : system_(system),
      pattern_(system.pattern()),
      nv_(system.model().nv),
      work_(system),
      changes_(system),
      values_(pattern_.entries()),
      right_side_(static_cast<std::size_t>(pattern_.rows)),
      x_(static_cast<std::size_t>(pattern_.columns), 0.0) {
  find_point_contacts(freed);
  steps_ = solving_order(system_, list_unknowns(freed));
  find_free_torques();
  find_rolling_rows();
  for (std::size_t m = 0; m < system.measurements().size(); ++m) {
    const Measurement& sensor = system.measurements()[m];
    if (sensor.kind != SensorKind::gyroscope) continue;
    for (std::size_t k = 0; k < sensor.components.size(); ++k) turns_.push_back({static_cast<int>(m), static_cast<int>(k)});
  }
  width_ = static_cast<int>(free_.size()) + 2 * nv_;
  const auto width = static_cast<std::size_t>(width_);
  residual_.resize(static_cast<std::size_t>(rows()));
  T_.resize(x_.size() * width), D_.resize(residual_.size() * width), change_.resize(right_side_.size() * width);
}

/// Of a floating robot; on a fixed base contacts hold exactly. The freed wrench is what the model gets wrong beside the
/// contact's, and several contacts on a link have a moment about each point.
void IntervalRows::find_point_contacts(int freed) {
  std::vector<TrackedContact> contacts;
  std::vector<ContactPoint> points;
  for (const Sensor& s : system_.sensors().sensors)
    if (system_.model().floating() && s.type == "contact")
      add_contact(
          system_, s, [](const std::string&, bool) { return 0; }, contacts, points);
  const auto on_link = [&](int link) {
    return std::count_if(contacts.begin(), contacts.end(), [link](const TrackedContact& c) { return c.link == link; });
  };
  for (const TrackedContact& contact : contacts) {
    const ContactPoint& point = points[static_cast<std::size_t>(contact.first_point)];
    const int rolling = point.rolls() ? add_rolling(contact.link, point.radius, contact.settings) : -1;
    if (contact.points == 1 && contact.link != freed && on_link(contact.link) == 1)
      add_point_force(contact.link, point.in_link, rolling);
  }
}

/// Which of rolling_ it is; -1: no sensor reads there.
int IntervalRows::add_rolling(int link, double radius, const ContactOverTime* settings) {
  const std::vector<Measurement>& all = system_.measurements();
  const auto reads = [&](const Measurement& m) {
    return m.kind == SensorKind::contact && m.link == link &&
           &system_.sensors().sensors[static_cast<std::size_t>(m.sensor)].over_time.contact == settings;
  };
  const auto found = std::find_if(all.begin(), all.end(), reads);
  if (found == all.end()) return -1;
  rolling_.push_back({static_cast<int>(found - all.begin()), radius, {-1, -1, -1}, zero3<double>(), zero3<double>()});
  return static_cast<int>(rolling_.size()) - 1;
}

void IntervalRows::find_rolling_rows() {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Equation& equation = system_.equations()[static_cast<std::size_t>(rows_[i])];
    for (Rolling& rolling : rolling_) {
      if (equation.measurement != rolling.measurement) continue;
      const Measurement& m = system_.measurements()[static_cast<std::size_t>(rolling.measurement)];
      const int component = m.components[static_cast<std::size_t>(equation.component)];
      if (component >= 3) rolling.rows[component - 3] = static_cast<int>(i);
    }
  }
  up_changes_.resize(rolling_.size() * 3 * static_cast<std::size_t>(nv_));
}

void IntervalRows::add_point_force(int link, const Vector3& r, int rolling) {
  PointForce point{link, r, {-1, -1, -1}, {-1, -1, -1}, rolling};
  for (std::size_t x = 0; x < system_.unknowns().size(); ++x) {
    const Variable& variable = system_.unknowns()[x];
    if (variable.kind == VariableKind::fx && variable.owner == link && variable.component >= 3)
      point.force[variable.component - 3] = static_cast<int>(x);
  }
  if (std::all_of(point.force, point.force + 3, [](int unknown) { return unknown >= 0; })) point_forces_.push_back(point);
}

/// Unknowns that are free or stated.
std::vector<char> IntervalRows::list_unknowns(int freed) {
  std::vector<char> known(system_.unknowns().size(), 0);
  for (int v = 0; v < nv_; ++v) free_.push_back(system_.ddq_column(v));
  for (int x : free_) known[static_cast<std::size_t>(x)] = 1;
  for (int r = 0; r < pattern_.rows; ++r) {
    if (!is_added(system_.equations()[r].kind) || chooses_loop_force(system_, r)) continue;
    if (!states_exactly(system_, r)) {
      rows_.push_back(r);
      continue;
    }
    const int unknown = pattern_.column[pattern_.row_start[r]];
    if (known[static_cast<std::size_t>(unknown)] || system_.unknowns()[static_cast<std::size_t>(unknown)].owner == freed)
      continue;
    known[static_cast<std::size_t>(unknown)] = 1;
    stated_.push_back({r, unknown});
  }
  for (std::size_t x = 0; x < known.size(); ++x) {
    if (known[x] || !is_unknown_force(system_, system_.unknowns()[x])) continue;
    known[x] = 1;
    if (!belongs_to_point(static_cast<int>(x))) free_.push_back(static_cast<int>(x));
  }
  return known;
}

/// Whether an unknown that nothing states is a moment that follows from the force of a point contact. Notes which.
bool IntervalRows::belongs_to_point(int unknown) {
  const Variable& variable = system_.unknowns()[static_cast<std::size_t>(unknown)];
  if (variable.kind != VariableKind::fx || variable.component >= 3) return false;
  for (PointForce& point : point_forces_) {
    if (variable.owner != point.link) continue;
    point.moment[variable.component] = unknown;
    return true;
  }
  return false;
}

/// τ of a free base, where no sensor speaks of it.
void IntervalRows::find_free_torques() {
  std::vector<char> spoken_of(system_.unknowns().size(), 0);
  for (int r : rows_)
    for (int k = pattern_.row_start[r]; k < pattern_.row_start[r + 1]; ++k)
      spoken_of[static_cast<std::size_t>(pattern_.column[k])] = 1;
  for (int v = 0; v < 6 && system_.model().floating(); ++v)
    if (!spoken_of[static_cast<std::size_t>(system_.tau_column(v))]) free_torques_.push_back(v);
}

void IntervalRows::watch(const Outputs& outputs) {
  if (outputs.only_unknowns()) return;
  watched_ = &outputs;
  E_.resize(outputs.columns().size() * 2 * static_cast<std::size_t>(nv_));
  held_.resize(x_.size(), SystemDerivatives::Number(0.0));
  output_.resize(outputs.columns().size(), SystemDerivatives::Number(0.0));
}

template <class S>
Vec3<S> IntervalRows::up_in_sensor(const Rolling& of, const SystemWorkspace<S>& work) const {
  const Measurement& m = system_.measurements()[static_cast<std::size_t>(of.measurement)];
  const auto body = static_cast<std::size_t>(m.body);
  const auto up = cast<Constant<S>>(vertical_of(system_.model()));
  return transposed_times(cast<Constant<S>>(m.in_leading.R), transposed_times(work.world[body].R, up));
}

/// In the link's frame: where the force acts.
Vector3 IntervalRows::arm_of(const PointForce& point) const noexcept {
  if (point.rolling < 0) return point.r;
  const Rolling& of = rolling_[static_cast<std::size_t>(point.rolling)];
  return point.r - of.radius * (system_.measurements()[static_cast<std::size_t>(of.measurement)].frame.R * of.up);
}

/// What a row of a foot that rolls reads of its angular acceleration: −(a − r α × n).
void IntervalRows::roll() noexcept {
  for (Rolling& of : rolling_) {
    const Measurement& m = system_.measurements()[static_cast<std::size_t>(of.measurement)];
    const auto turn = static_cast<std::size_t>(system_.acc_column(m.body));
    of.turning = transposed_times(m.in_leading.R, Vector3{{x_[turn], x_[turn + 1], x_[turn + 2]}});
    const Vector3 rolled = of.radius * cross(of.turning, of.up);
    for (int k = 0; k < 3; ++k)
      if (of.rows[k] >= 0) residual_[static_cast<std::size_t>(of.rows[k])] += rolled[k];
  }
}

/// δr × f of the moment of a foot that rolls, which turns beside its lowest point: δr = −r δn in the link's frame.
void IntervalRows::turn_arm(const PointForce& point) noexcept {
  const Rolling& of = rolling_[static_cast<std::size_t>(point.rolling)];
  const Vector3 f{{x_[static_cast<std::size_t>(point.force[0])], x_[static_cast<std::size_t>(point.force[1])],
                   x_[static_cast<std::size_t>(point.force[2])]}};
  const Matrix3 by_up = scaled(of.radius, hat(f)) * system_.measurements()[static_cast<std::size_t>(of.measurement)].frame.R;
  const double* const up = up_changes_.data() + 3 * static_cast<std::size_t>(point.rolling * nv_);
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3 && point.moment[i] >= 0; ++k)
      add_scaled(by_up(i, k), up + k * nv_, at(T_, point.moment[i]) + of_q(), nv_);
}

/// After T: of these rows ∂(a − r α × n).
void IntervalRows::find_rolling_derivatives() noexcept {
  for (std::size_t i = 0; i < rolling_.size(); ++i) {
    const Rolling& of = rolling_[i];
    const Measurement& m = system_.measurements()[static_cast<std::size_t>(of.measurement)];
    const Matrix3 by_turn = scaled(of.radius, hat(of.up)) * transpose(m.in_leading.R),
                  by_up = scaled(-of.radius, hat(of.turning));
    const double* const up = up_changes_.data() + 3 * i * static_cast<std::size_t>(nv_);
    for (int r = 0; r < 3; ++r)
      for (int k = 0; k < 3 && of.rows[r] >= 0; ++k) {
        add_scaled(by_turn(r, k), at(T_, system_.acc_column(m.body) + k), at(D_, of.rows[r]), width_);
        add_scaled(by_up(r, k), up + k * nv_, at(D_, of.rows[r]) + of_q(), nv_);
      }
  }
}

void IntervalRows::find(const double* q, const double* v, const double* y, const double* z) noexcept {
  system_.assemble(q, v, y, values_.data(), right_side_.data(), work_);
  for (std::size_t k = 0; k < free_.size(); ++k) x_[static_cast<std::size_t>(free_[k])] = z[k];
  for (const SolvingStep& s : stated_) x_[s.unknown] = right_side_[s.row] / values_[pattern_.row_start[s.row]];
  for (Rolling& of : rolling_) of.up = up_in_sensor(of, work_);
  for (const PointForce& point : point_forces_) {
    const Vector3 moment = cross(arm_of(point), Vector3{{x_[point.force[0]], x_[point.force[1]], x_[point.force[2]]}});
    for (int i = 0; i < 3; ++i)
      if (point.moment[i] >= 0) x_[static_cast<std::size_t>(point.moment[i])] = moment[i];
  }
  for (const SolvingStep& s : steps_) {
    double sum = right_side_[s.row], pivot = 0;
    for (int k = pattern_.row_start[s.row]; k < pattern_.row_start[s.row + 1]; ++k)
      if (pattern_.column[k] == s.unknown)
        pivot = values_[k];
      else
        sum -= values_[k] * x_[pattern_.column[k]];
    x_[s.unknown] = sum / pivot;
  }
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const int r = rows_[i];
    double rest = right_side_[r];
    for (int k = pattern_.row_start[r]; k < pattern_.row_start[r + 1]; ++k) rest -= values_[k] * x_[pattern_.column[k]];
    residual_[i] = rest;
  }
  roll();
  for (std::size_t i = 0; i < free_torques_.size(); ++i)
    residual_[rows_.size() + i] = -x_[static_cast<std::size_t>(system_.tau_column(free_torques_[i]))];
  for (std::size_t i = 0; i < turns_.size(); ++i) {
    const Measurement& m = system_.measurements()[turns_[i].measurement];
    residual_[static_cast<std::size_t>(first_turn()) + i] =
        sensors::predicted_angular_velocity(m, work_)[m.components[turns_[i].component]];
  }
}

/// δb − δA x of each equation along a direction of the state.
void IntervalRows::collect(const EquationChange& change, int direction) noexcept {
  for (const EquationChange::RightSide& b : change.right_side) at(change_, b.row)[direction] += b.value;
  for (const EquationChange::Entry& a : change.matrix) at(change_, a.row)[direction] -= a.value * x_[a.column];
  for (std::size_t i = 0; i < turns_.size(); ++i) {
    const Measurement& m = system_.measurements()[turns_[i].measurement];
    at(D_, first_turn() + static_cast<int>(i))[direction] =
        sensors::predicted_angular_velocity(m, changes_.work())[m.components[turns_[i].component]].d[0];
  }
  if (!watched_) return;
  watched_->write(held_.data(), changes_.inputs(), changes_.work(), output_.data());
  for (std::size_t c = 0; c < output_.size(); ++c)
    E_[c * 2 * static_cast<std::size_t>(nv_) + static_cast<std::size_t>(direction - of_q())] = output_[c].d[0];
}

void IntervalRows::collect_changes() noexcept {
  std::fill(change_.begin(), change_.end(), 0.0);
  for (int k = 0; k < nv_; ++k) {
    collect(changes_.along_q(k), of_q() + k);
    for (std::size_t i = 0; i < rolling_.size(); ++i) {
      const Vec3<SystemDerivatives::Number> up = up_in_sensor(rolling_[i], changes_.work());
      for (std::size_t r = 0; r < 3; ++r)
        up_changes_[(3 * i + r) * static_cast<std::size_t>(nv_) + static_cast<std::size_t>(k)] = up[static_cast<int>(r)].d[0];
    }
  }
  for (int k = 0; k < nv_; ++k) collect(changes_.along_v(k), of_v() + k);
}

void IntervalRows::find_derivatives(const double* q, const double* v, const double* y, const double* z) noexcept {
  find(q, v, y, z);
  changes_.at(q, v, y, x_.data());
  for (std::size_t k = 0; k < held_.size(); ++k) held_[k] = SystemDerivatives::Number(x_[k]);
  std::fill(T_.begin(), T_.end(), 0.0), std::fill(D_.begin(), D_.end(), 0.0);
  collect_changes();
  const auto subtract = [&](double* to, int unknown, double value) {
    const double* const from = at(T_, unknown);
    for (int c = 0; c < width_; ++c) to[c] -= value * from[c];
  };
  for (std::size_t k = 0; k < free_.size(); ++k) at(T_, free_[k])[k] = 1;
  for (const PointForce& point : point_forces_) {
    const Matrix3 arm = hat(arm_of(point));
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3 && point.moment[i] >= 0; ++k)
        add_scaled(arm(i, k), at(T_, point.force[k]), at(T_, point.moment[i]), width_);
    if (point.rolling >= 0) turn_arm(point);
  }
  for (const SolvingStep& s : steps_) {
    double* const to = at(T_, s.unknown);
    std::copy_n(at(change_, s.row), width_, to);
    double pivot = 0;
    for (int k = pattern_.row_start[s.row]; k < pattern_.row_start[s.row + 1]; ++k)
      if (pattern_.column[k] == s.unknown)
        pivot = values_[k];
      else
        subtract(to, pattern_.column[k], values_[k]);
    const double scale = 1 / pivot;
    for (int c = 0; c < width_; ++c) to[c] *= scale;
  }
  for (std::size_t i = 0; i < free_torques_.size(); ++i)
    std::copy_n(at(T_, system_.tau_column(free_torques_[i])), width_, at(D_, static_cast<int>(rows_.size() + i)));
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const int r = rows_[i];
    double* const to = at(D_, static_cast<int>(i));
    for (int c = 0; c < width_; ++c) to[c] = -at(change_, r)[c];
    for (int k = pattern_.row_start[r]; k < pattern_.row_start[r + 1]; ++k) subtract(to, pattern_.column[k], -values_[k]);
  }
  find_rolling_derivatives();
}

}  // namespace sparsedyn::tracking
