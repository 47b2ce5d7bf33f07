#include "contact_frames.hpp"

#include <algorithm>

#include "codegen/programs/coupled_vectors.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/model/detail/joint.hpp"

namespace sparsedyn {
namespace {

Column column_of(const Motion<Expr>& m) { return {m.w[0], m.w[1], m.w[2], m.v[0], m.v[1], m.v[2]}; }
Vec3<Expr> shifting(const Column& a) { return {{a[3], a[4], a[5]}}; }

std::vector<double> rest(const Body& base) {
  std::vector<double> q(static_cast<std::size_t>(base.q) + 7, 0.0);
  q[static_cast<std::size_t>(base.q) + 6] = 1;
  return q;
}

}  // namespace

Expr product(const Column& a, const Column& b) {
  Expr sum = a[0] * b[0];
  for (std::size_t k = 1; k < 6; ++k) sum = sum + a[k] * b[k];
  return sum;
}
Column sum(const Column& a, const Column& b) {
  Column c;
  for (std::size_t k = 0; k < 6; ++k) c[k] = a[k] + b[k];
  return c;
}
Column scaled(const Expr& x, const Column& a) {
  Column c;
  for (std::size_t k = 0; k < 6; ++k) c[k] = x * a[k];
  return c;
}
Column crossed(const Column& a, const Column& b) {
  const Vec3<Expr> w = cross(turning(a), turning(b)), v = cross(turning(a), shifting(b)) + cross(shifting(a), turning(b));
  return column_of({w, v});
}

Frames::Frames(const Model& model, const std::vector<Expr>& q, const std::vector<Expr>& v)
    : tree_(model.tree()), work_(model.tree()), world_(cast<Expr>(identity_pose<double>())) {
  const CoordinateMap* const map = model.coordinate_map.get();
  std::vector<Expr> at_origin = map ? positions(*map, q) : q;
  const std::vector<Expr> speed = map ? tree_of(*map, v) : v;
  const auto roots = std::count_if(tree_.bodies.begin(), tree_.bodies.end(), [](const Body& b) { return b.parent < 0; });
  if (roots == 1 && tree_.bodies[0].joint == BodyJoint::floating) {
    const Body& base = tree_.bodies[0];
    turns_ = true;
    world_ = joint_pose(base, at_origin.data()) * cast<Expr>(inverse(joint_pose(base, rest(base).data())));
    for (int k = 0; k < 7; ++k) at_origin[static_cast<std::size_t>(base.q + k)] = Expr(k == 6 ? 1.0 : 0.0);
  }
  forward_kinematics<Expr>(tree_, work_, at_origin.data(), nullptr, nullptr);
  columns_.resize(static_cast<std::size_t>(tree_.nv)), drift_by_.resize(columns_.size());
  for (std::size_t b = 0; b < tree_.bodies.size(); ++b) add_body(static_cast<int>(b), speed);
}

Pose<Expr> Frames::link(int l) const { return link_pose(tree_, work_, l); }

std::vector<Column> Frames::motions(const Model& model, const std::vector<Expr>& x) const {
  const std::vector<Expr> rates = model.coordinate_map ? tree_of(*model.coordinate_map, x) : x;
  std::vector<Column> all;
  for (const Body& body : tree_.bodies) {
    Column moves = body.parent < 0 ? Column{} : all[static_cast<std::size_t>(body.parent)];
    for (int i = body.v; i < body.v + freedoms(body.joint); ++i)
      moves = sum(moves, scaled(rates[static_cast<std::size_t>(i)], column(i)));
    all.push_back(moves);
  }
  return all;
}

void Frames::add_body(int b, const std::vector<Expr>& v) {
  const Body& body = tree_.bodies[static_cast<std::size_t>(b)];
  const Pose<Expr>& pose = work_.world_pose[static_cast<std::size_t>(b)];
  Column moves{}, turns{}, accelerates{}, joint{};
  if (body.parent >= 0) moves = velocity(body.parent), turns = drift(body.parent), accelerates = acceleration(body.parent);
  const Motion<Expr> own = joint_motion(body, v.data());
  const Vec3<Expr> change = cross(own.w, own.v);
  for (int c = 0; c < freedoms(body.joint); ++c) {
    const Motion<Expr> s = cast<Expr>(motion_subspace(body, c));
    const Vec3<Expr> w = pose.R * s.w;
    columns_[static_cast<std::size_t>(body.v + c)] = column_of({w, pose.R * s.v + cross(pose.d, w)});
    const Expr lacks = dot(s.v, change);
    for (std::size_t k = 0; k < 6; ++k) {
      const Expr own_share = column(body.v + c)[k] * v[static_cast<std::size_t>(body.v + c)];
      moves[k] = moves[k] + own_share, joint[k] = joint[k] + own_share;
      turns[k] = turns[k] + column(body.v + c)[k] * lacks;
    }
  }
  velocity_.push_back(moves), drift_.push_back(turns), acceleration_.push_back(sum(accelerates, crossed(moves, joint)));
  for (int c = 0; c < freedoms(body.joint); ++c) {
    const Motion<Expr> s = cast<Expr>(motion_subspace(body, c));
    const Vec3<Expr> changes = cross(s.w, own.v) + cross(own.w, s.v);
    Column& by = drift_by_[static_cast<std::size_t>(body.v + c)];
    for (int k = 0; k < freedoms(body.joint); ++k)
      by = sum(by, scaled(dot(cast<Expr>(motion_subspace(body, k).v), changes), column(body.v + k)));
  }
}

KnownColumns known_columns(const Model& model, const ContactLayout& layout) {
  Recorder recorder;
  const std::vector<Expr> q = recorder.coordinates(model), v(static_cast<std::size_t>(model.nv));
  const Frames frames(model, q, v);
  KnownColumns known;
  for (int t : layout.columns) {
    known.value.push_back({}), known.varies.push_back({});
    for (std::size_t k = 0; k < 6; ++k) {
      const Ref r = frames.column(t)[k].ref();
      known.varies.back()[k] = !recorder.graph().is_constant(r);
      if (!known.varies.back()[k]) known.value.back()[k] = recorder.graph().value(r);
    }
  }
  return known;
}

void output(Recorder& recorder, const std::string& port, const Values& values) {
  recorder.output(port, numbered(port, values.all.size()), values.all);
}

void record_contact_geometry(Recorder& recorder, const ContactLayout& layout, const Frames& frames) {
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

Values varying_columns(const Recorder& recorder, const ContactLayout& layout, const Frames& frames) {
  Values S;
  for (int t : layout.columns)
    for (const Expr& x : frames.column(t))
      if (!recorder.graph().is_constant(x.ref())) S.add(x);
  return S;
}

std::vector<Column> input_columns(Recorder& recorder, const Model& model, const ContactLayout& layout,
                                  const KnownColumns& known) {
  std::size_t varying = 0, next = 0;
  for (const auto& column : known.varies) varying += static_cast<std::size_t>(std::count(column.begin(), column.end(), 1));
  const std::vector<Expr> in = recorder.input("S", numbered("S", varying));
  std::vector<Column> S(static_cast<std::size_t>(model.tree().nv));
  for (std::size_t k = 0; k < layout.columns.size(); ++k)
    for (std::size_t r = 0; r < 6; ++r)
      S[static_cast<std::size_t>(layout.columns[k])][r] = known.varies[k][r] ? in[next++] : Expr(known.value[k][r]);
  return S;
}

std::vector<int> way_of_body(const Model& model, int body) {
  std::vector<int> way;
  for (; body >= 0; body = model.tree().bodies[static_cast<std::size_t>(body)].parent) {
    const Body& b = model.tree().bodies[static_cast<std::size_t>(body)];
    for (int c = freedoms(b.joint); c-- > 0;) way.push_back(b.v + c);
  }
  return way;
}

}  // namespace sparsedyn
