// What WholeForward makes of feet and of the start of a floating base.
#include <algorithm>
#include <cmath>

#include "sparsedyn/model/configuration.hpp"
#include "tracking/shared/normal_squares.hpp"
#include "tracking/shared/slip_times.hpp"
#include "tracking/shared/stated_start.hpp"
#include "tracking/whole/whole_forward.hpp"

namespace sparsedyn::tracking {
namespace {

constexpr double swing_acceleration = 1e4;          // m/s²
constexpr double landing_time = 0.009;              // s
constexpr double felt[] = {0, 10.8, 13.8, 16};      // χ² of so many components, beyond which a force is there: 1 in 1000
constexpr double start_speed = 10, start_rate = 1;  // rad/s of joints and of a base, before anything says how fast they are
constexpr double open_foothold = 10;                // m, before the first row of a foot

}  // namespace

/// What each contact carried in the interval, by the newest estimate.
void WholeForward::weigh_contacts(double dt) noexcept {
  for (std::size_t c = 0; c < touches_.size(); ++c) {
    const ContactForce& force = layout_.contact_forces[c];
    const double* const f = x_.z.data() + (force.first - layout_.first_unknown);
    double square = 0;
    for (int k = 0; k < force.count; ++k) square += f[k] * f[k];
    if (force.count > 0) touches_[c].carry(std::sqrt(square), dt);
  }
}

/// Ground that gives takes a while to stop a foot that lands. A share of 0: the row says nothing.
double WholeForward::still_share(int contact) const noexcept {
  return touches_[static_cast<std::size_t>(contact)].still(landing_time);
}

double WholeForward::acceleration_variance(int contact) const noexcept {
  const double g = still_share(contact);
  const double sigma =
      g * layout_.contacts[static_cast<std::size_t>(contact)].settings->acceleration + (1 - g) * swing_acceleration;
  return sigma * sigma;
}

/// Several contacts on a link, heel and toe, share its wrench: it is there where any of them touched.
double WholeForward::touched_on_link_of(std::size_t contact) const noexcept {
  double touched = 0;
  for (std::size_t c = 0; c < touches_.size(); ++c)
    if (layout_.contacts[c].link == layout_.contacts[contact].link) touched = std::max(touched, touches_[c].touched());
  return touched;
}

/// A force on a link does not tell which of its contacts landed: the flag that follows does.
void WholeForward::feel_link_of(std::size_t contact) noexcept {
  for (std::size_t c = 0; c < touches_.size(); ++c)
    if (layout_.contacts[c].link == layout_.contacts[contact].link) touches_[c].feel();
}

/// Of a foot in the air too: take_air() follows.
double WholeForward::unknown_sigma(const IntervalUnknown& u) const noexcept {
  if (u.contact < 0) return u.sigma;
  const FootPriors& foot = layout_.foot_priors;
  if (!u.is_moment) return foot.stance_force;
  const double touched = touched_on_link_of(static_cast<std::size_t>(u.contact));
  return touched * foot.sole_moment + (1 - touched) * foot.air_moment;
}

/// By how much a standing point's predicted place misses beyond what it may and twice what the joints explain.
double WholeForward::loose_by(std::size_t k) noexcept {
  const ContactOverTime& settings = *layout_.contacts[static_cast<std::size_t>(layout_.points[k].contact)].settings;
  const Vector3 miss = transposed_times(x_.R(), x_.footholds[k] - x_.p()) - feet_.point(static_cast<int>(k));
  double explained = 0;  // the largest of the three axes
  for (int r = 0; r < 3; ++r) {
    std::fill(h_.begin(), h_.end(), 0.0);
    const double* const J = feet_.jacobian(static_cast<int>(k)) + r * layout_.nv;
    for (int v = layout_.base_freedoms; v < layout_.nv; ++v) h_[static_cast<std::size_t>(layout_.position_error(v))] = J[v];
    explained = std::max(explained, e_.variance_of(h_.data()));
  }
  return std::max(
      0.0, std::sqrt(dot(miss, miss)) - settings.slip - 2 * std::sqrt(explained + settings.kinematics * settings.kinematics));
}

/// A standing foot that misses is let go by as much, point by point; one of which any point misses without end does not slip:
/// the base is taken for faster than it is, and the foot holds it. Returns how many points were let go.
int WholeForward::let_slip(bool gap) noexcept {
  int slips = 0;
  for (std::size_t c = 0; c < layout_.contacts.size() && slip_; ++c) {
    const TrackedContact& contact = layout_.contacts[c];
    const bool stands = touches_[c].standing() > 0.5;
    if (!stands) touches_[c].miss(false, 0);
    if (gap || !stands || contact.settings->slip <= 0) continue;
    const auto first = static_cast<std::size_t>(contact.first_point), last = first + static_cast<std::size_t>(contact.points);
    bool misses = false;
    for (std::size_t k = first; k < last; ++k) {
      loose_[k] = loose_by(k);
      misses = misses || loose_[k] > 0;
    }
    if (touches_[c].miss(misses, dt_) > longest_slip) continue;
    for (std::size_t k = first; k < last; ++k) {
      const int error = layout_.points[k].error;
      slips += loose_[k] > 0;
      for (int r = 0; r < 3; ++r) e_.row(error + r)[error + r] += loose_[k] * loose_[k];
    }
  }
  return slips;
}

/// Rᵀ (d − p) = r(q): R̂ᵀ (δd − δp) − J δq, a common turn drops out.
void WholeForward::take_feet(bool gap, WholeSample* record) noexcept {
  const Matrix3 R = x_.R();
  for (std::size_t k = 0; k < layout_.points.size(); ++k) {
    const ContactPoint& point = layout_.points[k];
    const auto c = static_cast<std::size_t>(point.contact);
    const bool counts = !gap && touches_[c].standing() > 0.5;
    const double sigma = layout_.contacts[c].settings->kinematics;
    const Vector3 miss = feet_.point(static_cast<int>(k)) - transposed_times(R, x_.footholds[k] - x_.p());
    for (int r = 0; r < 3; ++r) {
      std::fill(h_.begin(), h_.end(), 0.0);
      for (int i = 0; i < 3; ++i) {
        h_[static_cast<std::size_t>(point.error + i)] = R(i, r);
        h_[static_cast<std::size_t>(WholeLayout::place + i)] = -R(i, r);
      }
      const double* const J = feet_.jacobian(static_cast<int>(k)) + r * layout_.nv;
      for (int v = layout_.base_freedoms; v < layout_.nv; ++v) h_[static_cast<std::size_t>(layout_.position_error(v))] = -J[v];
      take(miss[r], sigma * sigma, counts ? 1e9 : 0, record);
    }
  }
  e_.settle();
}

/// fx = 0 of the feet that no flag says have touched, but where all that the interval and its end say, without this, finds a
/// force beyond doubt.
void WholeForward::take_air(WholeSample* record) noexcept {
  for (std::size_t c = 0; c < touches_.size(); ++c) {
    const double touched = touched_on_link_of(c);
    const int at = layout_.contact_forces[c].first, count = layout_.contact_forces[c].count;
    if (count == 0 || touched >= 1) continue;
    const FootPriors& foot = layout_.foot_priors;
    const double sigma = touched * foot.stance_force + (1 - touched) * foot.air_force, variance = sigma * sigma;
    const double* const force = x_.z.data() + (at - layout_.first_unknown);
    double factor[9], f[3];
    for (int i = 0; i < count; ++i) f[i] = force[i] + e_.mean[static_cast<std::size_t>(at + i)];
    const auto entry = [&](int i, int k) { return e_.at(at + i, at + k) + (i == k ? variance : 0); };
    const double square = count * mean_normal_square(
                                      count, entry, [](double) { return 0.0; }, factor, f);
    if (square > felt[count]) {
      feel_link_of(c);
      continue;
    }
    for (int i = 0; i < count; ++i) {
      std::fill(h_.begin(), h_.end(), 0.0);
      h_[static_cast<std::size_t>(at + i)] = 1;
      take(-force[i], variance, 0, record);
    }
    e_.settle();
  }
}

/// The base may be turned about its own origin, not the world's, and shifted; its footholds go with it.
void WholeForward::open_base(const Vector3& turn, const Vector3& shift) noexcept {
  std::fill(h_.begin(), h_.end(), 0.0);
  put_part(h_.data(), WholeLayout::turn, turn), put_part(h_.data(), WholeLayout::place, shift);
  for (const ContactPoint& point : layout_.points) put_part(h_.data(), point.error, shift);
  add_square_of_row();
}

/// Pose and velocity as given; else at the origin with tilt from the accelerometer, at rest. Footholds below the feet, open.
void WholeForward::begin_base(const double* y) noexcept {
  Matrix3 R = identity3<double>();
  Vector3 p = zero3<double>(), v = zero3<double>(), w = zero3<double>();
  const double g = std::sqrt(dot(layout_.model.gravity, layout_.model.gravity));
  feet_.at(x_.q.data());
  if (start_.given) {
    R = rotation_from_quaternion(start_.base.data() + 3), p = part_of(start_.base.data(), 0);
    if (start_.moving) w = part_of(start_.twist.data(), 0), v = R * part_of(start_.twist.data(), 3);
  } else if (layout_.accelerometer >= 0 && g > 0) {
    const Measurement& m = layout_.system->measurements()[static_cast<std::size_t>(layout_.accelerometer)];
    Vector3 push;
    for (int k = 0; k < 3; ++k) push[k] = y[layout_.first_system_input + m.inputs[static_cast<std::size_t>(k)]];
    const Vector3 up = feet_.link_rotation(m.link) * (m.frame.R * push);
    const double size = std::sqrt(dot(up, up));
    if (size > 0 && std::isfinite(size))
      R = shortest_rotation((-1 / g) * layout_.model.gravity) * transpose(shortest_rotation((1 / size) * up));
  }
  x_.put_base(R, p, v, w);
  for (std::size_t k = 0; k < layout_.points.size(); ++k) x_.footholds[k] = p + R * feet_.point(static_cast<int>(k));
  const double still = 0.3, tilt = start_.given ? 0.01 : layout_.accelerometer >= 0 ? (still + 0.3) / std::max(g, 1.0) : 0.3;
  double place[3] = {0, 0, 0}, turn[3] = {tilt, tilt, 0}, speed[3];
  for (double& s : speed) s = start_.moving ? 0.05 : 0.5;
  take_stated_start(layout_.system->sensors().start, place, turn, speed);
  for (int k = 0; k < 3; ++k) {
    if (again_) place[k] = 1, turn[k] = 0.5, speed[k] = 2;
    const auto put = [&](int at, double sigma) { e_.row(at)[at] = sigma * sigma; };
    put(WholeLayout::velocity + k, speed[k]), put(WholeLayout::rate + k, start_rate);
    for (const ContactPoint& point : layout_.points) put(point.error + k, open_foothold);
  }
  for (int k = 0; k < 3; ++k) {
    Vector3 turned = zero3<double>(), shifted = zero3<double>();
    turned[k] = turn[k], shifted[k] = place[k];
    open_base(turned, cross(p, turned)), open_base(zero3<double>(), shifted);
  }
}

TrackerStep WholeForward::begin(const double* y, const WholeKnot* about, WholeSample* record) noexcept {
  TrackerStep result;
  if (layout_.floating && start_.moving && too_fast(part_of(start_.twist.data(), 3))) {
    result.why = "the base's velocity at the start is above 100 m/s (kinematic rows have no such bound)";
    return result;
  }
  const auto is_position = [&](double reading) { return std::abs(reading) <= 1e4; };
  for (const KnotReading& reading : layout_.knots)
    if (reading.position && !is_position(y[reading.input])) {
      result.why = "the first sample has no reading of a joint's position";
      return result;
    }
  for (const GroupReading& reading : layout_.group_readings)
    for (int c = 0; c < layout_.groups[static_cast<std::size_t>(reading.group)].coordinates; ++c)
      if (!is_position(y[reading.inputs[static_cast<std::size_t>(c)]])) {
        result.why = "the first sample has no reading of a joint's position";
        return result;
      }
  e_.couple_all();
  std::fill(e_.P.begin(), e_.P.end(), 0.0), std::fill(e_.mean.begin(), e_.mean.end(), 0.0);
  std::fill(x_.dq.begin(), x_.dq.end(), 0.0), std::fill(x_.offsets.begin(), x_.offsets.end(), 0.0);
  std::fill(x_.z.begin(), x_.z.end(), 0.0);
  std::fill(doubts_.begin(), doubts_.end(), ReadingDoubt{});
  for (auto* doubts : {&interval_doubts_, &leap_doubts_}) std::fill(doubts->begin(), doubts->end(), ReadingDoubt{});
  std::fill(dropped_.begin(), dropped_.end(), DroppedReading{});
  strange_for_ = calm_for_ = 0, thrown_ = Thrown{};
  neutral(layout_.model, x_.q.data());
  for (const KnotReading& reading : layout_.knots)
    if (reading.position) x_.q[static_cast<std::size_t>(layout_.coordinate(reading.v))] = y[reading.input];
  for (const GroupReading& reading : layout_.group_readings) {
    const GroupJoint& group = layout_.groups[static_cast<std::size_t>(reading.group)];
    for (int c = 0; c < group.coordinates; ++c)
      x_.q[static_cast<std::size_t>(group.q + c)] = y[reading.inputs[static_cast<std::size_t>(c)]];
    if (!group.normalise(x_.q.data())) {
      result.why = "the first sample has a quaternion of length zero";
      return result;
    }
  }
  read_system(y);
  read_flags(y, 0);
  for (int v = layout_.base_freedoms; v < layout_.nv; ++v) {
    e_.row(layout_.position_error(v))[layout_.position_error(v)] = 1;
    e_.row(layout_.velocity_error(v))[layout_.velocity_error(v)] = start_speed * start_speed;
  }
  for (std::size_t k = 0; k < layout_.offsets.size(); ++k) {
    const int at = layout_.first_offset + static_cast<int>(k);
    e_.row(at)[at] = layout_.offsets[k].sigma * layout_.offsets[k].sigma;
  }
  for (std::size_t k = 0; k < layout_.unknowns.size(); ++k) {
    const int at = layout_.first_unknown + static_cast<int>(k);
    const double sigma = unknown_sigma(layout_.unknowns[k]);
    e_.row(at)[at] = sigma * sigma;
  }
  if (layout_.floating) begin_base(y);
  if (about) {
    local(layout_, x_, *about, e_.mean.data());
    copy(*about, x_);
  }
  dt_ = elapsed_ = 0, sum_ = 0, counted_ = 0;
  if (record) record->taken = record->interval_rows = 0;
  take_encoders(y, record);
  if (!about) settle();
  take_loops(record);
  if (!about) settle();
  if (layout_.floating) {
    feet_.at(x_.q.data());
    take_feet(true, record);
    take_poses(y, record);
    if (!about) settle();
    std::copy_n(x_.q.begin(), 7, start_.base.begin());
    keep_as_fitted();
  }
  started_ = result.ok = true;
  nis_ = std::nan("");
  keep(record);
  return result;
}

}  // namespace sparsedyn::tracking
