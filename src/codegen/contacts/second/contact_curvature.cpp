#include "contact_curvature.hpp"

#include "codegen/contacts/contact_frames.hpp"
#include "codegen/contacts/contact_slopes.hpp"
#include "codegen/differentiate/program_derivatives.hpp"
#include "codegen/differentiate/replayed_program.hpp"
#include "codegen/differentiate/tangent_move.hpp"
#include "codegen/programs/expr_vector.hpp"
#include "codegen/programs/wrench_inputs.hpp"
#include "loop_curvature.hpp"
#include "sparsedyn/dynamics/second_derivatives.hpp"
#include "system/names.hpp"

namespace sparsedyn {
namespace {

using Vector = ExprVector;

/// s of all contacts.
struct TouchNumbers {
  Vector w, p, r;
};

/// Products of a motion with a contact's rows: the speeds, along the axes of its plane, of the point half-way between the
/// surfaces, then the turns about these axes.
void add_products(const Column& motion, const Vec3<Expr>& arm, const std::array<Vec3<Expr>, 3>& axes, int directions,
                  Vector& to) {
  const Vec3<Expr> turn{{motion[0], motion[1], motion[2]}}, shift{{motion[3], motion[4], motion[5]}};
  const Vec3<Expr> speed = shift + cross(turn, arm);
  for (int k = 0; k < directions; ++k) to.push_back(dot(axes[place(k % 3)], k < 3 ? speed : turn));
}

TouchNumbers touch_numbers(const Model& model, const ContactLayout& layout, const Vector& q, const Vector& v, const Vector& a,
                           const Vector& mu) {
  const Frames frames(model, q, v);
  const std::vector<Column> tested = frames.motions(model, mu), pushed = frames.motions(model, a);
  TouchNumbers all;
  for (std::size_t c = 0; c < layout.contacts.size(); ++c) {
    const RowBlock& contact = *layout.contacts[c];
    const int body = layout.bodies[place(layout.contact_body[c])];
    std::array<Vec3<Expr>, 3> axes;
    for (int k = 0; k < 3; ++k) {
      const Vec3<double> axis{{contact.plane(k, 0), contact.plane(k, 1), contact.plane(k, 2)}};
      axes[place(k)] = transposed_times(frames.world().R, cast<Expr>(axis));
    }
    const Pose<Expr> link = frames.link(contact.link[0]);
    const Vec3<Expr> centre = link.R * cast<Expr>(contact.point) + link.d;
    const Vec3<double> n{{contact.plane(0, 0), contact.plane(0, 1), contact.plane(0, 2)}};
    const Expr gap =
        dot(axes[0], centre) + dot(cast<Expr>(n), frames.world().d) - Expr(dot(n, contact.plane_point) + contact.radius);
    const Vec3<Expr> arm = centre - (Expr(contact.radius) + Expr(0.5) * gap) * axes[0];
    add_products(tested[place(body)], arm, axes, contact.directions(), all.w);
    const Column u = sum(sum(pushed[place(body)], frames.drift(body)), scaled(Expr(contact.pull.B), frames.velocity(body)));
    add_products(u, arm, axes, contact.directions(), all.p);
    all.r.push_back(gap - Expr(contact.margin));
  }
  return all;
}

/// A function's inputs on a recorder of its own: q ⊕ δ, v, a, μ.
struct TouchState {
  TouchState(Recorder& recorder, const Model& model) {
    const std::vector<std::string> names = velocity_names(model);
    q = recorder.coordinates(model), delta = recorder.input("delta", prefixed("delta.", names));
    v = recorder.input("v", prefixed("v.", names)), a = recorder.input("a", prefixed("a.", names));
    mu = recorder.input("mu", prefixed("mu.", names));
  }
  TouchNumbers numbers(const Model& model, const ContactLayout& layout) const {
    return touch_numbers(model, layout, tangent_move(model, q, delta), v, a, mu);
  }
  Expr share(const Model& model, const ContactLayout& layout, const LoopPorts& at) const {
    return loop_share(model, layout, at, tangent_move(model, q, delta), v, a, mu);
  }
  Vector q, delta, v, a, mu;
};
enum TouchInput { at_q, at_delta, at_v, at_a };
constexpr TouchInput moving[] = {at_delta, at_v, at_a};

/// The inputs of both stages.
struct StageState {
  StageState(Recorder& recorder, const Model& model, bool wrenches) {
    const std::vector<std::string> names = velocity_names(model);
    q = recorder.coordinates(model), v = recorder.input("dq", prefixed("dq.", names));
    MinimalFormulation on_model;
    on_model.minimal = false;
    fx = WrenchInputs(recorder, model, on_model, wrenches);
    a = recorder.input("ddq", prefixed("ddq.", names)), mu = recorder.input("mu", prefixed("mu.", names));
  }
  PortValues values() const { return {q, Vector(v.size()), v, a, mu}; }
  Vector q, v, a, mu;
  WrenchInputs fx;
};

/// Outputs of a directional derivative where entry `k` of the input `argument` moves.
PortValues along(const Program& change, const PortValues& at, TouchInput argument, std::size_t k) {
  PortValues inputs = at;
  for (const Vector& x : at) inputs.emplace_back(x.size());
  inputs[at.size() + argument][k] = Expr(1.0);
  return ReplayedProgram(change, inputs).results();
}

/// Where the numbers of each contact begin in a list by directions.
std::vector<std::size_t> first_directions(const ContactLayout& layout) {
  std::vector<std::size_t> all{0};
  for (const RowBlock* contact : layout.contacts) all.push_back(all.back() + place(contact->directions()));
  return all;
}

/// ψ_s · s and the share of the loops as a program of its own, differentiated backwards: ∂/∂δ, ∂/∂v, ∂/∂a.
Program pulled_gradient(const Model& model, const ContactLayout& layout) {
  Recorder recorder;
  const TouchState state(recorder, model);
  const TouchNumbers s = state.numbers(model, layout);
  Expr sum;
  for (const auto& [name, numbers] : {std::pair("on_w", &s.w), {"on_p", &s.p}, {"on_r", &s.r}}) {
    const Vector on = recorder.input(name, numbered(name, numbers->size()));
    for (std::size_t k = 0; k < on.size(); ++k) sum += on[k] * (*numbers)[k];
  }
  if (!layout.loops.empty()) sum += state.share(model, layout, LoopPorts(recorder, layout));
  recorder.output("l", {"l"}, {sum});
  return reverse_derivative(recorder.unfactored()).only({"slope_delta", "slope_v", "slope_a"});
}

/// −ψ_s ∂²s − ∂² loop_share, with μᵀ∂²ID where `of` says.
enum class Bending { of_constraints, of_all };
Program curvature_program(const Model& model, const ContactLayout& layout, bool wrenches, Bending of) {
  Recorder outer;
  const StageState state(outer, model, wrenches);
  const std::size_t n = state.v.size();
  Vector qq(n * n), qv(qq), vv(qq), Mq(qq);
  ContractionWorkspace<Expr> work(model);
  if (of == Bending::of_all)
    rnea_contraction(model, work, state.q.data(), state.v.data(), state.a.data(), state.fx.on_bodies(), state.mu.data(),
                     Contraction<Expr>{qq.data(), qv.data(), vv.data(), Mq.data()});

  const Program gradient = pulled_gradient(model, layout), change = forward_derivative(gradient, 2);
  PortValues at = state.values();
  const std::size_t directions = first_directions(layout).back();
  at.push_back(outer.input("on_w", numbered("on_w", directions))),
      at.push_back(outer.input("on_p", numbered("on_p", directions)));
  at.push_back(outer.input("on_r", numbered("on_r", layout.contacts.size())));
  if (!layout.loops.empty())
    for (const ExprVector& x : LoopPorts(outer, layout).values()) at.push_back(x);
  at.push_back({Expr(1.0)});  // times_l
  std::vector<PortValues> by_q, by_v;
  for (std::size_t k = 0; k < n; ++k)
    by_q.push_back(along(change, at, at_delta, k)), by_v.push_back(along(change, at, at_v, k));
  Values of_qq, of_vq, of_vv, of_aq;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k) {
      of_vq.add(qv[k * n + i] - by_q[k][1][i]), of_aq.add(Mq[i * n + k] - by_q[k][2][i]);
      if (k > i) continue;
      const Expr &ik = qq[i * n + k], &ki = qq[k * n + i];
      of_qq.add((ik.ref() == ki.ref() ? ik : Expr(0.5) * (ik + ki)) - by_q[k][0][i]);
      of_vv.add(vv[i * n + k] - by_v[k][1][i]);
    }
  output(outer, "qq", of_qq), output(outer, "vq", of_vq), output(outer, "vv", of_vv), output(outer, "aq", of_aq);
  return outer.program();
}

}  // namespace

Program touch_slopes(const Model& model, const ContactLayout& layout) {
  Recorder outer;
  const StageState state(outer, model, false);
  const Program numbers = [&] {
    Recorder recorder;
    const TouchState inner(recorder, model);
    const TouchNumbers s = inner.numbers(model, layout);
    for (const auto& [name, values] : {std::pair("w", &s.w), {"p", &s.p}, {"r", &s.r}})
      recorder.output(name, numbered(name, values->size()), *values);
    return recorder.unfactored();
  }();
  const Program change = forward_derivative(numbers);
  const std::size_t n = state.v.size(), width = place(SlopePorts::width(model));
  const std::vector<std::size_t> first = first_directions(layout);
  std::vector<Vector> slopes(2 * first.back() + layout.contacts.size(), Vector(width));  // rows in the order of the output
  for (std::size_t part = 0; part < 3; ++part)
    for (std::size_t k = 0; k < n; ++k) {
      const PortValues by = along(change, state.values(), moving[part], k);
      for (std::size_t c = 0, row = 0; c < layout.contacts.size(); ++c) {
        for (std::size_t kind = 0; kind < 2; ++kind)
          for (std::size_t e = first[c]; e < first[c + 1]; ++e) slopes[row++][part * n + k] = by[kind][e];
        slopes[row++][part * n + k] = by[2][c];
      }
    }
  Values w, all;
  w.all = ReplayedProgram(numbers, state.values()).results()[0];
  for (const Vector& row : slopes) all.all.insert(all.all.end(), row.begin(), row.end());
  output(outer, "w", w), output(outer, "touch_slopes", all);
  return outer.program();
}

Program touch_curvature(const Model& model, const ContactLayout& layout, bool wrenches) {
  return curvature_program(model, layout, wrenches, Bending::of_all);
}

Program constraint_curvature(const Model& model, const ContactLayout& layout) {
  return curvature_program(model, layout, false, Bending::of_constraints);
}

}  // namespace sparsedyn
