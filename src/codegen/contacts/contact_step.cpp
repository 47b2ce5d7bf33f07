#include "contact_step.hpp"

#include <algorithm>

#include "sparsedyn/model/coordinate_map.hpp"
#include "sparsedyn/model/detail/joint.hpp"

namespace sparsedyn {
namespace {

/// Inputs by freedom and body, whole. H, push and x are the robot's, S and all that is passed from body to body the tree's.
class Step {
 public:
  Step(Recorder& recorder, const Model& model, const ContactLayout& layout, const KnownColumns& known)
      : model_(model), tree_(model.tree()), layout_(layout) {
    const auto n = static_cast<std::size_t>(model.nv);
    H_.assign(n, std::vector<Expr>(n));
    push_.resize(n);
    read_inputs(recorder, known);
    add_contacts(recorder);
    add_joint_rows(recorder);
  }

  void solve(Recorder& recorder) {
    Values pivots, x, y;
    std::vector<Expr> inverted(push_.size());
    for (auto at = layout_.moved.rbegin(); at != layout_.moved.rend(); ++at)
      eliminate(static_cast<std::size_t>(*at), inverted, pivots);
    for (int k : layout_.moved) {
      Expr& value = push_[static_cast<std::size_t>(k)];
      value = value * inverted[static_cast<std::size_t>(k)];
      for (int i : before(k)) value = value - H(k, i) * push_[static_cast<std::size_t>(i)];
      x.add(value);
    }
    std::vector<Column> acceleration(tree_.bodies.size());
    for (std::size_t b = 0; b < tree_.bodies.size(); ++b) {
      const Body& body = tree_.bodies[b];
      if (body.parent >= 0) acceleration[b] = acceleration[static_cast<std::size_t>(body.parent)];
      for (int t = body.v; t < body.v + freedoms(body.joint); ++t) {
        const CoordinateMap::Entry e = entry_of(model_, t);
        if (layout_.place[static_cast<std::size_t>(e.index)] < 0) continue;
        const Expr rate = times(e.multiplier, push_[static_cast<std::size_t>(e.index)]);
        for (std::size_t k = 0; k < 6; ++k) acceleration[b][k] = acceleration[b][k] + S_[static_cast<std::size_t>(t)][k] * rate;
      }
    }
    for (int body : layout_.bodies) y.add(acceleration[static_cast<std::size_t>(body)]);
    output(recorder, "x", x), output(recorder, "y", y), output(recorder, "pivots", pivots);
  }

 private:
  static Expr times(double multiplier, const Expr& x) { return multiplier == 1 ? x : Expr(multiplier) * x; }
  const std::vector<int>& before(int k) const { return layout_.before[static_cast<std::size_t>(k)]; }
  Expr& H(int i, int j) { return H_[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]; }

  void read_inputs(Recorder& recorder, const KnownColumns& known) {
    std::size_t entries = 0;
    for_each_entry(layout_, [&](int, int) { ++entries; });
    const std::vector<Expr> M = recorder.input("M", numbered("M", entries)),
                            push = recorder.input("push", numbered("push", layout_.moved.size()));
    S_ = input_columns(recorder, model_, layout_, known);
    std::size_t next = 0;
    for_each_entry(layout_, [&](int i, int j) { H(i, j) = M[next++]; });
    for (std::size_t k = 0; k < layout_.moved.size(); ++k) push_[static_cast<std::size_t>(layout_.moved[k])] = push[k];
  }

  /// H_ij += S_j · K S_i and x_i += S_i · w with the sums over the bodies beyond.
  void add_contacts(Recorder& recorder) {
    const std::size_t n = layout_.bodies.size(), room = row_room;
    const std::vector<Expr> K = recorder.input("K", numbered("K", n * 6 * room)),
                            w = recorder.input("w", numbered("w", n * room));
    std::vector<std::array<Column, 6>> beyond(tree_.bodies.size());
    std::vector<Column> wrench(tree_.bodies.size());
    std::vector<char> touched(tree_.bodies.size(), 0);
    for (std::size_t b = 0; b < n; ++b) {
      const auto body = static_cast<std::size_t>(layout_.bodies[b]);
      touched[body] = 1;
      for (std::size_t r = 0; r < 6; ++r) {
        wrench[body][r] = w[b * room + r];
        for (std::size_t c = 0; c < 6; ++c) beyond[body][r][c] = K[(b * 6 + std::min(r, c)) * room + std::max(r, c)];
      }
    }
    for (std::size_t b = tree_.bodies.size(); b-- > 0;) {
      if (!touched[b]) continue;
      add_body(b, beyond[b], wrench[b]);
      if (tree_.bodies[b].parent < 0) continue;
      const auto up = static_cast<std::size_t>(tree_.bodies[b].parent);
      touched[up] = 1;
      wrench[up] = sum(wrench[up], wrench[b]);
      for (std::size_t r = 0; r < 6; ++r) beyond[up][r] = sum(beyond[up][r], beyond[b][r]);
    }
  }

  void add_body(std::size_t b, const std::array<Column, 6>& K, const Column& wrench) {
    const Body& body = tree_.bodies[b];
    const std::vector<int> way = way_of_body(model_, static_cast<int>(b));
    for (int t = body.v; t < body.v + freedoms(body.joint); ++t) {
      const Column& s = S_[static_cast<std::size_t>(t)];
      const CoordinateMap::Entry e = entry_of(model_, t);
      add_times(e.multiplier, product(s, wrench), push_[static_cast<std::size_t>(e.index)]);
      Column pressed;
      for (std::size_t r = 0; r < 6; ++r) pressed[r] = product(K[r], s);
      for (int u : way)
        if (u <= t) add_entry(t, u, product(S_[static_cast<std::size_t>(u)], pressed));
    }
  }

  /// An entry of the tree's matrix and, beside the diagonal, the equal one across.
  void add_entry(int t, int u, const Expr& x) {
    const CoordinateMap::Entry a = entry_of(model_, t), b = entry_of(model_, u);
    const double twice = t != u && a.index == b.index ? 2 : 1;
    add_times(twice * a.multiplier * b.multiplier, x, H(std::max(a.index, b.index), std::min(a.index, b.index)));
  }

  void add_joint_rows(Recorder& recorder) {
    const std::size_t n = layout_.joint_freedoms.size();
    const std::vector<Expr> h = recorder.input("dh", numbered("dh", n)), t = recorder.input("dt", numbered("dt", n));
    for (std::size_t k = 0; k < n; ++k) {
      const int i = layout_.joint_freedoms[k];
      H(i, i) = H(i, i) + h[k];
      push_[static_cast<std::size_t>(i)] = push_[static_cast<std::size_t>(i)] + t[k];
    }
    diagonal_.resize(H_.size());
    for (int i : layout_.moved) diagonal_[static_cast<std::size_t>(i)] = H(i, i);
  }

  void eliminate(std::size_t k, std::vector<Expr>& inverted, Values& pivots) {
    const std::vector<Expr> row = H_[k];
    pivots.add(row[k]), pivots.add(diagonal_[k]);
    inverted[k] = Expr(1.0) / row[k];
    for (int i : layout_.before[k]) {
      const auto above = static_cast<std::size_t>(i);
      H_[k][above] = row[above] * inverted[k];
      push_[above] = push_[above] - H_[k][above] * push_[k];
      for (int j : layout_.before[k])
        if (j <= i) H(i, j) = H(i, j) - H_[k][above] * row[static_cast<std::size_t>(j)];
    }
  }

  const Model &model_, &tree_;
  const ContactLayout& layout_;
  std::vector<std::vector<Expr>> H_;
  std::vector<Expr> push_, diagonal_;
  std::vector<Column> S_;
};

}  // namespace

void record_step(Recorder& recorder, const Model& model, const ContactLayout& layout, const KnownColumns& known) {
  Step(recorder, model, layout, known).solve(recorder);
}

}  // namespace sparsedyn
