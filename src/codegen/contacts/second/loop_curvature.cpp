#include "loop_curvature.hpp"

#include <algorithm>
#include <cmath>

#include "codegen/contacts/contact_frames.hpp"
#include "codegen/contacts/loops/loop_rows.hpp"
#include "codegen/differentiate/program_derivatives.hpp"
#include "codegen/differentiate/replayed_program.hpp"
#include "codegen/differentiate/tangent_move.hpp"
#include "codegen/programs/coupled_vectors.hpp"
#include "system/names.hpp"

namespace sparsedyn {
namespace {

using LinkVector = Vec3<Expr>;

/// How a loop is at the state itself: numbers of `loops` and of `loop_bends`.
struct LoopHere {
  const Expr *loops, *bends;
  const Expr* stiffness() const { return bends; }  // K and two derivatives
  const Expr* softness() const { return bends + 3; }
  const Expr* quaternion() const { return bends + 5; }
};

/// Of a loop's rows φ, w = J μ, and of m what φ's stiffness does not make: φ̈ + B φ̇.
struct RowNumbers {
  ExprVector error, tested, rest;
};

/// A point of a link, or of the world, and its link's motions at the rates μ, v and a.
struct PairEnd {
  Pose<Expr> frame;
  Column tested{}, velocity{}, acceleration{};

  static LinkVector moves(const Column& m) { return {{m[3], m[4], m[5]}}; }
  LinkVector speed(const Column& motion) const { return moves(motion) + cross(turning(motion), frame.d); }
  LinkVector change() const { return speed(acceleration) + cross(turning(velocity), speed(velocity)); }
};

/// The quaternion u0 ∘ δu of R0 δR: δu, near one, from δR.
struct MovedQuaternion {
  Expr scalar;
  LinkVector e;

  MovedQuaternion(const Mat3<Expr>& from, const Expr* u, const Mat3<Expr>& to) {
    using std::sqrt;
    const Mat3<Expr> R = transpose(from) * to;
    const Expr half = Expr(0.5) * sqrt(Expr(1.0) + R(0, 0) + R(1, 1) + R(2, 2)), by = Expr(0.25) / half;
    const LinkVector turned{{by * (R(2, 1) - R(1, 2)), by * (R(0, 2) - R(2, 0)), by * (R(1, 0) - R(0, 1))}},
        e0{{u[0], u[1], u[2]}};
    scalar = u[3] * half - dot(e0, turned);
    e = u[3] * turned + half * e0 + cross(e0, turned);
  }
  /// G x, by which ė = G ω.
  LinkVector rate(const LinkVector& x) const { return Expr(0.5) * (scalar * x - cross(e, x)); }
};

void add(ExprVector& to, const LinkVector& x) {
  for (int k = 0; k < 3; ++k) to.push_back(x[k]);
}

double damping_of(const RowBlock& loop) { return loop.hard ? 2 * loop.omega : loop.pull.B; }

/// Loops of a robot that has moved from where `turn` stands.
class MovedLoops {
 public:
  MovedLoops(const Model& model, const ExprVector& turn, const ExprVector& q, const ExprVector& v, const ExprVector& a,
             const ExprVector& mu)
      : model_(model),
        frames_(model, q, v),
        tested_(frames_.motions(model, mu)),
        pushed_(frames_.motions(model, a)),
        q_(model.coordinate_map ? positions(*model.coordinate_map, q) : q),
        v_(v),
        a_(a),
        mu_(mu) {
    Mat3<Expr> from;
    for (int k = 0; k < 9; ++k) from(k / 3, k % 3) = turn[place(k)];
    turn_ = transpose(from) * frames_.world().R;
  }

  RowNumbers of(const RowBlock& loop, const LoopHere& here) const {
    return loop.type == ConstraintType::joint ? coupling(loop) : pair(loop, here);
  }

  /// G R2ᵀ x of a weld, x along the axes of the state itself.
  LinkVector row_multipliers(const RowBlock& weld, const LoopHere& here, const Expr* x) const {
    const LinkVector still{{x[0], x[1], x[2]}}, along = frames_.turns() ? transposed_times(turn_, still) : still;
    const Mat3<Expr> R2 = end(weld, 1).frame.R;
    return relative_turn(here, end(weld, 0).frame.R, R2).rate(transposed_times(R2, along));
  }

 private:
  PairEnd end(const RowBlock& loop, int k) const {
    PairEnd x;
    const int link = loop.link[k], body = link < 0 ? -1 : model_.links[place(link)].body;
    x.frame = (link < 0 ? inverse(frames_.world()) : frames_.link(link)) * cast<Expr>(loop.frames[k]);
    if (body < 0) return x;
    x.tested = tested_[place(body)], x.velocity = frames_.velocity(body);
    x.acceleration = sum(pushed_[place(body)], frames_.acceleration(body));
    return x;
  }
  /// Along the axes of the state itself.
  LinkVector still(const LinkVector& x) const { return frames_.turns() ? turn_ * x : x; }

  RowNumbers pair(const RowBlock& loop, const LoopHere& here) const {
    const PairEnd one = end(loop, 0), other = end(loop, 1);
    const Expr B(damping_of(loop));
    RowNumbers rows;
    add(rows.error, still(one.frame.d - other.frame.d));
    add(rows.tested, still(one.speed(one.tested) - other.speed(other.tested)));
    add(rows.rest, still(one.change() - other.change() + B * (one.speed(one.velocity) - other.speed(other.velocity))));
    if (loop.rows == 6) add_turn(one, other, here, B, rows);
    return rows;
  }

  static MovedQuaternion relative_turn(const LoopHere& here, const Mat3<Expr>& R1, const Mat3<Expr>& R2) {
    Mat3<Expr> from;
    for (int k = 0; k < 9; ++k) from(k / 3, k % 3) = here.loops[9 + k];
    return {from, here.quaternion(), transpose(R2) * R1};
  }

  static void add_turn(const PairEnd& one, const PairEnd& other, const LoopHere& here, const Expr& B, RowNumbers& rows) {
    const Mat3<Expr>& R2 = other.frame.R;
    const MovedQuaternion u = relative_turn(here, one.frame.R, R2);
    const LinkVector w2 = transposed_times(R2, turning(other.velocity)), w = transposed_times(R2, turning(one.velocity)) - w2,
                     change = transposed_times(R2, turning(one.acceleration) - turning(other.acceleration)) - cross(w2, w),
                     rate = u.rate(w);
    add(rows.error, u.e);
    add(rows.tested, u.rate(transposed_times(R2, turning(one.tested) - turning(other.tested))));
    add(rows.rest, u.rate(change) - Expr(0.25) * dot(w, u.e) * w - Expr(0.5) * cross(rate, w) + B * rate);
  }

  /// φ = q_j − p(q_of) − Σ c_k q_k.
  RowNumbers coupling(const RowBlock& loop) const {
    const bool follows = loop.freedom[1] >= 0;
    const auto rate = [&](int k, const ExprVector& x) { return Expr(loop.ratio[k]) * x[place(loop.freedom[k])]; };
    const Expr x = follows ? q_[place(loop.coordinate[1])] : Expr(0.0);
    Expr p(0.0), slope(0.0), curvature(0.0);
    for (std::size_t k = loop.polynomial.size(); k-- > 0;) {
      curvature = curvature * x + Expr(2.0) * slope;
      slope = slope * x + p;
      p = p * x + Expr(loop.polynomial[k]);
    }
    const auto along = [&](const ExprVector& rates) {  // J
      Expr sum = rate(0, rates);
      if (follows) sum = sum - slope * rate(1, rates);
      for (const LinearTerm& term : loop.linear) sum = sum - Expr(term.factor * term.ratio) * rates[place(term.freedom)];
      return sum;
    };
    Expr error = q_[place(loop.coordinate[0])] - p, rest = along(a_) + Expr(damping_of(loop)) * along(v_);
    for (const LinearTerm& term : loop.linear) error = error - Expr(term.factor) * q_[place(term.coordinate)];
    if (loop.hard && follows) rest = rest - curvature * rate(1, v_) * rate(1, v_);  // MuJoCo leaves it out
    return {{error}, {along(mu_)}, {rest}};
  }

  const Model& model_;
  const Frames frames_;
  const std::vector<Column> tested_, pushed_;
  const ExprVector q_;  // of the tree
  const ExprVector &v_, &a_, &mu_;
  Mat3<Expr> turn_;
};

/// (|φ|² − |φ₀|²)/2: zero at the state itself.
Expr grown(const RowBlock& loop, const LoopHere& here, const ExprVector& error) {
  Expr sum;
  for (int r = 0; r < loop.rows; ++r) {
    const Expr& before = r < 3 ? here.loops[r] : here.quaternion()[r - 3];
    sum += error[place(r)] * error[place(r)] - before * before;
  }
  return Expr(0.5) * sum;
}

/// x0 + x1 t + x2 t²/2.
Expr to_second_order(const Expr* x, const Expr& t) { return x[0] + t * (x[1] + Expr(0.5) * t * x[2]); }

/// Uses each loop's numbers at the state itself; LoopPlace: where its rows begin, and those of `loops`.
template <class Use>
void for_each_loop(const ContactLayout& layout, const ExprVector& loops, const ExprVector& bends, Use use) {
  const std::vector<LoopPlace> places = loop_places(layout);
  std::size_t bend = 0;
  for (std::size_t l = 0; l < layout.loops.size(); ++l) {
    use(*layout.loops[l], LoopHere{loops.data() + places[l].number, bends.data() + bend}, places[l]);
    bend += place(bends_of(*layout.loops[l]));
  }
}

std::size_t all_bends(const ContactLayout& layout) {
  int sum = 0;
  for (const RowBlock* loop : layout.loops) sum += bends_of(*loop);
  return place(sum);
}

/// w of all rows, one loop after the other, as a program of its own: q, delta, mu, loops, turn, loop_bends.
Program tested_rows(const Model& model, const ContactLayout& layout) {
  Recorder recorder;
  const std::vector<std::string> names = velocity_names(model);
  const ExprVector q = recorder.coordinates(model), delta = recorder.input("delta", prefixed("delta.", names)),
                   mu = recorder.input("mu", prefixed("mu.", names)), none(names.size());
  const LoopPorts at(recorder, layout);
  const MovedLoops moved(model, at.turn, tangent_move(model, q, delta), none, none, mu);
  Values all;
  for_each_loop(layout, at.loops, at.bends, [&](const RowBlock& loop, const LoopHere& here, const LoopPlace&) {
    for (const Expr& w : moved.of(loop, here).tested) all.add(w);
  });
  output(recorder, "w", all);
  return recorder.unfactored();
}

/// Changes of a program whose second input is delta along each of its entries.
std::vector<PortValues> along_freedoms(const Program& change, const PortValues& at, std::size_t freedoms) {
  std::vector<PortValues> all;
  for (std::size_t k = 0; k < freedoms; ++k) {
    PortValues inputs = at;
    for (const ExprVector& x : at) inputs.emplace_back(x.size());
    inputs[at.size() + 1][k] = Expr(1.0);
    all.push_back(ReplayedProgram(change, inputs).results());
  }
  return all;
}

/// η of the turning rows of all welds, and Σ f η: q, delta, LoopPorts, loop_eta.
Program weld_multipliers(const Model& model, const ContactLayout& layout, bool summed) {
  Recorder recorder;
  const std::vector<std::string> names = velocity_names(model);
  const ExprVector q = recorder.coordinates(model), delta = recorder.input("delta", prefixed("delta.", names)),
                   none(names.size());
  const LoopPorts at(recorder, layout);
  const ExprVector eta = recorder.input("loop_eta", numbered("loop_eta", 3 * welds_of(layout)));
  const MovedLoops moved(model, at.turn, tangent_move(model, q, delta), none, none, none);
  Values rows;
  Expr sum;
  for_each_loop(layout, at.loops, at.bends, [&](const RowBlock& loop, const LoopHere& here, const LoopPlace& first) {
    if (loop.rows != 6) return;
    const LinkVector own = moved.row_multipliers(loop, here, eta.data() + rows.all.size());
    for (int r = 0; r < 3; ++r) sum += at.force[place(first.row + 3 + r)] * own[r];
    rows.add(own);
  });
  if (summed) recorder.output("l", {"l"}, {sum});
  if (!summed) output(recorder, "eta", rows);
  return recorder.unfactored();
}

}  // namespace

std::size_t welds_of(const ContactLayout& layout) {
  const auto weld = [](const RowBlock* loop) { return loop->rows == 6; };
  return place(static_cast<int>(std::count_if(layout.loops.begin(), layout.loops.end(), weld)));
}

Program moment_multipliers(const Model& model, const ContactLayout& layout) {
  Recorder outer;
  const ExprVector q = outer.coordinates(model);
  const std::size_t n = place(model.nv);
  const LoopPorts ports(outer, layout);
  PortValues at{q, ExprVector(n)};
  for (const ExprVector& x : ports.values()) at.push_back(x);
  at.push_back(outer.input("loop_eta", numbered("loop_eta", 3 * welds_of(layout))));
  const std::vector<PortValues> turned = along_freedoms(forward_derivative(weld_multipliers(model, layout, false)), at, n);
  at.push_back({Expr(1.0)});  // times_l
  const Program gradient = reverse_derivative(weld_multipliers(model, layout, true)).only({"slope_delta"});
  const std::vector<PortValues> bent = along_freedoms(forward_derivative(gradient, 2), at, n);
  Values turns, bends;
  std::size_t row = 0;
  for (const RowBlock* loop : layout.loops) {
    if (loop->rows != 6) continue;
    for (int freedom : loop->freedoms)
      for (std::size_t r = 0; r < 3; ++r) turns.add(turned[place(freedom)][0][row + r]);
    row += 3;
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k <= i; ++k) bends.add(bent[k][0][i]);
  output(outer, "eta_turns", turns), output(outer, "eta_bends", bends);
  return outer.program();
}

int bends_of(const RowBlock& loop) { return loop.rows == 6 ? 9 : 5; }

LoopPorts::LoopPorts(Recorder& recorder, const ContactLayout& layout) {
  const auto read = [&](const std::string& port, std::size_t length) { return recorder.input(port, numbered(port, length)); };
  const LoopPlace past = loop_places(layout).back();
  loops = read("loops", place(past.number)), turn = read("turn", 9), bends = read("loop_bends", all_bends(layout));
  force = read("loop_force", place(past.row)), nu = read("loop_nu", place(past.row));
}

Expr loop_share(const Model& model, const ContactLayout& layout, const LoopPorts& at, const ExprVector& q, const ExprVector& v,
                const ExprVector& a, const ExprVector& mu) {
  const MovedLoops moved(model, at.turn, q, v, a, mu);
  Expr share;
  for_each_loop(layout, at.loops, at.bends, [&](const RowBlock& loop, const LoopHere& here, const LoopPlace& first) {
    const RowNumbers rows = moved.of(loop, here);
    const Expr t = grown(loop, here, rows.error), K = loop.hard ? here.stiffness()[0] : to_second_order(here.stiffness(), t);
    for (int r = 0; r < loop.rows; ++r) {
      const std::size_t row = place(first.row + r), k = place(r);
      share += rows.tested[k] * at.force[row] - at.nu[row] * (rows.rest[k] + K * rows.error[k]);
    }
    if (!loop.hard) share -= t * (here.softness()[0] + Expr(0.5) * t * here.softness()[1]);
  });
  return share;
}

Program loop_turns(const Model& model, const ContactLayout& layout) {
  Recorder outer;
  const ExprVector q = outer.coordinates(model), mu = outer.input("mu", prefixed("mu.", velocity_names(model)));
  const LoopPorts ports(outer, layout);
  const Program change = forward_derivative(tested_rows(model, layout));
  PortValues at{q, ExprVector(mu.size()), mu};
  for (const ExprVector& x : ports.values()) at.push_back(x);
  const std::vector<PortValues> by_freedom = along_freedoms(change, at, mu.size());
  Values all;
  for_each_loop(layout, ports.loops, ports.bends, [&](const RowBlock& loop, const LoopHere&, const LoopPlace& first) {
    for (int freedom : loop.freedoms)
      for (int r = 0; r < loop.rows; ++r) all.add(by_freedom[place(freedom)][0][place(first.row + r)]);
  });
  output(outer, "loop_turns", all);
  return outer.program();
}

}  // namespace sparsedyn
