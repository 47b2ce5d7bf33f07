#include "tracking/whole/whole_forward.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sparsedyn/model/configuration.hpp"
#include "tracking/shared/block_rows.hpp"
#include "tracking/shared/foothold_moves.hpp"
#include "tracking/shared/rate_inside.hpp"

namespace sparsedyn::tracking {
namespace {

constexpr double arm_inside = 0.01, leg_inside = 0.04;  // of σ_ddq dt²: what accelerations that change inside the interval do
constexpr double base_place_inside = 3e-5;              // m, of a base
constexpr double walk_inside = 0.1;                     // of the walk of ddq over the interval, likewise
constexpr double loop_opens = 1e-3;                     // m/s², rad/s², of a floating robot's loops (loop_turns.hpp)
constexpr double some_time = 0.29;                      // 1/√12, of dt: when within the interval a kick is
constexpr double largest_interval_reading = 1e6;        // N, N·m, m/s²
constexpr double largest_state = 1e7;
constexpr double largest_speed = 100;   // m/s of a base
constexpr double farthest_turn = 1;     // rad: a larger correction is none
constexpr double farthest_offset = 10;  // in deviations of its prior
constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

}  // namespace

WholeSample::WholeSample(const WholeLayout& layout, int most)
    : x(layout),
      mean(static_cast<std::size_t>(layout.size)),
      P(static_cast<std::size_t>(layout.size) * static_cast<std::size_t>(layout.size)),
      y(layout.system->inputs().size()),
      stands(layout.contacts.size(), 1.0),
      rows(static_cast<std::size_t>(most)),
      F(layout) {
  for (DenseRowRecord& row : rows) row.h.resize(mean.size()), row.gain.resize(mean.size());
}

WholeForward::WholeForward(const WholeLayout& layout, IntervalRows& rows, bool slip)
    : layout_(layout),
      rows_(rows),
      slip_(slip),
      x_(layout),
      next_(layout),
      e_(layout.size),
      before_(layout.floating ? layout.size : 0),
      F_(layout),
      feet_(layout),
      loops_(layout.model, layout.system->sensors().constraints),
      turns_(layout, rows),
      y_(layout.system->inputs().size(), 0.0),
      stands_(layout.contacts.size(), 1.0),
      touches_(layout.contacts.size()),
      force_on_(stands_.size(), 0),
      doubts_(layout.knots.size() + layout.group_readings.size()),
      to_middle_(layout.groups.size()),
      q_middle_(x_.q),
      v_middle_(x_.dq),
      h_(static_cast<std::size_t>(layout.size)),
      step_(static_cast<std::size_t>(layout.nv)),
      offset_(h_),
      scratch_(6 * h_.size()),
      doubtful_(layout.intervals.size(), 0.0),
      taken_(doubtful_),
      weighed_(doubtful_.size(), 0),
      passed_(weighed_),
      interval_doubts_(layout.system->measurements().size()),
      leap_doubts_(rows.turn_rows().size()),
      dropped_(interval_doubts_.size()),
      judged_(interval_doubts_.size(), Verdict::none),
      loose_(layout.points.size(), 0.0),
      shares_(layout.offsets.size() + layout.unknowns.size()),
      fitted_offsets_(layout.offsets.size(), 0.0) {}

void WholeForward::start(const WholeStart& start) noexcept {
  start_.given = start.given, start_.moving = start.moving;
  start_.base = start.base, start_.twist = start.twist;
  started_ = again_ = false;
  shares_.clear();
  interval_.forget();
  std::fill(force_on_.begin(), force_on_.end(), 0);
  for (std::size_t k = 0; k < y_.size(); ++k) y_[k] = layout_.system->inputs()[k].fallback;
}

void WholeForward::take_state(const WholeForward& other) noexcept {
  copy(other.x_, x_);
  std::copy(other.e_.mean.begin(), other.e_.mean.end(), e_.mean.begin());
  std::copy(other.e_.P.begin(), other.e_.P.end(), e_.P.begin());
  e_.couple_all();
  std::copy(other.y_.begin(), other.y_.end(), y_.begin());
  std::copy(other.stands_.begin(), other.stands_.end(), stands_.begin());
  std::copy(other.touches_.begin(), other.touches_.end(), touches_.begin());
  std::copy(other.doubts_.begin(), other.doubts_.end(), doubts_.begin());
  std::copy(other.interval_doubts_.begin(), other.interval_doubts_.end(), interval_doubts_.begin());
  std::copy(other.leap_doubts_.begin(), other.leap_doubts_.end(), leap_doubts_.begin());
  std::copy(other.dropped_.begin(), other.dropped_.end(), dropped_.begin());
  std::copy(other.force_on_.begin(), other.force_on_.end(), force_on_.begin());
  start_ = other.start_;
  started_ = other.started_, again_ = other.again_, interval_ = other.interval_, thrown_ = other.thrown_;
  fitted_base_ = other.fitted_base_;
  std::copy(other.fitted_offsets_.begin(), other.fitted_offsets_.end(), fitted_offsets_.begin());
  dt_ = other.dt_, nis_ = other.nis_, elapsed_ = other.elapsed_;
  strange_for_ = other.strange_for_, calm_for_ = other.calm_for_;
  shares_.take(other.shares_);
}

/// A gap leaves the number before: wrenches that the laws of motion take as known have no row to leave out.
void WholeForward::read_system(const double* y) noexcept {
  for (std::size_t k = 0; k < y_.size(); ++k) {
    const double reading = y[static_cast<std::size_t>(layout_.first_system_input) + k];
    if (std::abs(reading) <= largest_interval_reading) y_[k] = reading;
  }
}

/// dt 0: nothing was before.
void WholeForward::read_flags(const double* y, double dt) noexcept {
  for (std::size_t c = 0; c < layout_.contacts.size(); ++c) {
    const double before = stands_[c];
    read_flag(layout_.contacts[c], y[layout_.contacts[c].flag], force_on_[c], stands_[c]);
    if (dt > 0)
      touches_[c].pass(before, stands_[c], dt, y[layout_.contacts[c].flag] == flag_to_come);
    else
      touches_[c].begin(stands_[c]);
  }
}

/// What does not walk starts anew at mean zero; z stays what the rows are linearised about.
void WholeForward::renew_interval(double dt, const WholeKnot* about) noexcept {
  for (std::size_t k = 0; k < layout_.unknowns.size(); ++k) {
    const IntervalUnknown& u = layout_.unknowns[k];
    const int at = layout_.first_unknown + static_cast<int>(k);
    double& centre = x_.z[k];
    if (u.walks) {
      e_.row(at)[at] += u.walk * u.walk * dt;
      if (about) e_.mean[static_cast<std::size_t>(at)] += centre - about->z[k];
    }
    if (about) centre = about->z[k];
    if (!u.walks) {
      const double sigma = unknown_sigma(u);
      e_.renew(at, -centre, sigma * sigma);
    }
  }
  for (std::size_t k = 0; k < layout_.offsets.size(); ++k) {
    const int at = layout_.first_offset + static_cast<int>(k);
    e_.row(at)[at] += layout_.offsets[k].walk * layout_.offsets[k].walk * dt;
  }
}

/// known_within: rows whose reading was predicted to within so many of its deviations are counted; 0: the row is no reading.
/// Nor is an exact row, variance 0.
void WholeForward::take(double z, double variance, double known_within, WholeSample* record) noexcept {
  DenseRowRecord* kept = record ? &record->rows[static_cast<std::size_t>(record->taken++)] : nullptr;
  const Gaussian::Found found = e_.take(h_.data(), z, variance, kept);
  if (found.variance > 0) surprise_ += found.square + std::log(found.variance);
  strangest_ = std::max(strangest_, found.square), squares_ += found.square;
  if (known_within > 0 && variance > 0 && found.prior <= known_within * known_within * variance)
    sum_ += found.square, ++counted_;
}

/// dt ∂ω/∂v z: by how much the angular velocity that a gyroscope reads changes over the interval, of accelerations z.
double WholeForward::turned_in(const double* by_v, const double* z, double dt) const noexcept {
  double sum = 0;
  for (int k = 0; k < layout_.nv; ++k) sum += by_v[k] * z[k];
  return dt * sum;
}

/// h becomes how row i moves with the errors: its state is that of the interval's middle, q̄ = q + ½ dt dq, v̄ = dq + ½ dt ddq.
void WholeForward::put_interval_row(int i, double dt, const Matrix3& R, const Matrix3& middle) noexcept {
  const int base = layout_.base_freedoms, joints = layout_.joints;
  const double *const d = rows_.derivative(i), *const by_q = d + rows_.of_q(), *const by_v = d + rows_.of_v();
  double* const h = h_.data();
  std::fill(h_.begin(), h_.end(), 0.0);
  if (layout_.floating) {
    put_part(h, WholeLayout::turn, middle * part_of(by_q, 0));
    put_part(h, WholeLayout::rate, part_of(by_v, 0) + 0.5 * dt * part_of(by_q, 0));
    put_part(h, WholeLayout::velocity, R * part_of(by_v, 3));
  }
  std::copy_n(by_q + base, joints, h + layout_.first_joint);
  std::copy_n(by_v + base, joints, h + layout_.first_joint + joints);
  add_scaled(0.5 * dt, by_q + base, h + layout_.first_joint + joints, joints);
  for (std::size_t g = 0; g < layout_.groups.size(); ++g) {
    const GroupJoint& group = layout_.groups[g];
    double *const at_q = h + layout_.position_error(group.v), *const at_v = h + layout_.velocity_error(group.v);
    for (int k = 0; k < group.freedoms; ++k) {
      at_q[k] = 0, at_v[k] = by_v[group.v + k];
      for (int r = 0; r < group.freedoms; ++r) {
        at_q[k] += to_middle_[g].E[r][k] * by_q[group.v + r];
        at_v[k] += 0.5 * dt * to_middle_[g].J[r][k] * by_q[group.v + r];
      }
    }
  }
  std::copy_n(d, rows_.of_q(), h + layout_.first_unknown);
  add_scaled((i >= rows_.first_turn() ? layout_.theta : 0.5) * dt, by_v, h + layout_.first_unknown, layout_.nv);
  turns_.put_turn(i, x_.z.data(), h);
}

/// A row of an interval beside the errors: puts h, returns what is read less what is predicted.
double WholeForward::interval_rest(int i, const double* y, double dt, const Matrix3& R, const Matrix3& middle) noexcept {
  const IntervalReading& reading = layout_.intervals[static_cast<std::size_t>(i)];
  put_interval_row(i, dt, R, middle);
  double rest = rows_.residual(i);
  if (i >= rows_.first_turn())
    rest = y[reading.input] - rest - (layout_.theta - 0.5) * turned_in(rows_.derivative(i) + rows_.of_v(), x_.z.data(), dt);
  if (reading.offset < 0) return rest;
  h_[static_cast<std::size_t>(reading.offset)] = 1;
  return rest - x_.offsets[static_cast<std::size_t>(reading.offset - layout_.first_offset)];
}

/// Of a reading with noise; of a gyroscope's on a floating base also of what the angular velocity does inside the interval, by
/// the newest estimate.
double WholeForward::reading_variance(int i, const double* y, double dt) const noexcept {
  const IntervalReading& reading = layout_.intervals[static_cast<std::size_t>(i)];
  const double of_reading = reading.share > 0 ? reading.share * y[reading.input] : 0.0;
  const double variance = reading.variance + of_reading * of_reading;
  if (i < rows_.first_turn() || !layout_.floating) return variance;
  const double* const by_v = rows_.derivative(i) + rows_.of_v();
  const double turned = turned_in(by_v, x_.z.data(), dt) + turned_in(by_v, e_.mean.data() + layout_.first_unknown, dt);
  return variance + rate_inside * turned * rate_inside * turned + doubtful_[static_cast<std::size_t>(i)];
}

/// What the interval is linearised about: the state at its middle.
void WholeForward::linearise_interval(double dt) noexcept {
  for (std::size_t k = 0; k < step_.size(); ++k) step_[k] = 0.5 * dt * x_.dq[k];
  integrate(layout_.model, x_.q.data(), step_.data(), q_middle_.data());
  for (std::size_t g = 0; g < to_middle_.size(); ++g)
    to_middle_[g].at(layout_.groups[g], x_.dq.data() + layout_.groups[g].v, 0.5 * dt);
  for (std::size_t k = 0; k < step_.size(); ++k) v_middle_[k] = x_.dq[k] + 0.5 * dt * x_.z[k];
  rows_.find_derivatives(q_middle_.data(), v_middle_.data(), y_.data(), x_.z.data());
}

/// All rows of the interval but what is passed over, of a push that is none or what is stated.
void WholeForward::take_interval_rows(const Push& push, const double* y, double dt, const Matrix3& R, const Matrix3& middle,
                                      WholeSample* record) noexcept {
  strangest_ = squares_ = 0;
  std::fill(taken_.begin(), taken_.end(), 0.0);
  for (int i : layout_.row_order) {
    const IntervalReading& reading = layout_.intervals[static_cast<std::size_t>(i)];
    if (passed_[static_cast<std::size_t>(i)]) continue;
    if (reading.input >= 0 && !(std::abs(y[reading.input]) <= reading.most)) continue;
    if (reading.contact >= 0 && !(still_share(reading.contact) > 0)) continue;
    double rest = interval_rest(i, y, dt, R, middle);
    double variance = reading_variance(i, y, dt) + push.variance_beside(reading);
    if (reading.contact >= 0) variance = acceleration_variance(reading.contact) + push.variance_of_feet();
    const bool loop = turns_.is_loop(i);
    if (loop) rest += turns_.left_out(i, x_.z.data()), variance = loop_opens * loop_opens;
    const double of_readings = surprise_;
    take(rest, variance, reading.contact >= 0 || reading.base >= 0 || loop ? 0 : 1, record);
    if (loop) surprise_ = of_readings;  // that a loop stays closed is no reading
    if (reading.sensor >= 0 && reading.input >= 0) taken_[static_cast<std::size_t>(i)] = variance;
  }
  e_.settle();
}

void WholeForward::take_interval(const double* y, double dt, WholeSample* record) noexcept {
  linearise_interval(dt);
  const Matrix3 R = layout_.floating ? x_.R() : identity3<double>(),
                middle = layout_.floating ? rotation_from_quaternion(q_middle_.data() + 3) : R;
  std::fill(passed_.begin(), passed_.end(), char{0});
  pass_over_dropped(y, dt);
  judge_turns(y, dt, R, middle);
  surprise_before_ = surprise_;
  if (layout_.floating) before_.become(e_);
  take_interval_rows(Push{}, y, dt, R, middle, record);
  if (layout_.floating) pass_over_contradicted(y, dt, R, middle, record);
  turns_.make_additive(x_.z.data(), e_);
}

/// P becomes P + h hᵀ.
void WholeForward::add_square_of_row() noexcept {
  for (int i = 0; i < e_.n; ++i)
    if (const double own = h_[static_cast<std::size_t>(i)]; own != 0) add_scaled(own, h_.data(), e_.row(i), e_.n);
}

/// A base whose accelerations change inside the interval turns by more or less than its mean velocity says; one that is kicked
/// moves by the kick's velocity for a part of the interval that nobody knows.
void WholeForward::open_inside(double dt) noexcept {
  const double mass = layout_.mass, radius = layout_.radius;
  const double place = moved_by_.force > 0 && mass > 0 ? some_time * dt * dt * moved_by_.force / mass : 0;
  const double rate = moved_by_.moment > 0 && radius > 0 ? some_time * dt * moved_by_.moment / (mass * radius * radius) : 0;
  for (int k = 0; k < 3; ++k) {
    const double usual = rate_inside * dt * x_.z[static_cast<std::size_t>(k)],
                 changes = rate > 0 ? std::hypot(usual, rate) : usual;
    const Vector3 turned = changes * Vector3{{F_.A(0, k), F_.A(1, k), F_.A(2, k)}};
    std::fill(h_.begin(), h_.end(), 0.0);
    put_part(h_.data(), WholeLayout::turn, turned), put_part(h_.data(), WholeLayout::place, -1.0 * (F_.arm * turned));
    for (std::size_t p = 0; p < layout_.points.size(); ++p)
      put_part(h_.data(), layout_.points[p].error,
               layout_.points[p].rolls() ? F_.foothold_by_turn(p) * turned : cross(F_.footholds[p], turned));
    add_square_of_row();
    e_.row(WholeLayout::place + k)[WholeLayout::place + k] += base_place_inside * base_place_inside + place * place;
  }
}

/// A joint that is by so much beyond where its step ends (rad, m): a foot that rolls has then rolled on.
void WholeForward::open_joint(int v, double inside) noexcept {
  const int at = layout_.position_error(v);
  if (!F_.any_rolls) {
    e_.row(at)[at] += inside * inside;
    return;
  }
  std::fill(h_.begin(), h_.end(), 0.0);
  h_[static_cast<std::size_t>(at)] = inside;
  for (std::size_t p = 0; p < layout_.points.size(); ++p)
    for (int r = 0; r < 3 && layout_.points[p].rolls(); ++r)
      h_[static_cast<std::size_t>(layout_.points[p].error + r)] =
          inside * F_.rolls[p].after[static_cast<std::size_t>(r * layout_.joints + v - layout_.base_freedoms)];
  add_square_of_row();
}

/// By as much along each axis, and along the vertical u by more: P + u uᵀ.
void WholeForward::let_footholds_move(double dt, bool gap) noexcept {
  const Vector3& u = layout_.vertical;
  for (const ContactPoint& point : layout_.points) {
    const auto c = static_cast<std::size_t>(point.contact);
    const FootholdMoves moves = foothold_moves(touches_[c], layout_.contacts[c].settings->walk, dt, gap);
    for (int i = 0; i < 3; ++i) {
      double* const row = e_.row(point.error + i);
      row[point.error + i] += moves.level;
      for (int k = 0; k < 3; ++k) row[point.error + k] += (moves.upright - moves.level) * u[i] * u[k];
    }
  }
}

void WholeForward::carry_on(double dt, bool gap, const WholeKnot* about, WholeSample* record) noexcept {
  step_whole(layout_, x_, dt, feet_, next_, F_);
  carry(layout_, F_, e_, scratch_);
  carry(layout_, F_, e_.mean.data());
  const double share = layout_.floating ? leg_inside : arm_inside;
  const double changes = layout_.acceleration_walk > 0 ? walk_inside * layout_.acceleration_walk * std::sqrt(dt)
                                                       : share * layout_.acceleration_sigma;
  const double inside = std::hypot(changes * dt * dt, some_time * moved_by_.joints * dt * dt);
  for (int v = layout_.base_freedoms; v < layout_.nv; ++v) open_joint(v, inside);
  if (layout_.floating) open_inside(dt);
  let_footholds_move(dt, gap);
  if (about) {
    local(layout_, next_, *about, offset_.data());
    for (std::size_t k = 0; k < offset_.size(); ++k) e_.mean[k] += offset_[k];
  }
  copy(about ? *about : next_, x_);
  if (!record) return;
  record->F.dt = F_.dt, record->F.A = F_.A, record->F.R = F_.R, record->F.onward = F_.onward, record->F.arm = F_.arm;
  std::copy(F_.footholds.begin(), F_.footholds.end(), record->F.footholds.begin());
  std::copy(F_.groups.begin(), F_.groups.end(), record->F.groups.begin());
  for (std::size_t p = 0; p < layout_.points.size() && F_.any_rolls; ++p) {
    const RollJacobian& from = F_.rolls[p];
    RollJacobian& to = record->F.rolls[p];
    to.by_turn = from.by_turn, to.by_end = from.by_end;
    std::copy(from.before.begin(), from.before.end(), to.before.begin());
    std::copy(from.after.begin(), from.after.end(), to.after.begin());
  }
}

void WholeForward::settle() noexcept {
  retract(layout_, e_.mean.data(), x_);
  std::fill(e_.mean.begin(), e_.mean.end(), 0.0);
}

/// Why the estimate is none; null: it is one.
const char* WholeForward::broken(bool thrown) const noexcept {
  if (!sound() || !(far_ <= farthest_turn * farthest_turn))
    return layout_.floating ? "no small correction fits the readings; the estimate starts anew with the next sample"
                            : "no finite estimate fits the readings; it starts anew with the next sample";
  if (layout_.floating && too_fast(x_.v()))
    return "the base would be faster than 100 m/s; the estimate starts anew with the next sample";
  if (thrown)
    return "nothing has fitted for a quarter of a second, in which an offset has changed by ten of its stated deviations; the "
           "estimate starts anew with the next sample";
  return nullptr;
}

/// An offset that cannot be: readings that were wrong have thrown the estimate. One that readings have told all along is none,
/// however small its stated deviation.
bool WholeForward::has_an_offset_leapt() const noexcept {
  for (std::size_t k = 0; k < layout_.offsets.size(); ++k) {
    const ReadingOffset& offset = layout_.offsets[k];
    const double prior = prior_variance(offset.sigma, offset.walk, elapsed_), leap = x_.offsets[k] - fitted_offsets_[k];
    if (leap * leap > farthest_offset * farthest_offset * prior && prior > 0) return true;
  }
  return false;
}

/// Whether nothing fits any longer because an offset has leapt; then the base is put back where it was when readings last
/// fitted.
bool WholeForward::is_thrown() noexcept {
  if (!layout_.floating || !judges_throws_) return false;
  const bool thrown = thrown_.see(sum_, counted_, dt_) && has_an_offset_leapt();
  if (thrown) start_.base = fitted_base_;
  return thrown;
}

void WholeForward::keep_as_fitted() noexcept {
  std::copy_n(x_.q.begin(), 7, fitted_base_.begin());
  std::copy(x_.offsets.begin(), x_.offsets.end(), fitted_offsets_.begin());
}

bool WholeForward::too_fast(const Vector3& v) noexcept { return !(dot(v, v) < largest_speed * largest_speed); }

bool WholeForward::sound() const noexcept {
  double size = 0;
  for (double x : x_.dq) size += std::abs(x);
  for (double x : x_.q) size += std::abs(x);
  for (double x : x_.z) size += x * 0;
  return e_.sound() && size < largest_state;
}

void WholeForward::keep(WholeSample* record) const noexcept {
  if (!record) return;
  copy(x_, record->x);
  std::copy(e_.mean.begin(), e_.mean.end(), record->mean.begin());
  std::copy(e_.P.begin(), e_.P.end(), record->P.begin());
  std::copy(y_.begin(), y_.end(), record->y.begin());
  std::copy(stands_.begin(), stands_.end(), record->stands.begin());
  record->dt = dt_, record->nis = nis_;
}

/// What broke the estimate is left behind: a base starts anew where it was last sound, with wide deviations.
void WholeForward::start_again() noexcept {
  started_ = false, again_ = true;
  start_.given = true, start_.moving = false;
}

TrackerStep WholeForward::step(const double* y, double dt, const WholeKnot* about, WholeSample* record) noexcept {
  if (!started_) return begin(y, about, record);
  TrackerStep result;
  if (!(dt > 0) || !std::isfinite(dt)) {
    result.why = "time does not go on";
    return result;
  }
  if (layout_.floating && interval_.is_break(dt)) {
    start_again();
    return begin(y, about, record);
  }
  const bool gap = interval_.take(dt);
  const double surprise_before = surprise_;
  dt_ = dt, sum_ = 0, counted_ = 0, far_ = 0, moved_by_ = Push{};
  if (record) record->taken = record->interval_rows = 0;
  read_system(y);
  read_flags(y, dt);
  renew_interval(dt, about);
  if (!gap) take_interval(y, dt, record);
  if (record) record->interval_rows = record->taken;
  if (!about) settle();
  weigh_contacts(dt);
  carry_on(dt, gap, about, record);
  take_encoders(y, record);
  if (layout_.floating || loops_.rows() > 0) {
    if (!about) settle();
    take_loops(record);
  }
  if (layout_.floating) {
    if (!about && loops_.rows() > 0) settle();
    feet_.at(x_.q.data());
    result.slips = let_slip(gap);
    take_feet(gap, record);
    take_air(record);
    take_poses(y, record);
    const Vector3 turn = part_of(e_.mean.data(), WholeLayout::turn);
    far_ = dot(turn, turn);
  }
  if (!about) settle();
  if (const char* const why = broken(is_thrown())) {
    start_again();
    result.why = why;
    return result;
  }
  if (layout_.floating) std::copy_n(x_.q.begin(), 7, start_.base.begin());
  if (layout_.floating && !thrown_.is_far()) keep_as_fitted();
  elapsed_ += dt;
  if (!gap) judge_priors();
  result.ok = true, result.innovation = sum_, result.rows = counted_, result.surprise = surprise_ - surprise_before;
  nis_ = counted_ > 0 ? sum_ / counted_ : no_number;
  keep(record);
  return result;
}

}  // namespace sparsedyn::tracking
