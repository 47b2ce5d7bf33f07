#include "runge_kutta_stage.hpp"

#include <algorithm>

#include "codegen/differentiate/joint_tangent.hpp"
#include "codegen/differentiate/reverse_sweep.hpp"
#include "sparsedyn/model/detail/joint.hpp"

namespace sparsedyn {
namespace {

ExprVector joined(ExprVector a, const ExprVector& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// A vector with its derivatives by z; these are empty where none are wanted.
struct Moving {
  ExprVector x;
  ExprMatrix by_z;
};

/// x + factor · y, dt a factor of the second: (x + c dt y), with ∂/∂dt.
Moving sum(const Moving& x, double c, const Expr& dt, const Moving& y) {
  Moving made = x;
  const Expr factor = Expr(c) * dt;
  for (std::size_t k = 0; k < x.x.size(); ++k) made.x[k] += factor * y.x[k];
  for (std::size_t k = 0; k < x.by_z.size(); ++k) {
    for (std::size_t i = 0; i < x.by_z[k].size(); ++i) made.by_z[k][i] += factor * y.by_z[k][i];
    made.by_z[k].back() += Expr(c) * y.x[k];
  }
  return made;
}

/// Σ slopes · rows of a joint's variables: the first of `a`, then those of `b`.
void push(const Body& body, const std::vector<LocalJet>& results, const ExprMatrix& a, const ExprMatrix& b, ExprMatrix& to) {
  const std::size_t v = place(body.v), m = results.size();
  for (std::size_t r = 0; r < m && !a.empty(); ++r)
    for (std::size_t k = 0; k < 2 * m; ++k) {
      const Expr slope = results[r].slope(k);
      if (slope.ref() == Ref{}) continue;
      const ExprVector& row = k < m ? a[v + k] : b[v + k - m];
      for (std::size_t c = 0; c < row.size(); ++c) to[v + r][c] += slope * row[c];
    }
}

class Method {
 public:
  using Order = RungeKuttaStage::Order;
  Method(const Model& model, const MinimalFormulation& f, const StageInputs& in, Order order)
      : model_(model), f_(f), in_(in), order_(order) {
    q_.x = in.q, v_.x = in.v, rest_.x.resize(in.n());
    if (order == Order::value) return;
    q_.by_z.assign(in.n(), ExprVector(in.size()));
    v_.by_z = rest_.by_z = q_.by_z;
    for (std::size_t k = 0; k < in.n(); ++k) q_.by_z[k][k] = v_.by_z[k][in.n() + k] = Expr(1.0);
  }

  /// q and v behind the step.
  std::pair<Moving, Moving> operator()() {
    constexpr auto& reach = RungeKuttaStage::reach;
    constexpr auto& weight = RungeKuttaStage::weight;
    Evaluation at;
    Moving rate = v_, a = acceleration(q_, v_, at), theta = rest_, v_next = v_;
    for (int s = 0; s < 4; ++s) {
      if (s > 0) {
        const Moving by = sum(rest_, reach[s], in_.dt, rate), v = sum(v_, reach[s], in_.dt, a);
        at = Evaluation();
        a = acceleration(moved(by, at.move), v, at), rate = exponential_rate(by, v, at.rates);
      }
      at.rate = rate.by_z;
      if (order_ != Order::value) evaluations.push_back(at);
      theta = sum(theta, weight[s], in_.dt, rate), v_next = sum(v_next, weight[s], in_.dt, a);
    }
    return {moved(theta, last), v_next};
  }
  std::vector<RungeKuttaStage::Evaluation> evaluations;
  RungeKuttaStage::Move last;

 private:
  using Evaluation = RungeKuttaStage::Evaluation;
  bool curved() const { return order_ == Order::second; }

  /// q ⊕ θ; derivatives are along the tangent there.
  Moving moved(const Moving& theta, RungeKuttaStage::Move& by) const {
    Moving made{q_.x, rest_.by_z};
    by.theta = theta.by_z;
    for (const Body& body : model_.bodies) {
      const JointMove& move = by.joints.emplace_back(moved_joint(body, in_.q, theta.x, curved()));
      std::copy(move.q.begin(), move.q.end(), made.x.begin() + body.q);
      push(body, move.change, q_.by_z, theta.by_z, made.by_z);
    }
    return made;
  }

  Moving exponential_rate(const Moving& theta, const Moving& v, std::vector<std::vector<LocalJet>>& rates) const {
    Moving made = rest_;
    for (const Body& body : model_.bodies) {
      const std::vector<LocalJet>& rate = rates.emplace_back(joint_exponential_rate(body, theta.x, v.x, curved()));
      for (std::size_t k = 0; k < rate.size(); ++k) made.x[place(body.v) + k] = rate[k].value();
      push(body, rate, theta.by_z, v.by_z, made.by_z);
    }
    return made;
  }

  Moving acceleration(const Moving& q, const Moving& v, Evaluation& at) const {
    if (order_ == Order::value) return {forward_dynamics(model_, f_, q.x, v.x, in_.tau, WrenchInputs()), {}};
    const auto forward = std::make_shared<const RecordedForward>(model_, f_, q.x, v.x, in_.tau);
    Moving made{forward->acceleration(), rest_.by_z};
    const std::vector<RecordedForward::Gradient> rows = forward->rows();
    for (std::size_t k = 0; k < rows.size(); ++k) {
      ExprVector& row = made.by_z[k];
      for (std::size_t e = 0; e < rows.size(); ++e)
        for (std::size_t c = 0; c < row.size(); ++c) row[c] += rows[k].q[e] * q.by_z[e][c] + rows[k].v[e] * v.by_z[e][c];
      for (std::size_t c = 0; c < in_.controls; ++c) row[2 * in_.n() + c] += rows[k].tau[in_.n() - in_.controls + c];
    }
    at.forward = forward, at.q = q.by_z, at.v = v.by_z, at.a = made.by_z;
    return made;
  }

  const Model& model_;
  const MinimalFormulation& f_;
  const StageInputs& in_;
  Order order_;
  Moving q_, v_, rest_;  // the state before the step; zero
};

}  // namespace

RungeKuttaStage::RungeKuttaStage(const Model& model, const MinimalFormulation& f, const StageInputs& in, Order order) {
  Method method(model, f, in, order);
  const auto [q, v] = method();
  evaluations = std::move(method.evaluations), last = std::move(method.last);
  next = q.x;
  next.insert(next.end(), v.x.begin(), v.x.end());
  J = q.by_z;
  J.insert(J.end(), v.by_z.begin(), v.by_z.end());
}

ExprVector runge_kutta_gradient(const Model& model, const MinimalFormulation& f, const StageInputs& in) {
  const auto step = [&](Recorder& recorder) {
    const StageInputs own(recorder, model, Multipliers::none);
    output_next(recorder, model, RungeKuttaStage(model, f, own, RungeKuttaStage::Order::value).next);
  };
  const auto split = [](const ExprVector& x, std::size_t at) {
    const auto middle = x.begin() + static_cast<std::ptrdiff_t>(at);
    return std::pair(ExprVector(x.begin(), middle), ExprVector(middle, x.end()));
  };
  const auto [q_next, v_next] = split(RungeKuttaStage(model, f, in, RungeKuttaStage::Order::value).next, in.q.size());
  const auto [lambda_q, lambda_v] = split(in.lambda, in.n());
  const PortValues slopes = reverse_sweep(step, {joined(in.q, in.v), split(in.tau, in.n() - in.controls).second, {in.dt}},
                                          {joined(coordinate_multipliers(model, q_next, lambda_q), lambda_v)});
  const auto [by_q, by_v] = split(slopes[0], in.q.size());
  return joined(joined(joined(tangent_slopes(model, in.q, by_q), by_v), slopes[1]), slopes[2]);
}

}  // namespace sparsedyn
