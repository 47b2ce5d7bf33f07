#include "contact_slopes.hpp"

#include <algorithm>

#include "codegen/contacts/loops/loop_slopes.hpp"
#include "codegen/programs/coupled_vectors.hpp"
#include "codegen/programs/recorded_dynamics.hpp"
#include "sparsedyn/model/detail/joint.hpp"

namespace sparsedyn {
namespace {

using Vector = std::vector<Expr>;
using Rows = std::array<Column, 6>;

Column times(const Rows& A, const Column& x) {
  Column y;
  for (std::size_t r = 0; r < 6; ++r) y[r] = product(A[r], x);
  return y;
}
Column transposed_times(const Rows& A, const Column& x) {
  Column y;
  for (std::size_t r = 0; r < 6; ++r)
    for (std::size_t c = 0; c < 6; ++c) y[c] = y[c] + A[r][c] * x[r];
  return y;
}

/// The column that (s × column) · f is the product of s with: of a motion and a force.
Column turned_force(const Column& motion, const Column& f) {
  const Vec3<Expr> w{{motion[0], motion[1], motion[2]}}, v{{motion[3], motion[4], motion[5]}}, n{{f[0], f[1], f[2]}},
      force{{f[3], f[4], f[5]}};
  const Vec3<Expr> up = cross(w, n) + cross(v, force), down = cross(w, force);
  return {up[0], up[1], up[2], down[0], down[1], down[2]};
}

/// What lies beyond a joint.
struct Beyond {
  Rows K{}, X{}, KB{};
  Column f{};
  bool touched = false;
};

class Slopes {
 public:
  Slopes(const Model& model, const ContactLayout& layout, const Frames& frames, RecordedDerivatives& of)
      : model_(model), tree_(model.tree()), layout_(layout), frames_(frames), of_(of), beyond_(tree_.bodies.size()) {}

  void read(Recorder& recorder) {
    const Inputs in(recorder, layout_);
    for (std::size_t b = 0; b < layout_.bodies.size(); ++b) {
      Beyond& x = beyond_[static_cast<std::size_t>(layout_.bodies[b])];
      x.touched = true;
      for (std::size_t r = 0; r < 6; ++r) {
        x.f[r] = in.f[b * row_room + r];
        for (std::size_t c = 0; c < 6; ++c) {
          const std::size_t symmetric = (b * 6 + std::min(r, c)) * row_room + std::max(r, c);
          x.K[r][c] = in.K[symmetric], x.X[r][c] = in.X[(b * 6 + r) * row_room + c];
          if (!layout_.one_damping) x.KB[r][c] = in.KB[symmetric];
        }
      }
    }
    for (std::size_t k = 0; k < layout_.joint_freedoms.size(); ++k) {
      const auto i = static_cast<std::size_t>(layout_.joint_freedoms[k]);
      of_.M.lower[i][i] += in.dh[k], of_.dtau_dq[i][i] -= in.by_q[k], of_.dtau_dv[i][i] -= in.by_v[k];
    }
  }

  /// Σ S a and Σ S c on the way to each body, and what a change of q_i makes of the parent's share.
  void move(const Vector& a) {
    const CoordinateMap* const map = model_.coordinate_map.get();
    const Vector rates = map ? tree_of(*map, a) : a;
    std::vector<Column> pushed(tree_.bodies.size());
    z_.resize(rates.size()), w_.resize(rates.size());
    for (std::size_t b = 0; b < tree_.bodies.size(); ++b) {
      const Body& body = tree_.bodies[b];
      const Column none{};
      const Column up = body.parent < 0 ? none : pushed[static_cast<std::size_t>(body.parent)];
      pushed[b] = up;
      for (int i = body.v; i < body.v + freedoms(body.joint); ++i) {
        const Column& s = frames_.column(i);
        pushed[b] = sum(pushed[b], scaled(rates[static_cast<std::size_t>(i)], s));
        if (body.parent < 0) continue;
        z_[static_cast<std::size_t>(i)] = crossed(s, sum(up, frames_.drift(body.parent)));
        w_[static_cast<std::size_t>(i)] = crossed(s, frames_.velocity(body.parent));
      }
    }
  }

  void add_contacts() {
    for (std::size_t b = tree_.bodies.size(); b-- > 0;) {
      if (!beyond_[b].touched) continue;
      add_body(static_cast<int>(b));
      if (tree_.bodies[b].parent < 0) continue;
      Beyond& up = beyond_[static_cast<std::size_t>(tree_.bodies[b].parent)];
      up.touched = true, up.f = sum(up.f, beyond_[b].f);
      for (std::size_t r = 0; r < 6; ++r) {
        up.K[r] = sum(up.K[r], beyond_[b].K[r]), up.X[r] = sum(up.X[r], beyond_[b].X[r]);
        up.KB[r] = sum(up.KB[r], beyond_[b].KB[r]);
      }
    }
  }

  void output_columns(Recorder& recorder) const {
    Values columns;
    for (int t : layout_.columns) {
      const auto i = static_cast<std::size_t>(t);
      columns.add_row(frames_.column(t)), columns.add_row(z_[i]), columns.add_row(w_[i]);
      columns.add_row(frames_.drift_by(t));
    }
    output(recorder, "columns", columns);
  }

 private:
  struct Inputs {
    Vector K, X, KB, f, dh, by_q, by_v;
    Inputs(Recorder& recorder, const ContactLayout& layout) {
      const std::size_t n = layout.bodies.size() * row_room, joints = layout.joint_freedoms.size();
      const auto in = [&](const char* port, std::size_t length) { return recorder.input(port, numbered(port, length)); };
      K = in("K", 6 * n), X = in("X", 6 * n);
      if (!layout.one_damping) KB = in("KB", 6 * n);
      f = in("f", n), dh = in("dh", joints), by_q = in("by_q", joints), by_v = in("by_v", joints);
    }
  };

  /// K z + B K w, or (K B) w where contacts differ in B.
  Column pulled(const Beyond& x, const Column& z, const Column& w) const {
    if (layout_.one_damping) return times(x.K, sum(z, scaled(Expr(layout_.damping), w)));
    return sum(times(x.K, z), times(x.KB, w));
  }

  /// All pairs of freedoms of which the one that is farther from the base is this body's.
  void add_body(int b) {
    const Beyond& x = beyond_[static_cast<std::size_t>(b)];
    const Body& body = tree_.bodies[static_cast<std::size_t>(b)];
    for (int i = body.v; i < body.v + freedoms(body.joint); ++i) {
      const auto at = static_cast<std::size_t>(i);
      const Column& s = frames_.column(i);
      const Column press = times(x.K, s), turns = turned_force(s, x.f);
      const Column damped = layout_.one_damping ? scaled(Expr(layout_.damping), press) : times(x.KB, s);
      const Column by_q = sum(times(x.X, s), pulled(x, z_[at], w_[at])), by_v = sum(damped, times(x.K, frames_.drift_by(i)));
      const Column as_row = sum(transposed_times(x.X, s), turns);
      for (int k : way_of_body(model_, b)) {
        const Column& other = frames_.column(k);
        const auto above = static_cast<std::size_t>(k);
        const bool same = k >= body.v;
        add(k, i, product(other, by_q), -product(other, by_v));
        if (same) {
          add(i, k, product(other, turns), Expr(0.0));  // each of the joint's freedoms turns under the others
        } else {
          const Column u = layout_.one_damping ? sum(z_[above], scaled(Expr(layout_.damping), w_[above])) : z_[above];
          Expr below = product(other, as_row) + product(press, u);
          if (!layout_.one_damping) below = below + product(damped, w_[above]);
          add(i, k, below, -(product(press, frames_.drift_by(k)) + product(damped, other)));
        }
        if (k <= i) add_press(i, k, product(other, press));
      }
    }
  }

  /// To row k, column i of the right sides.
  void add(int k, int i, const Expr& by_q, const Expr& by_v) {
    const CoordinateMap::Entry row = entry_of(model_, k), column = entry_of(model_, i);
    const auto r = static_cast<std::size_t>(row.index), c = static_cast<std::size_t>(column.index);
    add_times(-row.multiplier * column.multiplier, by_q, of_.dtau_dq[r][c]);
    add_times(-row.multiplier * column.multiplier, by_v, of_.dtau_dv[r][c]);
  }
  void add_press(int i, int k, const Expr& x) {
    const CoordinateMap::Entry a = entry_of(model_, i), b = entry_of(model_, k);
    const double twice = i != k && a.index == b.index ? 2 : 1;
    const auto [low, high] = std::minmax({a.index, b.index});
    add_times(twice * a.multiplier * b.multiplier, x,
              of_.M.lower[static_cast<std::size_t>(high)][static_cast<std::size_t>(low)]);
  }

  const Model &model_, &tree_;
  const ContactLayout& layout_;
  const Frames& frames_;
  RecordedDerivatives& of_;
  std::vector<Beyond> beyond_;
  std::vector<Column> z_, w_;
};

/// −∂τ/∂q, −∂τ/∂v, 1.
std::vector<Vector> right_sides(const Model& model, const RecordedDerivatives& of) {
  const auto n = static_cast<std::size_t>(model.nv);
  std::vector<Vector> side(n, Vector(static_cast<std::size_t>(SlopePorts::width(model))));
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t c = 0; c < n; ++c) side[k][c] = -of.dtau_dq[k][c], side[k][n + c] = -of.dtau_dv[k][c];
    side[k][2 * n + k] = Expr(1.0);
  }
  return side;
}

/// As they are: what loops add to H, the hand-written part does.
void output_plain(Recorder& recorder, const Model& model, const ContactLayout& layout, const RecordedDerivatives& of) {
  Values H, sides;
  for (std::size_t k = 0; k < of.M.lower.size(); ++k) {
    H.add(of.M.lower[k][k]);
    for (int i : layout.before[k]) H.add(of.M.lower[k][static_cast<std::size_t>(i)]);
  }
  for (const Vector& row : right_sides(model, of))
    for (const Expr& x : row) sides.add(x);
  output(recorder, "H", H), output(recorder, "sides", sides);
}

/// H = LᵀDL, and D⁻¹ L⁻ᵀ of the right sides −∂τ/∂q, −∂τ/∂v, 1. What is left, L⁻¹, has no zeros to save: it is a loop.
void output_eliminated(Recorder& recorder, const Model& model, const ContactLayout& layout, const RecordedDerivatives& of) {
  const auto n = static_cast<std::size_t>(model.nv);
  std::vector<Vector> H = of.M.lower, side = right_sides(model, of);
  Vector diagonal;
  for (std::size_t k = 0; k < n; ++k) diagonal.push_back(H[k][k]);
  for (std::size_t k = n; k-- > 0;) {
    const Vector row = H[k];
    const Expr inverted = Expr(1.0) / row[k];
    for (int b : layout.before[k]) {
      const auto i = static_cast<std::size_t>(b);
      H[k][i] = row[i] * inverted;
      for (int j : layout.before[k])
        if (j <= b) H[i][static_cast<std::size_t>(j)] -= H[k][i] * row[static_cast<std::size_t>(j)];
      for (std::size_t c = 0; c < 3 * n; ++c) side[i][c] -= H[k][i] * side[k][c];
    }
    for (Expr& x : side[k]) x *= inverted;
  }
  Values factors, pivots, sides;
  for (std::size_t k = 0; k < n; ++k) {
    for (int i : layout.before[k]) factors.add(H[k][static_cast<std::size_t>(i)]);
    pivots.add(H[k][k]), pivots.add(diagonal[k]);
    for (const Expr& x : side[k]) sides.add(x);
  }
  output(recorder, "factors", factors), output(recorder, "pivots", pivots), output(recorder, "sides", sides);
}

}  // namespace

void record_slopes(Recorder& recorder, const Model& model, const MinimalFormulation& f, const ContactLayout& layout,
                   bool wrenches, bool dynamics_alone) {
  const Vector q = recorder.coordinates(model), v = recorder.input("dq", prefixed("dq.", velocity_names(model)));
  const WrenchInputs fx(recorder, model, f, wrenches);
  const Vector a = recorder.input("ddq", prefixed("ddq.", velocity_names(model)));
  RecordedDerivatives of = inverse_dynamics_derivatives(model, f, q, v, a, fx);
  if (dynamics_alone) {
    Values all;
    for (const auto* matrix : {&of.dtau_dq, &of.dtau_dv, &of.M.lower})
      for (const Vector& row : *matrix) all.all.insert(all.all.end(), row.begin(), row.end());
    return output(recorder, "all", all);
  }
  const Frames frames(model, q, v);
  Slopes slopes(model, layout, frames, of);
  slopes.read(recorder), slopes.move(a), slopes.add_contacts();
  if (layout.loops.empty()) {
    output_eliminated(recorder, model, layout, of);
  } else {
    record_loop_slopes(recorder, model, layout, frames, q, v, a, of);
    output_plain(recorder, model, layout, of);
  }
  slopes.output_columns(recorder);
}

Program contact_slopes(const Model& model, const ContactLayout& layout, bool wrenches) {
  const auto in = [&](bool dynamics_alone) {
    return [&layout, wrenches, dynamics_alone](Recorder& recorder, const Model& robot, const MinimalFormulation& f) {
      record_slopes(recorder, robot, f, layout, wrenches, dynamics_alone);
    };
  };
  const bool minimal = has_minimal_tree(model.tree());
  return program_in(model, cheapest_formulation(model, {minimal && !wrenches, false, !wrenches}, in(true)), in(false));
}

}  // namespace sparsedyn
