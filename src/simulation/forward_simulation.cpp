#include "sparsedyn/simulation/forward_simulation.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "energy_balance.hpp"
#include "exponential_rate.hpp"
#include "io/number.hpp"
#include "model/columns.hpp"
#include "semi_implicit.hpp"
#include "sparsedyn/constraints/closed_loops.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/model/coordinate_map.hpp"

namespace sparsedyn {

std::vector<std::string> forward_columns(const Model& model, const ConstrainedDynamics& dynamics) {
  std::vector<std::string> header = motion_columns(model);
  const auto add = [&](const std::vector<std::string>& names) { header.insert(header.end(), names.begin(), names.end()); };
  add(with_prefix("lambda", dynamics.force_columns()));
  add(with_prefix("gap", dynamics.gap_columns()));
  return header;
}

const std::vector<std::string>& integrator_names() {
  static const std::vector<std::string> names{"semi-implicit", "implicit-velocity", "runge-kutta"};
  return names;
}

std::optional<Integrator> integrator_of(const std::string& name) {
  const auto& names = integrator_names();
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end()) return std::nullopt;
  return static_cast<Integrator>(at - names.begin());
}

std::optional<IntegratorMisfit> integrator_misfit(const Model& model, const ForwardSimulation& simulation) {
  if (simulation.integrator != Integrator::implicit_velocity || !(simulation.kd > 0)) return std::nullopt;
  if (!simulation.effort_limits.empty())
    return IntegratorMisfit{"effort limits with a KD that acts after the step, where its torque is not known",
                            "another integrator, or KD 0"};
  for (const Joint& joint : model.joints)
    if (joint.nv > 1 && joint.name != "base")
      return IntegratorMisfit{"joint \"" + joint.name + "\" has several freedoms", "joints of one to be damped implicitly"};
  return std::nullopt;
}

namespace {

constexpr double runaway = 1e8;  // m/s or rad/s

/// By entry of v: damping of the joints that it moves, G^T D G.
std::vector<double> own_damping(const Model& model) {
  const std::vector<JointPhysics>& physics = model.tree().physics;
  std::vector<double> damping(static_cast<std::size_t>(model.nv), 0.0);
  for (std::size_t k = 0; k < physics.size(); ++k) {
    const CoordinateMap::Entry at = entry_of(model, static_cast<int>(k));
    damping[static_cast<std::size_t>(at.index)] += at.multiplier * at.multiplier * physics[k].damping;
  }
  return damping;
}

/// By entry of v: D of what is damped at the velocity after a step, the hold's and the joint's own.
std::vector<double> implicit_damping(const Model& model, const ForwardSimulation& motion, const std::vector<double>& own) {
  std::vector<double> damping(own.size(), 0.0);
  if (motion.integrator != Integrator::implicit_velocity) return damping;
  for (const Joint& joint : model.joints)
    if (joint.nv == 1) damping[static_cast<std::size_t>(joint.v)] = motion.kd + own[static_cast<std::size_t>(joint.v)];
  return damping;
}

/// The model whose armature holds h D: M a = τ(v) − h D a − … is (M + h D) a = τ(v) − …. With mimic joints, at their leaders.
Model with_implicit_damping(const Model& model, const std::vector<double>& damping, double h) {
  const Model& tree = model.tree();
  Model damped = tree;
  for (const Joint& joint : model.joints) {
    if (joint.nv != 1 || damping[static_cast<std::size_t>(joint.v)] == 0) continue;
    const auto k = static_cast<std::size_t>(tree.joints[static_cast<std::size_t>(&joint - model.joints.data())].v);
    JointPhysics physics = tree.physics.empty() ? JointPhysics() : tree.physics[k];
    physics.armature += damping[static_cast<std::size_t>(joint.v)] * h;
    set_joint_physics(damped, joint.name, physics);
  }
  return model.coordinate_map ? coupled(damped, model.coordinate_map->couplings) : damped;
}

ConstraintOptions warm_start(const std::vector<int>& order) {
  ConstraintOptions options;
  options.warm = true;
  options.order = order;
  return options;
}

/// What damping and friction hold back, Gᵀ of each joint's own.
void joint_loads(const Model& model, const std::vector<double>& v, std::vector<double>& load) {
  const std::vector<JointPhysics>& physics = model.tree().physics;
  std::fill(load.begin(), load.end(), 0.0);
  for (std::size_t k = 0; k < physics.size(); ++k) {
    const CoordinateMap::Entry at = entry_of(model, static_cast<int>(k));
    const auto i = static_cast<std::size_t>(at.index);
    load[i] += at.multiplier * joint_load(physics[k], at.multiplier * v[i]);
  }
}

/// A state, and what is found at it.
struct Instant {
  explicit Instant(const Model& model)
      : q(static_cast<std::size_t>(model.nq)),
        v(static_cast<std::size_t>(model.nv)),
        a(v.size()),
        tau(v.size(), 0.0),
        load(v.size(), 0.0) {}
  std::vector<double> q, v, a, tau;
  std::vector<double> load;  // what the joints hold back
};

class Run {
 public:
  Run(const Model& robot, const ConstraintSet& set, const ForwardSimulation& motion)
      : robot_(robot),
        motion_(motion),
        h_(1 / motion.rate),
        own_damping_(own_damping(robot)),
        damping_(implicit_damping(robot, motion, own_damping_)),
        model_(with_implicit_damping(robot, damping_, h_)),
        dynamics_(model_, set, warm_start(motion.order)),
        loops_(robot, set),
        balance_(robot),
        columns_(forward_columns(robot, dynamics_)),
        now_(robot),
        stage_(robot),
        lambda_(dynamics_.force_columns().size()),
        gap_(dynamics_.gap_columns().size()),
        loop_gaps_(loops_.names().size()),
        off_(now_.v),
        mean_(now_.v),
        wished_q_(now_.v),
        wished_v_(now_.v),
        wished_tau_(now_.v),
        coordinate_(now_.v.size(), -1) {
    for (const Joint& joint : robot.joints)
      if (joint.nv == 1) coordinate_[static_cast<std::size_t>(joint.v)] = joint.q;
    now_.q = motion.q, now_.v = motion.v;
  }

  SimulationEnd operator()(const MotionSink& sink) {
    end_.loops = !loop_gaps_.empty();
    std::string why = motion_.project ? closed() : "";
    for (long k = 0; k < motion_.rows; ++k) {
      const double t = static_cast<double>(k) / motion_.rate;
      if (why.empty()) why = diverged();
      if (why.empty()) why = accelerations(t, now_);
      if (!why.empty()) {
        end_.row = k, end_.why = why;
        break;
      }
      why = account(t);
      if (!why.empty()) {
        end_.row = k, end_.why = why;
        break;
      }
      write(k, t, sink);
      why = motion_.integrator == Integrator::runge_kutta ? runge_kutta_step(t) : euler_step();
      if (why.empty() && motion_.project) why = closed();
    }
    return end_;
  }

 private:
  /// τ = kp (q* − q) + kd (v* − v) + τ*, within its limits.
  void torques(double t, Instant& x) {
    difference(robot_, x.q.data(), motion_.q.data(), off_.data());
    const bool led = !motion_.targets.time.empty();
    if (led) motion_.targets.at(t, wished_q_.data(), wished_v_.data(), wished_tau_.data());
    for (std::size_t i = robot_.floating() ? 6 : 0; i < x.v.size(); ++i) {
      if (led && std::isfinite(wished_q_[i])) off_[i] = wished_q_[i] - x.q[static_cast<std::size_t>(coordinate_[i])];
      x.tau[i] = motion_.kp * off_[i] - motion_.kd * x.v[i];
      if (led) x.tau[i] += motion_.kd * wished_v_[i] + wished_tau_[i];
      if (motion_.effort_limits.empty()) continue;
      x.tau[i] = std::max(-motion_.effort_limits[i], std::min(x.tau[i], motion_.effort_limits[i]));
    }
  }

  /// a, τ, load, λ and gaps at a state; or why there are none.
  std::string accelerations(double t, Instant& x) {
    torques(t, x);
    const ConstraintStatus status =
        dynamics_.forward(x.q.data(), x.v.data(), x.tau.data(), nullptr, x.a.data(), lambda_.data(), gap_.data());
    if (!status.ok()) return dynamics_.describe(status);
    joint_loads(robot_, x.v, x.load);
    return "";
  }

  std::string diverged() const {
    for (std::size_t i = 0; i < now_.v.size(); ++i)
      if (!(std::abs(now_.v[i]) < runaway))
        return "the motion grows without bound: dq." + velocity_names(robot_)[i] + " is " + number_text(now_.v[i]) +
               "; expected a shorter step (--rate), or --integrator implicit-velocity (damping, --hold) or runge-kutta (fast "
               "turns)";
    return "";
  }

  std::string closed() {
    const ProjectionStatus status = loops_.project(now_.q.data(), now_.v.data());
    return status.ok() ? "" : loops_.describe(status);
  }

  std::string account(double t) {
    balance_.at(now_.q.data(), now_.v.data());
    const EnergyAccount& energy = balance_.account();
    if (!std::isfinite(energy.drift())) return "the energy, or a work, is not finite";
    end_.energy = energy;
    if (const double drift = std::abs(end_.energy.drift()); drift > end_.drift.size) end_.drift = {drift, t, ""};
    loops_.gaps(now_.q.data(), loop_gaps_.data());
    for (std::size_t k = 0; k < loop_gaps_.size(); ++k)
      if (loop_gaps_[k] > end_.gap.size) end_.gap = {loop_gaps_[k], t, loops_.names()[k]};
    return "";
  }

  void write(long k, double t, const MotionSink& sink) {
    row_.assign(1, t);
    for (const auto* part : {&now_.q, &now_.v, &now_.a, &now_.tau, &lambda_, &gap_})
      row_.insert(row_.end(), part->begin(), part->end());
    sink({k, columns_, row_.data(), end_.energy, loop_gaps_});
  }

  /// The work of a step is that of its forces along the mean of both velocities, which is exact where M does not change.
  std::string euler_step() {
    stage_ = now_;
    semi_implicit_step(robot_, h_, now_.q.data(), now_.v.data(), now_.a.data());
    for (std::size_t i = 0; i < mean_.size(); ++i) {
      mean_[i] = 0.5 * (stage_.v[i] + now_.v[i]);
      if (damping_[i] == 0) continue;
      // both act at v + h a
      stage_.tau[i] -= h_ * motion_.kd * stage_.a[i], stage_.load[i] += h_ * own_damping_[i] * stage_.a[i];
    }
    work(h_, mean_, stage_);
    return "";
  }

  /// k1 to k4 with weights 1/6, 1/3, 1/3, 1/6, for the work as for the state; positions as q ⊕ θ, θ from zero on.
  std::string runge_kutta_step(double t) {
    constexpr double reach[] = {0, 0.5, 0.5, 1}, weight[] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    std::vector<double> dq(now_.v.size(), 0.0), dv(dq), rate(now_.v);
    for (std::size_t s = 0; s < 4; ++s) {
      Instant next = now_;
      if (s > 0) {
        for (std::size_t i = 0; i < mean_.size(); ++i) {
          mean_[i] = reach[s] * h_ * rate[i];
          next.v[i] = now_.v[i] + reach[s] * h_ * stage_.a[i];
        }
        integrate(robot_, now_.q.data(), mean_.data(), next.q.data());
        if (const std::string why = accelerations(t + reach[s] * h_, next); !why.empty()) return why;
        exponential_rate(robot_, mean_.data(), next.v.data(), rate.data());
      }
      stage_ = next;
      work(weight[s] * h_, stage_.v, stage_);
      for (std::size_t i = 0; i < dq.size(); ++i) dq[i] += weight[s] * h_ * rate[i], dv[i] += weight[s] * h_ * stage_.a[i];
    }
    integrate(robot_, now_.q.data(), dq.data(), now_.q.data());
    for (std::size_t i = 0; i < dv.size(); ++i) now_.v[i] += dv[i];
    return "";
  }

  void work(double h, const std::vector<double>& along, const Instant& x) {
    balance_.add(h, along.data(), x.q.data(), x.v.data(), x.a.data(), {x.tau.data(), x.load.data()});
  }

  const Model& robot_;
  const ForwardSimulation& motion_;
  double h_;
  std::vector<double> own_damping_, damping_;
  Model model_;  // with h D
  ConstrainedDynamics dynamics_;
  LoopProjection loops_;
  EnergyBalance balance_;
  std::vector<std::string> columns_;
  Instant now_, stage_;
  std::vector<double> lambda_, gap_, loop_gaps_;
  std::vector<double> off_, mean_, wished_q_, wished_v_, wished_tau_;  // nv
  std::vector<int> coordinate_;                                        // in q, by entry of v; -1: of a joint with several
  std::vector<double> row_;
  SimulationEnd end_;
};

}  // namespace

SimulationEnd simulate_forward(const Model& model, const ConstraintSet& set, const ForwardSimulation& simulation,
                               const MotionSink& sink) {
  if (const auto misfit = integrator_misfit(model, simulation))
    throw std::invalid_argument(misfit->found + "; expected " + misfit->expected);
  return Run(model, set, simulation)(sink);
}

}  // namespace sparsedyn
