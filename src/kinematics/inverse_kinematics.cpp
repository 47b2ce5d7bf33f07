#include "sparsedyn/kinematics/inverse_kinematics.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

#include "bounded_steps.hpp"
#include "model/joint_range.hpp"
#include "pose_errors.hpp"
#include "posture_distance.hpp"
#include "sparsedyn/model/configuration.hpp"

namespace sparsedyn {
namespace {

// The longest step of an angle (rad) or a length (m): what lies beyond is not what the Jacobian knows of.
constexpr double longest_step = 1.0;
// An attempt that gains less than this share of |e|² in so many steps is given up: it nears a local minimum.
constexpr double least_gain = 0.05;
constexpr int patience = 4;
// Of the damping, beside |e|².
constexpr double first_damping = 1e-2, least_damping = 1e-4, most_damping = 1e8;
// Where the slope is this small, the residual has reached its minimum.
constexpr double flat = 1e-11;
// Of |e|²: what is rounding after the last steps, and while a posture is drawn nearer.
constexpr double no_error = 1e-24, hardly_an_error = 1e-22;
// Of the squares of J: what keeps a step from being undetermined.
constexpr double least_square = 1e-14;

std::vector<int> indices_of(const Model& model, const std::vector<std::string>& links) {
  if (links.empty()) throw std::invalid_argument("inverse kinematics: no target; expected a link");
  std::vector<int> indices;
  for (const std::string& name : links) {
    const int link = model.link(name);
    if (model.links[static_cast<std::size_t>(link)].body < 0)
      throw std::invalid_argument("link " + name + ": fixed to the world; expected one that moves");
    if (std::find(indices.begin(), indices.end(), link) != indices.end())
      throw std::invalid_argument("link " + name + ": a target twice");
    indices.push_back(link);
  }
  return indices;
}

const std::vector<PoseWeights>& checked(const std::vector<PoseWeights>& weights, std::size_t targets) {
  if (!weights.empty() && weights.size() != targets)
    throw std::invalid_argument("inverse kinematics: weights: expected as many as targets");
  for (const PoseWeights& w : weights)
    if (!(w.position >= 0 && w.orientation >= 0 && w.position + w.orientation > 0) ||
        !std::isfinite(w.position + w.orientation))
      throw std::invalid_argument("inverse kinematics: weights: expected numbers >= 0, not both 0");
  return weights;
}

void check(const InverseKinematicsOptions& options) {
  if (!(options.tolerance > 0)) throw std::invalid_argument("inverse kinematics: tolerance: expected a positive number");
  if (options.restarts < 0) throw std::invalid_argument("inverse kinematics: restarts: expected 0 or more");
  if (options.iterations < 1) throw std::invalid_argument("inverse kinematics: iterations: expected 1 or more");
}

}  // namespace

struct InverseKinematics::State {
  State(const Model& m, const std::vector<std::string>& links, const InverseKinematicsOptions& o)
      : model(m),
        options(o),
        range(m),
        errors(m, indices_of(m, links), checked(o.weights, links.size())),
        steps(errors.rows(), m.nv),
        step(static_cast<std::size_t>(m.nv)),
        away(step),
        gradient(step),
        ahead(step),
        behind(step),
        curvature(step.size() * step.size()),
        q(static_cast<std::size_t>(m.nq)),
        trial(q),
        best(q),
        from(q) {
    check(o);
  }

  InverseKinematicsStatus search(bool given) noexcept;
  double descend(int iterations) noexcept;
  double settle() noexcept;
  void gradient_at(const double* posture, double* gradient) noexcept;
  void find_curvature() noexcept;
  bool step_down(double& squares, double& damping) noexcept;
  double slope() noexcept;
  double polish(double squares) noexcept;
  void approach() noexcept;
  bool correct() noexcept;
  void draw(std::mt19937& rng, int attempt, bool given) noexcept;
  double goal() const noexcept { return options.tolerance * options.tolerance; }
  void move(double share) noexcept;

  const Model& model;
  InverseKinematicsOptions options;
  JointRange range;
  PoseErrors errors;
  BoundedSteps steps;
  std::vector<double> step, away;               // by entry of v
  std::vector<double> gradient, ahead, behind;  // of ½|e|², by entry of v: here, and a little aside
  std::vector<double> curvature;                // of ½|e|², nv × nv
  std::vector<double> q, trial, best, from;     // postures: now, after the step, the best so far, the one to stay near
  int iterations = 0;
};

/// trial = q ⊕ share · step, within the limits, the step no longer than longest_step.
void InverseKinematics::State::move(double share) noexcept {
  double longest = 0;
  for (double x : step) longest = std::max(longest, std::fabs(x));
  const double scale = longest * share > longest_step ? longest_step / longest : share;
  if (scale != 1)
    for (double& x : step) x *= scale;
  integrate(model, q.data(), step.data(), trial.data());
  range.clamp(trial.data());
}

/// Jᵀ e; leaves errors at the posture.
void InverseKinematics::State::gradient_at(const double* posture, double* out) noexcept {
  errors.at(posture);
  const std::vector<double>& J = errors.jacobian();
  std::fill_n(out, step.size(), 0.0);
  for (std::size_t r = 0; r < errors.e().size(); ++r)
    for (std::size_t i = 0; i < step.size(); ++i) out[i] += J[r * step.size() + i] * errors.e()[r];
}

/// After gradient_at(q): the largest entry that the limits do not hold.
double InverseKinematics::State::slope() noexcept {
  double largest = 0;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const double room = gradient[i] > 0 ? range.room_below(q.data(), i) : range.room_above(q.data(), i);
    if (room != 0) largest = std::max(largest, std::fabs(gradient[i]));
  }
  return largest;
}

/// One step of Levenberg and Marquardt from q, at which errors are; the damping follows how well the last step was foretold.
/// False where no step makes |e|² smaller.
bool InverseKinematics::State::step_down(double& squares, double& damping) noexcept {
  const std::vector<double>& J = errors.jacobian();
  const std::vector<double>& e = errors.e();
  steps.set_room(range, q.data());
  std::fill(step.begin(), step.end(), 0.0);
  while (damping <= most_damping) {
    const bool solved = steps.damped(J.data(), e.data(), damping * squares + least_square, step.data());
    if (!solved) {
      damping *= 10;
      continue;
    }
    move(1);
    ++iterations;
    const double after = errors.at(trial.data());
    if (after < squares) {
      damping = std::max(least_damping, after < 0.25 * squares   ? 0.2 * damping
                                        : after < 0.75 * squares ? damping
                                                                 : 2 * damping);
      squares = after;
      q.swap(trial);
      return true;
    }
    damping *= 8;
    errors.at(q.data());  // e is that of q again; J still is
  }
  return false;
}

/// From q down towards a minimum of |e|², as long as that is quick; returns |e|².
double InverseKinematics::State::descend(int most) noexcept {
  double squares = errors.at(q.data()), damping = first_damping, before = squares;
  for (int k = 1; k <= most && squares > goal(); ++k) {
    if (!step_down(squares, damping)) break;
    if (k % patience != 0) continue;
    if (squares > (1 - least_gain) * before) break;
    before = squares;
  }
  return squares;
}

/// Second derivatives of ½|e|² at q, lower triangle: central differences of the gradient, which is exact.
void InverseKinematics::State::find_curvature() noexcept {
  constexpr double aside = 1e-5;
  const std::size_t n = step.size();
  std::fill(step.begin(), step.end(), 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (const double sign : {1.0, -1.0}) {
      step[i] = sign * aside;
      integrate(model, q.data(), step.data(), trial.data());
      gradient_at(trial.data(), sign > 0 ? ahead.data() : behind.data());
    }
    step[i] = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const double second = (ahead[k] - behind[k]) / (2 * aside);
      if (k >= i)
        curvature[k * n + i] = second;
      else
        curvature[i * n + k] = 0.5 * (curvature[i * n + k] + second);
    }
  }
}

/// From q to the minimum of |e|² where it does not vanish, by Newton's method within the limits: what Levenberg and Marquardt
/// leave out of the second derivatives is as large as e.
double InverseKinematics::State::settle() noexcept {
  double squares = errors.at(q.data()), damping = 0;
  for (int k = 0; k < 100; ++k) {
    gradient_at(q.data(), gradient.data());
    if (slope() < flat * (1 + std::sqrt(squares))) break;
    find_curvature();
    steps.set_room(range, q.data());
    bool stepped = false;
    while (!stepped && damping < most_damping) {
      if (steps.newton(curvature.data(), gradient.data(), damping, step.data())) {
        move(1);
        ++iterations;
        const double after = errors.at(trial.data());
        if (after < squares) stepped = true, squares = after, q = trial;
      }
      damping = stepped ? (damping < 1e-6 ? 0 : 0.1 * damping) : std::max(1e-3, 8 * damping);
    }
    if (!stepped) break;
  }
  return squares;
}

/// The last digits: steps that cost little, since the method converges quadratically.
double InverseKinematics::State::polish(double squares) noexcept {
  double damping = least_damping;
  for (int k = 0; k < 3 && squares > no_error; ++k) {
    const double before = squares;
    if (!step_down(squares, damping) || squares > 0.25 * before) break;
  }
  return squares;
}

/// Brings q, near the poses, back to them. False where it does not reach them.
bool InverseKinematics::State::correct() noexcept {
  double squares = errors.at(q.data()), damping = least_damping;
  for (int k = 0; k < 8 && squares > hardly_an_error; ++k)
    if (!step_down(squares, damping)) break;
  return squares <= goal();
}

/// From `best`, which reaches the poses, to the posture nearest to `from` in its neighbourhood that does:
/// δ = argmin |d + δ|² with J δ = −e, where d is the gradient of half the squared distance, then back to the poses.
void InverseKinematics::State::approach() noexcept {
  q = best;
  errors.at(q.data());
  double distance = distance_from(model, from.data(), q.data(), away.data()), share = 1;
  for (int k = 0; k < options.iterations && share > 1e-3; ++k) {
    steps.set_room(range, q.data());
    std::fill(step.begin(), step.end(), 0.0);
    if (!steps.nearest(errors.jacobian().data(), errors.e().data(), away.data(), step.data())) return;
    const auto by_size = [](double a, double b) { return std::fabs(a) < std::fabs(b); };
    if (!(std::fabs(*std::max_element(step.begin(), step.end(), by_size)) > 1e-9)) return;
    move(share);
    q = trial;
    ++iterations;
    const bool reached = correct();
    const double moved = distance_from(model, from.data(), q.data(), away.data());
    if (reached && moved < distance) {
      best = q, distance = moved, share = std::min(1.0, 2 * share);
    } else {
      q = best, share *= 0.25;
      errors.at(q.data());
      distance_from(model, from.data(), q.data(), away.data());
    }
  }
}

/// A random posture; near the one that is given first, farther from attempt to attempt.
void InverseKinematics::State::draw(std::mt19937& rng, int attempt, bool given) noexcept {
  range.draw(rng, q.data());
  const double spread = given ? std::min(1.0, attempt / 8.0) : 1.0;
  for (const Body& body : model.bodies)
    if (freedoms(body.joint) == 1) {
      const auto k = static_cast<std::size_t>(body.q);
      q[k] = from[k] + spread * (q[k] - from[k]);
    }
  errors.place_root(q.data());
}

/// From `from`, then from random postures.
InverseKinematicsStatus InverseKinematics::State::search(bool given) noexcept {
  InverseKinematicsStatus status;
  q = from;
  double least = descend(options.iterations);
  best = q;
  if (least > goal() && options.restarts > 0) {
    std::mt19937 rng(options.seed);
    while (least > goal() && status.restarts < options.restarts) {
      draw(rng, ++status.restarts, given);
      const double squares = descend(options.iterations);
      if (squares < least) least = squares, best = q;
    }
  }
  q = best;
  least = least > goal() ? settle() : errors.at(q.data());
  if (least <= goal()) polish(least);
  best = q;
  if (least <= goal() && given && options.nearest) approach();
  status.reached = std::sqrt(errors.at(best.data())) <= options.tolerance;
  status.residual = errors.residual();
  status.iterations = iterations;
  return status;
}

InverseKinematics::InverseKinematics(const Model& model, const std::vector<std::string>& links,
                                     const InverseKinematicsOptions& options)
    : state_(std::make_unique<State>(model, links, options)) {}
InverseKinematics::~InverseKinematics() = default;
InverseKinematics::InverseKinematics(InverseKinematics&&) noexcept = default;
InverseKinematics& InverseKinematics::operator=(InverseKinematics&&) noexcept = default;

InverseKinematicsStatus InverseKinematics::solve(const Pose<double>* targets, const double* near, double* q) noexcept {
  State& s = *state_;
  s.iterations = 0;
  bool finite = s.errors.aim(targets);
  if (near) {
    std::copy_n(near, s.from.size(), s.from.begin());
    finite = finite && std::all_of(s.from.begin(), s.from.end(), [](double x) { return std::isfinite(x); }) &&
             normalise(s.model, s.from.data());
  } else {
    s.range.middle(s.from.data());
  }
  if (!finite) {
    InverseKinematicsStatus status;
    status.finite = false;
    return status;
  }
  s.range.clamp(s.from.data());
  if (!near) s.errors.place_root(s.from.data());
  const InverseKinematicsStatus status = s.search(near != nullptr);
  std::copy(s.best.begin(), s.best.end(), q);
  return status;
}

double InverseKinematics::residual(const Pose<double>* targets, const double* q) noexcept {
  state_->errors.aim(targets);
  state_->errors.at(q);
  return state_->errors.residual();
}

double InverseKinematics::slope(const Pose<double>* targets, const double* q) noexcept {
  State& s = *state_;
  s.errors.aim(targets);
  std::copy_n(q, s.q.size(), s.q.begin());
  s.gradient_at(s.q.data(), s.gradient.data());
  return s.slope();
}

const std::vector<double>& InverseKinematics::lower() const noexcept { return state_->range.lower(); }
const std::vector<double>& InverseKinematics::upper() const noexcept { return state_->range.upper(); }

}  // namespace sparsedyn
