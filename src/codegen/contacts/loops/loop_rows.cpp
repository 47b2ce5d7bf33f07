#include "loop_rows.hpp"

#include <algorithm>

#include "codegen/programs/coupled_vectors.hpp"

namespace sparsedyn {
namespace {

/// Of a body's point.
Vec3<Expr> speed_at(const Vec3<Expr>& point, const Column& m) {
  return Vec3<Expr>{{m[3], m[4], m[5]}} + cross(turning(m), point);
}

int numbers_of(const RowBlock& loop) { return loop.rows == 1 ? 3 : loop.rows == 3 ? 9 : 33; }

/// One link of a pair; without a body it is the world.
struct End {
  Pose<Expr> frame;
  Column velocity{}, acceleration{};  // at q̈ = 0
  std::vector<int> way;               // of the tree's freedoms

  End(const Model& model, const Frames& frames, const RowBlock& loop, int k) {
    const int link = loop.link[k], body = link < 0 ? -1 : model.links[static_cast<std::size_t>(link)].body;
    frame = (link < 0 ? inverse(frames.world()) : frames.link(link)) * cast<Expr>(loop.frames[k]);
    way = way_of_body(model, body);
    if (body >= 0) velocity = frames.velocity(body), acceleration = frames.acceleration(body);
  }
  bool moved_by(int t) const { return std::find(way.begin(), way.end(), t) != way.end(); }
  Vec3<Expr> speed() const { return speed_at(frame.d, velocity); }
  Vec3<Expr> change() const { return speed_at(frame.d, acceleration) + cross(turning(velocity), speed()); }
};

void add_pair(const Model& model, const RowBlock& loop, const Frames& frames, Values& E, Values& loops) {
  const End one(model, frames, loop, 0), other(model, frames, loop, 1);
  const bool weld = loop.rows == 6;
  const Mat3<Expr>& R2 = other.frame.R;
  for (int freedom : loop.freedoms) {
    Vec3<Expr> moves = zero3<Expr>(), turns = zero3<Expr>();
    for (int t = 0; t < model.tree().nv; ++t) {
      const CoordinateMap::Entry e = entry_of(model, t);
      const bool first = one.moved_by(t), second = other.moved_by(t);
      if (e.index != freedom || (!first && !second)) continue;
      const Column s = scaled(Expr(e.multiplier), frames.column(t));
      if (first && second) {
        moves = moves + cross(turning(s), one.frame.d - other.frame.d);
        continue;
      }
      const Vec3<Expr> speed = speed_at(first ? one.frame.d : other.frame.d, s), turn = transposed_times(R2, turning(s));
      moves = first ? moves + speed : moves - speed;
      turns = first ? turns + turn : turns - turn;
    }
    E.add(moves);
    if (weld) E.add(turns);
  }
  loops.add(one.frame.d - other.frame.d), loops.add(one.speed() - other.speed()), loops.add(one.change() - other.change());
  if (!weld) return;
  const Mat3<Expr> relative = transpose(R2) * one.frame.R;
  const Vec3<Expr> w2 = transposed_times(R2, turning(other.velocity)), w = transposed_times(R2, turning(one.velocity)) - w2,
                   change = transposed_times(R2, turning(one.acceleration) - turning(other.acceleration)) - cross(w2, w);
  for (int k = 0; k < 9; ++k) loops.add(relative(k / 3, k % 3));
  loops.add(w), loops.add(change);
  for (int k = 0; k < 9; ++k) loops.add(R2(k / 3, k % 3));
}

/// φ = q_j − p(q_of) − Σ c_k q_k, q of the tree.
void add_coupling(const RowBlock& loop, const std::vector<Expr>& q, const std::vector<Expr>& v, Values& E, Values& loops) {
  const auto at = [&](int k) { return q[static_cast<std::size_t>(loop.coordinate[k])]; };
  const auto rate = [&](int k) { return Expr(loop.ratio[k]) * v[static_cast<std::size_t>(loop.freedom[k])]; };
  const bool follows = loop.freedom[1] >= 0;
  const Expr x = follows ? at(1) : Expr(0.0), speed = follows ? rate(1) : Expr(0.0);
  Expr p(0.0), slope(0.0), curvature(0.0);
  for (std::size_t k = loop.polynomial.size(); k-- > 0;) {
    curvature = curvature * x + Expr(2.0) * slope;
    slope = slope * x + p;
    p = p * x + Expr(loop.polynomial[k]);
  }
  for (int freedom : loop.freedoms) {
    Expr entry(0.0);  // both may be moved by one
    if (freedom == loop.freedom[0]) entry = entry + Expr(loop.ratio[0]);
    if (follows && freedom == loop.freedom[1]) entry = entry - slope * Expr(loop.ratio[1]);
    for (const LinearTerm& term : loop.linear)
      if (freedom == term.freedom) entry = entry - Expr(term.factor * term.ratio);
    E.add(entry);
  }
  Expr error = at(0) - p, change = rate(0) - slope * speed;
  for (const LinearTerm& term : loop.linear) {
    error = error - Expr(term.factor) * q[static_cast<std::size_t>(term.coordinate)];
    change = change - Expr(term.factor * term.ratio) * v[static_cast<std::size_t>(term.freedom)];
  }
  loops.add(error), loops.add(change);
  loops.add(loop.hard ? -(curvature * speed * speed) : Expr(0.0));  // MuJoCo leaves it out
}

}  // namespace

std::vector<LoopPlace> loop_places(const ContactLayout& layout) {
  std::vector<LoopPlace> places{{0, 0, 0}};
  for (const RowBlock* loop : layout.loops) {
    const LoopPlace& last = places.back();
    places.push_back({last.row + loop->rows, last.entry + loop->rows * static_cast<int>(loop->freedoms.size()),
                      last.number + numbers_of(*loop)});
  }
  return places;
}

void record_loops(Recorder& recorder, const Model& model, const ContactLayout& layout, const Frames& frames,
                  const std::vector<Expr>& q, const std::vector<Expr>& v) {
  const CoordinateMap* const map = model.coordinate_map.get();
  const std::vector<Expr> tree_q = map ? positions(*map, q) : q;
  Values E, loops, turn;
  for (const RowBlock* loop : layout.loops) {
    if (loop->type == ConstraintType::joint)
      add_coupling(*loop, tree_q, v, E, loops);
    else
      add_pair(model, *loop, frames, E, loops);
  }
  for (int k = 0; k < 9; ++k) turn.add(frames.world().R(k / 3, k % 3));
  output(recorder, "E", E), output(recorder, "loops", loops), output(recorder, "turn", turn);
}

}  // namespace sparsedyn
