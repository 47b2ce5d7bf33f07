#include "contact_stages.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "codegen/minimal/minimal_crba.hpp"
#include "codegen/programs/recorded_dynamics.hpp"
#include "sparsedyn/codegen/recorder.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/model/detail/joint.hpp"

namespace sparsedyn {
namespace {

using Column = std::array<Expr, 6>;  // a motion or a force: angular part first

Column column_of(const Motion<Expr>& m) { return {m.w[0], m.w[1], m.w[2], m.v[0], m.v[1], m.v[2]}; }

Expr product(const Column& a, const Column& b) {
  Expr sum = a[0] * b[0];
  for (std::size_t k = 1; k < 6; ++k) sum = sum + a[k] * b[k];
  return sum;
}

std::vector<std::string> numbered(const std::string& name, std::size_t n) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < n; ++k) names.push_back(name + "." + std::to_string(k));
  return names;
}

int body_of(const Model& model, const RowBlock& contact) { return model.links[static_cast<std::size_t>(contact.link[0])].body; }

/// Bodies in the frame of the base: as if its joint were at rest at the origin.
class Frames {
 public:
  Frames(const Model& model, const std::vector<Expr>& q, const std::vector<Expr>& v) : model_(model), work_(model) {
    std::vector<Expr> at_origin = q;
    const auto roots = std::count_if(model.bodies.begin(), model.bodies.end(), [](const Body& b) { return b.parent < 0; });
    based_ = roots == 1 && model.bodies[0].joint == BodyJoint::floating;
    if (based_) {
      const Body& base = model.bodies[0];
      for (int k = 0; k < 7; ++k) at_origin[static_cast<std::size_t>(base.q + k)] = Expr(k == 6 ? 1.0 : 0.0);
      world_ = joint_pose(base, q.data()) * cast<Expr>(inverse(joint_pose(base, rest(base).data())));
    }
    forward_kinematics<Expr>(model, work_, at_origin.data(), nullptr, nullptr);
    columns_.resize(static_cast<std::size_t>(model.nv));
    for (std::size_t b = 0; b < model.bodies.size(); ++b) add_body(static_cast<int>(b), v);
  }

  Pose<Expr> link(int l) const { return link_pose(model_, work_, l); }
  /// Of the frame in the world.
  const Pose<Expr>& world() const { return world_; }
  const Column& column(int freedom) const { return columns_[static_cast<std::size_t>(freedom)]; }
  const Column& velocity(int body) const { return velocity_[static_cast<std::size_t>(body)]; }
  /// Σ S_i c_i, what spatial accelerations lack of classical ones (ConstraintRows).
  const Column& drift(int body) const { return drift_[static_cast<std::size_t>(body)]; }

 private:
  static std::vector<double> rest(const Body& base) {
    std::vector<double> q(static_cast<std::size_t>(base.q) + 7, 0.0);
    q[static_cast<std::size_t>(base.q) + 6] = 1;
    return q;
  }

  void add_body(int b, const std::vector<Expr>& v) {
    const Body& body = model_.bodies[static_cast<std::size_t>(b)];
    const Pose<Expr>& pose = work_.world_pose[static_cast<std::size_t>(b)];
    Column moves{}, turns{};
    if (body.parent >= 0) moves = velocity(body.parent), turns = drift(body.parent);
    const Motion<Expr> own = joint_motion(body, v.data());
    const Vec3<Expr> change = cross(own.w, own.v);
    for (int c = 0; c < freedoms(body.joint); ++c) {
      const Motion<Expr> s = cast<Expr>(motion_subspace(body, c));
      const Vec3<Expr> w = pose.R * s.w;
      columns_[static_cast<std::size_t>(body.v + c)] = column_of({w, pose.R * s.v + cross(pose.d, w)});
      const Expr lacks = dot(s.v, change);
      for (std::size_t k = 0; k < 6; ++k) {
        moves[k] = moves[k] + column(body.v + c)[k] * v[static_cast<std::size_t>(body.v + c)];
        turns[k] = turns[k] + column(body.v + c)[k] * lacks;
      }
    }
    velocity_.push_back(moves), drift_.push_back(turns);
  }

  const Model& model_;
  Workspace<Expr> work_;
  bool based_ = false;
  Pose<Expr> world_ = cast<Expr>(identity_pose<double>());
  std::vector<Column> columns_, velocity_, drift_;
};

/// Entries of the triangle over moved freedoms that the tree allows: for each, those on its way to the base and itself.
template <class Use>
void for_each_entry(const Model& model, const ContactLayout& layout, Use use) {
  const std::vector<int> parent = freedom_parents(model);
  for (int i : layout.moved)
    for (int j = i; j >= 0; j = parent[static_cast<std::size_t>(j)]) use(i, j);
}

/// A vector in the making.
struct Values {
  std::vector<Expr> all;
  void add(const Expr& x) { all.push_back(x); }
  void add(const Column& x) { all.insert(all.end(), x.begin(), x.end()); }
  void add(const Vec3<Expr>& x) {
    for (int k = 0; k < 3; ++k) add(x[k]);
  }
};

void output(Recorder& recorder, const std::string& port, const Values& values) {
  recorder.output(port, numbered(port, values.all.size()), values.all);
}

/// Columns of S with what is constant in them, as prepare finds them and step reads them.
struct KnownColumns {
  std::vector<std::array<double, 6>> value;  // by moved freedom
  std::vector<std::array<char, 6>> varies;
};

KnownColumns known_columns(const Model& model, const ContactLayout& layout) {
  Recorder recorder;
  const std::vector<Expr> q = recorder.coordinates(model), v(static_cast<std::size_t>(model.nv));
  const Frames frames(model, q, v);
  KnownColumns known;
  for (int i : layout.moved) {
    known.value.push_back({}), known.varies.push_back({});
    for (std::size_t k = 0; k < 6; ++k) {
      const Ref r = frames.column(i)[k].ref();
      known.varies.back()[k] = !recorder.graph().is_constant(r);
      if (!known.varies.back()[k]) known.value.back()[k] = recorder.graph().value(r);
    }
  }
  return known;
}

void add_contacts(const ContactLayout& layout, const Frames& frames, Recorder& recorder) {
  Values motion, where, axes;
  for (int body : layout.bodies) motion.add(frames.velocity(body)), motion.add(frames.drift(body));
  for (const Mat3<double>& plane : layout.planes)
    for (int r = 0; r < 3; ++r)
      axes.add(transposed_times(frames.world().R, cast<Expr>(Vec3<double>{{plane(r, 0), plane(r, 1), plane(r, 2)}})));
  for (std::size_t c = 0; c < layout.contacts.size(); ++c) {
    const RowBlock& contact = *layout.contacts[c];
    const Pose<Expr> link = frames.link(contact.link[0]);
    const Vec3<Expr> centre = link.R * cast<Expr>(contact.point) + link.d;
    const Vec3<double> n{{contact.plane(0, 0), contact.plane(0, 1), contact.plane(0, 2)}};
    const Vec3<Expr> normal = transposed_times(frames.world().R, cast<Expr>(n));
    where.add(centre);
    where.add(dot(normal, centre) + dot(cast<Expr>(n), frames.world().d) - Expr(dot(n, contact.plane_point) + contact.radius));
  }
  output(recorder, "motion", motion), output(recorder, "where", where), output(recorder, "axes", axes);
}

/// Eliminates the other freedoms of M and of the pushes.
void record_prepare(Recorder& recorder, const Model& model, const MinimalFormulation& f, const ContactLayout& layout,
                    bool wrenches) {
  const std::vector<Expr> q = recorder.coordinates(model), v = recorder.input("dq", prefixed("dq.", velocity_names(model))),
                          tau = recorder.input("tau", prefixed("tau.", force_names(model)));
  const WrenchInputs fx(recorder, model, f, wrenches);
  std::vector<Expr> push = inverse_dynamics(model, f, q, v, nullptr, fx);
  for (std::size_t k = 0; k < push.size(); ++k) push[k] = tau[k] - push[k];
  JointSpaceMatrix<Expr> M = joint_space_matrix(model, f, q);
  std::vector<std::vector<Expr>>& A = M.lower;
  Values fixed_pivots, rest;
  std::vector<Expr> diagonal;
  for (std::size_t k = 0; k < A.size(); ++k) diagonal.push_back(A[k][k]);
  for (auto at = layout.others.rbegin(); at != layout.others.rend(); ++at) {
    const auto k = static_cast<std::size_t>(*at);
    fixed_pivots.add(A[k][k]), fixed_pivots.add(diagonal[k]);
    const std::vector<Expr> row = A[k];
    const Expr inverted = Expr(1.0) / row[k];
    rest.add(push[k] * inverted);
    for (int i = M.parent[k]; i >= 0; i = M.parent[static_cast<std::size_t>(i)]) {
      const auto above = static_cast<std::size_t>(i);
      A[k][above] = row[above] * inverted;
      rest.add(A[k][above]);
      push[above] = push[above] - A[k][above] * push[k];
      for (int j = i; j >= 0; j = M.parent[static_cast<std::size_t>(j)])
        A[above][static_cast<std::size_t>(j)] =
            A[above][static_cast<std::size_t>(j)] - A[k][above] * row[static_cast<std::size_t>(j)];
    }
  }
  Values kept, pushes, S;
  for_each_entry(model, layout, [&](int i, int j) { kept.add(A[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]); });
  for (int i : layout.moved) pushes.add(push[static_cast<std::size_t>(i)]);
  const Frames frames(model, q, v);
  for (int i : layout.moved)
    for (const Expr& x : frames.column(i))
      if (!recorder.graph().is_constant(x.ref())) S.add(x);
  output(recorder, "M", kept), output(recorder, "push", pushes), output(recorder, "S", S);
  add_contacts(layout, frames, recorder);
  output(recorder, "rest", rest), output(recorder, "fixed_pivots", fixed_pivots);
}

/// One step's inputs by freedom and body, whole.
class Step {
 public:
  Step(Recorder& recorder, const Model& model, const ContactLayout& layout, const KnownColumns& known)
      : model_(model), layout_(layout), parent_(freedom_parents(model)) {
    const auto n = static_cast<std::size_t>(model.nv);
    H_.assign(n, std::vector<Expr>(n));
    push_.resize(n), S_.resize(n);
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
      for (int i = parent(k); i >= 0; i = parent(i)) value = value - H(k, i) * push_[static_cast<std::size_t>(i)];
      x.add(value);
    }
    std::vector<Column> acceleration(model_.bodies.size());
    for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
      const Body& body = model_.bodies[b];
      if (body.parent >= 0) acceleration[b] = acceleration[static_cast<std::size_t>(body.parent)];
      for (int i = body.v; i < body.v + freedoms(body.joint); ++i)
        for (std::size_t k = 0; k < 6 && layout_.place[static_cast<std::size_t>(i)] >= 0; ++k)
          acceleration[b][k] = acceleration[b][k] + S_[static_cast<std::size_t>(i)][k] * push_[static_cast<std::size_t>(i)];
    }
    for (int body : layout_.bodies) y.add(acceleration[static_cast<std::size_t>(body)]);
    output(recorder, "x", x), output(recorder, "y", y), output(recorder, "pivots", pivots);
  }

 private:
  int parent(int k) const { return parent_[static_cast<std::size_t>(k)]; }
  Expr& H(int i, int j) { return H_[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]; }

  void read_inputs(Recorder& recorder, const KnownColumns& known) {
    std::size_t entries = 0, varying = 0;
    for_each_entry(model_, layout_, [&](int, int) { ++entries; });
    for (const auto& column : known.varies) varying += static_cast<std::size_t>(std::count(column.begin(), column.end(), 1));
    const std::vector<Expr> M = recorder.input("M", numbered("M", entries)),
                            push = recorder.input("push", numbered("push", layout_.moved.size())),
                            S = recorder.input("S", numbered("S", varying));
    std::size_t next = 0;
    for_each_entry(model_, layout_, [&](int i, int j) { H(i, j) = M[next++]; });
    next = 0;
    for (std::size_t k = 0; k < layout_.moved.size(); ++k) {
      const auto i = static_cast<std::size_t>(layout_.moved[k]);
      push_[i] = push[k];
      for (std::size_t r = 0; r < 6; ++r) S_[i][r] = known.varies[k][r] ? S[next++] : Expr(known.value[k][r]);
    }
  }

  /// H_ij += S_j · K S_i and x_i += S_i · w with the sums over the bodies beyond.
  void add_contacts(Recorder& recorder) {
    const std::size_t n = layout_.bodies.size(), room = row_room;
    const std::vector<Expr> K = recorder.input("K", numbered("K", n * 6 * room)),
                            w = recorder.input("w", numbered("w", n * room));
    std::vector<std::array<Column, 6>> beyond(model_.bodies.size());
    std::vector<Column> wrench(model_.bodies.size());
    std::vector<char> touched(model_.bodies.size(), 0);
    for (std::size_t b = 0; b < n; ++b) {
      const auto body = static_cast<std::size_t>(layout_.bodies[b]);
      touched[body] = 1;
      for (std::size_t r = 0; r < 6; ++r) {
        wrench[body][r] = w[b * room + r];
        for (std::size_t c = 0; c < 6; ++c) beyond[body][r][c] = K[(b * 6 + std::min(r, c)) * room + std::max(r, c)];
      }
    }
    for (std::size_t b = model_.bodies.size(); b-- > 0;) {
      if (!touched[b]) continue;
      add_body(b, beyond[b], wrench[b]);
      if (model_.bodies[b].parent < 0) continue;
      const auto up = static_cast<std::size_t>(model_.bodies[b].parent);
      touched[up] = 1;
      for (std::size_t r = 0; r < 6; ++r) {
        wrench[up][r] = wrench[up][r] + wrench[b][r];
        for (std::size_t c = 0; c < 6; ++c) beyond[up][r][c] = beyond[up][r][c] + beyond[b][r][c];
      }
    }
  }

  void add_body(std::size_t b, const std::array<Column, 6>& K, const Column& wrench) {
    const Body& body = model_.bodies[b];
    for (int i = body.v; i < body.v + freedoms(body.joint); ++i) {
      const Column& s = S_[static_cast<std::size_t>(i)];
      push_[static_cast<std::size_t>(i)] = push_[static_cast<std::size_t>(i)] + product(s, wrench);
      Column pressed;
      for (std::size_t r = 0; r < 6; ++r) pressed[r] = product(K[r], s);
      for (int j = i; j >= 0; j = parent(j)) H(i, j) = H(i, j) + product(S_[static_cast<std::size_t>(j)], pressed);
    }
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
    for (int i = parent_[k]; i >= 0; i = parent(i)) {
      const auto above = static_cast<std::size_t>(i);
      H_[k][above] = row[above] * inverted[k];
      push_[above] = push_[above] - H_[k][above] * push_[k];
      for (int j = i; j >= 0; j = parent(j)) H(i, j) = H(i, j) - H_[k][above] * row[static_cast<std::size_t>(j)];
    }
  }

  const Model& model_;
  const ContactLayout& layout_;
  std::vector<int> parent_;
  std::vector<std::vector<Expr>> H_;
  std::vector<Expr> push_, diagonal_;
  std::vector<Column> S_;
};

/// a_k = z_k − Σ L_ki a_i, base to tips.
void record_finish(Recorder& recorder, const Model& model, const ContactLayout& layout) {
  const std::vector<int> parent = freedom_parents(model);
  std::size_t numbers = 0;
  for (int k : layout.others)
    for (int i = k; i >= 0; i = parent[static_cast<std::size_t>(i)]) ++numbers;
  const std::vector<Expr> rest = recorder.input("rest", numbered("rest", numbers)),
                          x = recorder.input("x", numbered("x", layout.moved.size()));
  std::vector<Expr> a(static_cast<std::size_t>(model.nv));
  for (std::size_t k = 0; k < layout.moved.size(); ++k) a[static_cast<std::size_t>(layout.moved[k])] = x[k];
  std::size_t next = numbers;
  for (int k : layout.others) {
    std::size_t length = 0;
    for (int i = k; i >= 0; i = parent[static_cast<std::size_t>(i)]) ++length;
    next -= length;  // record_prepare went from the tips
    Expr value = rest[next];
    std::size_t at = next + 1;
    for (int i = parent[static_cast<std::size_t>(k)]; i >= 0; i = parent[static_cast<std::size_t>(i)])
      value = value - rest[at++] * a[static_cast<std::size_t>(i)];
    a[static_cast<std::size_t>(k)] = value;
  }
  recorder.output("ddq", prefixed("ddq.", velocity_names(model)), a);
}

void sort_block(const RowBlock& block, ContactLayout& layout) {
  switch (block.type) {
    case ConstraintType::contact: layout.contacts.push_back(&block); return;
    case ConstraintType::limit:
      for (int side = 0; side < 2; ++side) {
        const double limit = side == 0 ? block.lower : block.upper;
        if (std::isfinite(limit)) layout.joint_rows.push_back({&block, block.freedom[0], side == 0 ? 1.0 : -1.0, limit});
      }
      return;
    case ConstraintType::dry_friction: layout.joint_rows.push_back({&block, block.freedom[0], 1, 0}); return;
    default: break;
  }
  throw std::invalid_argument("constraint \"" + block.name +
                              "\": generated contact dynamics know contact, limit and dry_friction");
}

template <class T, class Same>
int place_of(std::vector<T>& all, const T& x, Same same) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const T& y) { return same(x, y); });
  if (found != all.end()) return static_cast<int>(found - all.begin());
  all.push_back(x);
  return static_cast<int>(all.size()) - 1;
}

bool equal_axes(const Mat3<double>& a, const Mat3<double>& b) {
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c)
      if (a(r, c) != b(r, c)) return false;
  return true;
}

}  // namespace

ContactLayout contact_layout(const Model& model, const std::vector<RowBlock>& blocks) {
  ContactLayout layout;
  for (const RowBlock& block : blocks) sort_block(block, layout);
  std::set<int> moved, joint_freedoms;
  const std::vector<int> parent = freedom_parents(model);
  for (const RowBlock& block : blocks)
    for (int i : block.freedoms)
      for (int k = i; k >= 0; k = parent[static_cast<std::size_t>(k)]) moved.insert(k);
  for (const JointRow& row : layout.joint_rows) joint_freedoms.insert(row.freedom);
  layout.moved.assign(moved.begin(), moved.end());
  layout.joint_freedoms.assign(joint_freedoms.begin(), joint_freedoms.end());
  layout.place.assign(static_cast<std::size_t>(model.nv), -1);
  for (std::size_t k = 0; k < layout.moved.size(); ++k)
    layout.place[static_cast<std::size_t>(layout.moved[k])] = static_cast<int>(k);
  for (int k = 0; k < model.nv; ++k)
    if (layout.place[static_cast<std::size_t>(k)] < 0) layout.others.push_back(k);
  for (const RowBlock* contact : layout.contacts) {
    layout.contact_body.push_back(place_of(layout.bodies, body_of(model, *contact), [](int a, int b) { return a == b; }));
    layout.contact_plane.push_back(place_of(layout.planes, contact->plane, equal_axes));
    layout.directions = std::max(layout.directions, contact->directions());
  }
  return layout;
}

ContactStages contact_stages(const Model& model, const ContactLayout& layout, bool wrenches) {
  const RecordMinimal prepare = [&](Recorder& recorder, const Model& robot, const MinimalFormulation& f) {
    record_prepare(recorder, robot, f, layout, wrenches);
  };
  const bool minimal = has_minimal_tree(model);
  const MinimalFormulation f = cheapest_formulation(model, {minimal && !wrenches, false, !wrenches}, prepare);
  ContactStages stages;
  stages.prepare = program_in(model, f, prepare);
  const KnownColumns known = known_columns(model, layout);
  {
    Recorder recorder;
    Step step(recorder, model, layout, known);
    step.solve(recorder);
    stages.step = recorder.program();
  }
  {
    Recorder recorder;
    record_finish(recorder, model, layout);
    stages.finish = recorder.program();
  }
  return stages;
}

}  // namespace sparsedyn
