#include "loop_slopes.hpp"

#include <algorithm>

#include "codegen/programs/coupled_vectors.hpp"
#include "loop_rows.hpp"
#include "sparsedyn/model/detail/joint.hpp"
#include "sparsedyn/scalar/autodiff.hpp"

namespace sparsedyn {
namespace {

using Vector = std::vector<Expr>;
using Moved = Dual<Expr, 1>;  // a number and its change
using MovedVector = Vec3<Moved>;

const Vec3<Expr> none{{Expr(), Expr(), Expr()}};

Vec3<Expr> shifting(const Column& m) { return {{m[3], m[4], m[5]}}; }
MovedVector moved(const Vec3<Expr>& x, const Vec3<Expr>& dx) {
  MovedVector y;
  for (int k = 0; k < 3; ++k) y[k] = Moved(x[k], {dx[k]});
  return y;
}
Vec3<Expr> now(const MovedVector& x) { return {{x[0].x, x[1].x, x[2].x}}; }
Vec3<Expr> change(const MovedVector& x) { return {{x[0].d[0], x[1].d[0], x[2].d[0]}}; }
Moved times(const Moved& a, const Moved& b) { return a * b; }

/// A link under a change of one freedom of the tree.
struct Side {
  Mat3<Moved> R;
  MovedVector point, w, v, turns, pushes;  // velocity and acceleration about the origin
  Vec3<Expr> turn = none;                  // of the frame

  MovedVector speed() const { return v + cross(w, point); }
  MovedVector acceleration() const { return pushes + cross(turns, point) + cross(w, speed()); }
};

/// What ConstraintRows::pair makes of two links, e and `scalar` the quaternion of R2ᵀ R1.
struct Parting {
  Moved scalar;
  MovedVector e, rate, turned, apart, parting, parted;

  MovedVector half_turn(const MovedVector& x, double sign) const {  // G x, or with −1 Gᵀ x
    const MovedVector across = cross(e, x);
    MovedVector y;
    for (int k = 0; k < 3; ++k) y[k] = (scalar * x[k] - across[k] * sign) * 0.5;
    return y;
  }
  Parting(const Side& one, const Side& other, const Expr* u) {
    apart = one.point - other.point, parting = one.speed() - other.speed();
    parted = one.acceleration() - other.acceleration();
    if (!u) return;
    Mat3<Expr> R2;
    for (int k = 0; k < 9; ++k) R2(k / 3, k % 3) = other.R(k / 3, k % 3).x;
    const Vec3<Expr> turn = transposed_times(R2, one.turn - other.turn), e0{{u[0], u[1], u[2]}}, across = cross(e0, turn);
    Vec3<Expr> de;
    for (int k = 0; k < 3; ++k) de[k] = Expr(0.5) * (u[3] * turn[k] - across[k]);
    e = moved(e0, de), scalar = Moved(u[3], {Expr(-0.5) * dot(e0, turn)});
    const MovedVector w2 = transposed_times(other.R, other.w), w = transposed_times(other.R, one.w) - w2,
                      turning = transposed_times(other.R, one.turns - other.turns) - cross(w2, w);
    rate = half_turn(w, 1), turned = half_turn(turning, 1);
    const Moved grows = times(w[0], e[0]) + times(w[1], e[1]) + times(w[2], e[2]);
    const MovedVector across_w = cross(rate, w);
    for (int k = 0; k < 3; ++k) turned[k] = turned[k] - grows * w[k] * 0.25 - across_w[k] * 0.5;
  }
  const Moved& error(int r) const { return r < 3 ? apart[r] : e[r - 3]; }
  const Moved& speed(int r) const { return r < 3 ? parting[r] : rate[r - 3]; }
  const Moved& acceleration(int r) const { return r < 3 ? parted[r] : turned[r - 3]; }
};

/// A loop's numbers by freedom of its block.
struct OfLoop {
  explicit OfLoop(const RowBlock& loop)
      : by_q(size(loop)), by_v(size(loop)), firm(loop.freedoms.size()), turn(3 * firm.size()) {}
  static std::size_t size(const RowBlock& loop) { return loop.freedoms.size() * static_cast<std::size_t>(loop.rows); }
  Vector by_q, by_v, firm, turn;
};

class LoopSlopes {
 public:
  LoopSlopes(const Model& model, const Frames& frames, const Vector& q, const Vector& v, const Vector& a,
             RecordedDerivatives& of)
      : model_(model), tree_(model.tree()), frames_(frames), v_(v), a_(a), of_(of) {
    const CoordinateMap* const map = model.coordinate_map.get();
    q_ = map ? positions(*map, q) : q;
    const Vector rates = map ? tree_of(*map, a) : a;
    for (std::size_t b = 0; b < tree_.bodies.size(); ++b) {
      const Body& body = tree_.bodies[b];
      Column accelerates{};
      if (body.parent >= 0) accelerates = carried_[static_cast<std::size_t>(body.parent)];
      for (int i = body.v; i < body.v + freedoms(body.joint); ++i) {
        leads_.push_back(static_cast<int>(b));
        accelerates = sum(accelerates, scaled(rates[static_cast<std::size_t>(i)], frames.column(i)));
      }
      carried_.push_back(accelerates), acceleration_.push_back(sum(accelerates, frames.acceleration(static_cast<int>(b))));
    }
  }

  OfLoop of(const RowBlock& loop, const Expr* law, const Expr* f) {
    OfLoop slopes(loop);
    if (loop.type == ConstraintType::joint)
      couple(loop, law, f, slopes);
    else
      part(loop, law, f, slopes);
    return slopes;
  }

 private:
  static std::size_t place_of(const RowBlock& loop, int freedom) {
    return static_cast<std::size_t>(std::lower_bound(loop.freedoms.begin(), loop.freedoms.end(), freedom) -
                                    loop.freedoms.begin());
  }
  int body_of(const RowBlock& loop, int k) const {
    return loop.link[k] < 0 ? -1 : model_.links[static_cast<std::size_t>(loop.link[k])].body;
  }
  bool carries(int freedom, int body) const {
    const std::vector<int> way = way_of_body(model_, body);
    return std::find(way.begin(), way.end(), freedom) != way.end();
  }
  Column velocity(int body) const { return body < 0 ? Column{} : frames_.velocity(body); }
  Column acceleration(int body) const { return body < 0 ? Column{} : acceleration_[static_cast<std::size_t>(body)]; }

  Side side(const RowBlock& loop, int k, int i, bool by_q) const {
    const int body = body_of(loop, k);
    const Pose<Expr> frame =
        (loop.link[k] < 0 ? inverse(frames_.world()) : frames_.link(loop.link[k])) * cast<Expr>(loop.frames[k]);
    const Column V = velocity(body), A = acceleration(body);
    Column dV{}, dA{};
    Vec3<Expr> turn = none, shift = none;
    if (body >= 0 && carries(i, body)) {
      const Column& s = frames_.column(i);
      const int lead = leads_[static_cast<std::size_t>(i)], parent = tree_.bodies[static_cast<std::size_t>(lead)].parent;
      const Column rest = sum(V, scaled(Expr(-1.0), velocity(parent)));
      if (by_q) {
        turn = turning(s), shift = shifting(s) + cross(turn, frame.d);
        dV = crossed(s, rest);
        dA = sum(crossed(s, sum(A, scaled(Expr(-1.0), acceleration(parent)))), crossed(crossed(velocity(parent), s), rest));
      } else {
        dV = s, dA = sum(crossed(s, rest), crossed(velocity(lead), s));
      }
    }
    Side x;
    x.turn = turn, x.point = moved(frame.d, shift);
    for (int c = 0; c < 3; ++c) {
      const Vec3<Expr> axis{{frame.R(0, c), frame.R(1, c), frame.R(2, c)}}, turned = cross(turn, axis);
      for (int r = 0; r < 3; ++r) x.R(r, c) = Moved(axis[r], {turned[r]});
    }
    x.w = moved(turning(V), turning(dV)), x.v = moved(shifting(V), shifting(dV));
    x.turns = moved(turning(A), turning(dA)), x.pushes = moved(shifting(A), shifting(dA));
    return x;
  }

  void part(const RowBlock& loop, const Expr* law, const Expr* f, OfLoop& slopes) {
    const Expr* const u = loop.rows == 6 ? law + 3 : nullptr;
    for (int t = 0; t < tree_.nv; ++t) {
      if (!carries(t, body_of(loop, 0)) && !carries(t, body_of(loop, 1))) continue;
      const CoordinateMap::Entry e = entry_of(model_, t);
      const std::size_t at = place_of(loop, e.index);
      for (const bool by_q : {true, false}) {
        const Side one = side(loop, 0, t, by_q), other = side(loop, 1, t, by_q);
        const Parting parting(one, other, u);
        add_rows(loop, law, parting, e.multiplier, at, by_q, slopes);
        if (by_q) add_push(loop, f, t, one, other, parting, e.multiplier, at, slopes);
      }
    }
  }

  void add_rows(const RowBlock& loop, const Expr* law, const Parting& x, double multiplier, std::size_t at, bool by_q,
                OfLoop& slopes) {
    Expr grows(0.0);  // φ · δφ
    for (int r = 0; r < loop.rows; ++r) grows = grows + x.error(r).x * x.error(r).d[0];
    for (int r = 0; r < loop.rows; ++r) {
      const Expr miss = x.acceleration(r).d[0] + Expr(damping(loop)) * x.speed(r).d[0] + law[0] * x.error(r).d[0] +
                        law[1] * grows * x.error(r).x;
      Expr& entry = (by_q ? slopes.by_q : slopes.by_v)[at * static_cast<std::size_t>(loop.rows) + static_cast<std::size_t>(r)];
      add_times(multiplier, miss, entry);
    }
    if (by_q) add_times(multiplier, law[2] * grows, slopes.firm[at]);
  }
  static double damping(const RowBlock& loop) { return loop.hard ? 2 * loop.omega : loop.pull.B; }

  /// The force at the points; of a weld also the moment R2 Gᵀ f on the first link and its opposite on the second.
  void add_push(const RowBlock& loop, const Expr* f, int i, const Side& one, const Side& other, const Parting& parting,
                double multiplier, std::size_t at, OfLoop& slopes) {
    const Vec3<Expr> force{{f[0], f[1], f[2]}};
    MovedVector moment = moved(none, none);
    if (loop.rows == 6) moment = other.R * parting.half_turn(moved({{f[3], f[4], f[5]}}, none), -1);
    for (int k = 0; k < 2; ++k) {
      const int body = body_of(loop, k);
      if (body < 0) continue;
      const Expr sign(k == 0 ? 1.0 : -1.0);
      const MovedVector about = cross(k == 0 ? one.point : other.point, moved(force, none)) + moment;
      const Vec3<Expr> n = now(about), dn = change(about);
      Column F{}, dF{};
      for (std::size_t c = 0; c < 3; ++c) {
        const int axis = static_cast<int>(c);
        F[c] = sign * n[axis], F[3 + c] = sign * force[axis], dF[c] = sign * dn[axis];
      }
      push(body, i, F, dF);
    }
    for (int c = 0; c < 3 && loop.rows == 6; ++c)
      add_times(multiplier, moment[c].d[0], slopes.turn[3 * at + static_cast<std::size_t>(c)]);
  }

  /// ∂Q/∂q_i with Q_k = s_k · F for all freedoms k that move the body, where F itself changes by dF.
  void push(int body, int i, const Column& F, const Column& dF) {
    const bool below = carries(i, body);
    const CoordinateMap::Entry column = entry_of(model_, i);
    for (int k : way_of_body(model_, body)) {
      Expr entry = product(frames_.column(k), dF);
      if (below && leads_[static_cast<std::size_t>(k)] >= leads_[static_cast<std::size_t>(i)])
        entry = entry + product(crossed(frames_.column(i), frames_.column(k)), F);
      const CoordinateMap::Entry row = entry_of(model_, k);
      add_times(-row.multiplier * column.multiplier, entry,
                of_.dtau_dq[static_cast<std::size_t>(row.index)][static_cast<std::size_t>(column.index)]);
    }
  }

  void couple(const RowBlock& loop, const Expr* law, const Expr* f, OfLoop& slopes) {
    const bool follows = loop.freedom[1] >= 0;
    const auto rate = [&](const Vector& x) {
      return follows ? Expr(loop.ratio[1]) * x[static_cast<std::size_t>(loop.freedom[1])] : Expr(0.0);
    };
    const Expr x = follows ? q_[static_cast<std::size_t>(loop.coordinate[1])] : Expr(0.0), v = rate(v_), a = rate(a_);
    Expr p(0.0), slope(0.0), curvature(0.0), third(0.0);
    for (std::size_t k = loop.polynomial.size(); k-- > 0;) {
      third = third * x + Expr(3.0) * curvature;
      curvature = curvature * x + Expr(2.0) * slope;
      slope = slope * x + p;
      p = p * x + Expr(loop.polynomial[k]);
    }
    Expr error = q_[static_cast<std::size_t>(loop.coordinate[0])] - p;
    for (const LinearTerm& term : loop.linear)
      error = error - Expr(term.factor) * q_[static_cast<std::size_t>(term.coordinate)];
    const Expr B(damping(loop));
    const Expr pull = law[0] + law[1] * error * error, firm = law[2] * error;
    const std::size_t joint = place_of(loop, loop.freedom[0]);
    add_times(loop.ratio[0], pull, slopes.by_q[joint]), add_times(loop.ratio[0], B, slopes.by_v[joint]);
    add_times(loop.ratio[0], firm, slopes.firm[joint]);
    for (const LinearTerm& term : loop.linear) {
      const std::size_t at = place_of(loop, term.freedom);
      const double share = -term.factor * term.ratio;
      add_times(share, pull, slopes.by_q[at]), add_times(share, B, slopes.by_v[at]), add_times(share, firm, slopes.firm[at]);
    }
    if (!follows) return;
    const std::size_t of = place_of(loop, loop.freedom[1]), entry = static_cast<std::size_t>(loop.freedom[1]);
    Expr by_q = -(curvature * (a + B * v)) - pull * slope, by_v = -(B * slope);
    if (loop.hard) by_q = by_q - third * v * v, by_v = by_v - Expr(2.0) * curvature * v;
    add_times(loop.ratio[1], by_q, slopes.by_q[of]), add_times(loop.ratio[1], by_v, slopes.by_v[of]);
    add_times(-loop.ratio[1], firm * slope, slopes.firm[of]);
    add_times(loop.ratio[1] * loop.ratio[1], curvature * f[0], of_.dtau_dq[entry][entry]);
  }

  const Model &model_, &tree_;
  const Frames& frames_;
  Vector q_;  // of the tree
  const Vector &v_, &a_;
  RecordedDerivatives& of_;
  std::vector<Column> carried_, acceleration_;
  std::vector<int> leads_;  // body that each freedom leads
};

}  // namespace

int laws_of(const RowBlock& loop) { return loop.rows == 6 ? 7 : 3; }

void record_loop_slopes(Recorder& recorder, const Model& model, const ContactLayout& layout, const Frames& frames,
                        const Vector& q, const Vector& v, const Vector& a, RecordedDerivatives& of) {
  const std::vector<LoopPlace> places = loop_places(layout);
  std::size_t numbers = 0;
  for (const RowBlock* loop : layout.loops) numbers += static_cast<std::size_t>(laws_of(*loop));
  const Vector laws = recorder.input("laws", numbered("laws", numbers)),
               pulled = recorder.input("pulled", numbered("pulled", static_cast<std::size_t>(places.back().row)));
  LoopSlopes slopes(model, frames, q, v, a, of);
  Values all;
  std::size_t law = 0;
  for (std::size_t l = 0; l < layout.loops.size(); ++l) {
    const RowBlock& loop = *layout.loops[l];
    const OfLoop x = slopes.of(loop, laws.data() + law, pulled.data() + places[l].row);
    const auto rows = static_cast<std::size_t>(loop.rows);
    for (std::size_t f = 0; f < loop.freedoms.size(); ++f) {
      for (std::size_t r = 0; r < rows; ++r) all.add(x.by_q[f * rows + r]);
      for (std::size_t r = 0; r < rows; ++r) all.add(x.by_v[f * rows + r]);
      all.add(x.firm[f]);
      for (std::size_t c = 0; c < 3; ++c) all.add(x.turn[3 * f + c]);
    }
    law += static_cast<std::size_t>(laws_of(loop));
  }
  output(recorder, "loop_slopes", all);
}

}  // namespace sparsedyn
