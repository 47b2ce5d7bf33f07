#include "row_kernels.hpp"

#include <utility>

#include "row_entries.hpp"

namespace sparsedyn {
namespace {

using Vector = std::vector<Expr>;
using Vec = Vec3<Expr>;
using Screw = ScrewInTime<Expr>;

constexpr int kLanes = RowProgram::lanes;

std::vector<std::string> numbered(const std::string& port, std::size_t n) {
  std::vector<std::string> names;
  for (std::size_t e = 0; e < n; ++e) names.push_back(port + "." + std::to_string(e));
  return names;
}

/// An input, value by value.
class Reader {
 public:
  Reader(Recorder& recorder, const std::string& port, int n)
      : x_(recorder.input(port, numbered(port, static_cast<std::size_t>(n)))) {}
  Expr next() { return x_[at_++]; }
  Vec vec() {
    const Expr a = next(), b = next(), c = next();
    return {{a, b, c}};
  }
  Mat3<Expr> mat() {
    const Vec a = vec(), b = vec(), c = vec();
    return {{{a[0], a[1], a[2]}, {b[0], b[1], b[2]}, {c[0], c[1], c[2]}}};
  }
  Sym3<Expr> sym() {
    const Vec a = vec(), b = vec();
    return {a[0], a[1], a[2], b[0], b[1], b[2]};
  }
  Screw screw() {
    Screw s;
    for (Vec* x : {&s.z, &s.v, &s.z1, &s.v1, &s.z2, &s.v2}) *x = vec();
    return s;
  }
  OneFrameForceColumn<Expr> force_column() {
    OneFrameForceColumn<Expr> y;
    y.E = mat(), y.H = mat();
    for (Vec* x : {&y.f, &y.f1, &y.kappa, &y.dF, &y.dN}) *x = vec();
    return y;
  }
  MinimalPairForceColumn<Expr> pair() {
    MinimalPairForceColumn<Expr> y;
    for (Vec* x : {&y.F, &y.Y, &y.b2, &y.F1, &y.P, &y.T, &y.s, &y.F2, &y.W}) *x = vec();
    return y;
  }

 private:
  Vector x_;
  std::size_t at_ = 0;
};

/// An output, value by value.
class Values {
 public:
  Values& add(const Vec& x) {
    for (int c = 0; c < 3; ++c) x_.push_back(x[c]);
    return *this;
  }
  Values& add(const Mat3<Expr>& x) {
    for (int r = 0; r < 3; ++r) add(Vec{{x(r, 0), x(r, 1), x(r, 2)}});
    return *this;
  }
  Values& add(const Sym3<Expr>& x) { return add(Vec{{x.xx, x.xy, x.xz}}).add(Vec{{x.yy, x.yz, x.zz}}); }
  Values& add(const Motion<Expr>& x) { return add(x.w).add(x.v); }
  void output(Recorder& recorder, const std::string& port) const { recorder.output(port, numbered(port, x_.size()), x_); }

 private:
  Vector x_;
};

/// What work(recorder) records.
template <class Work>
Program recorded(Work work) {
  Recorder recorder;
  work(recorder);
  return recorder.unfactored();
}

Program screws_kernel() {
  return recorded([](Recorder& r) {
    Reader place(r, "place", 14), body(r, "body", body_rows);
    const Mat3<Expr> R = place.mat();
    const Pose<Expr> pose{R, place.vec()};
    const Expr rate = place.next(), m = body.next();
    const Vec h = body.vec();
    const Inertia<Expr> I = to_parent(pose, Inertia<Expr>{m, h, body.sym()});
    const Expr turns = body.next(), slides = body.next();
    const Vec axis = detail::column(R, 2), z = turns * axis, v = detail::plus_cross(slides * axis, pose.d, z);
    Values().add(z).add(v).output(r, "screw");
    Values().add(rate * z).add(rate * v).output(r, "part");
    Values().add(I.h).add(I.moments).output(r, "mass");
  });
}

Program rates_kernel() {
  return recorded([](Recorder& r) {
    Reader place(r, "rate", 2), motion(r, "velocity", 6), screw(r, "screw", 6);
    const Expr rate = place.next(), second = place.next();
    const Vec w = motion.vec(), u = motion.vec(), z = screw.vec(), v = screw.vec();
    const Vec z1 = cross(w, z), v1 = detail::plus_cross(cross(w, v), u, z);
    Values().add(z1).add(v1).output(r, "rates");
    Values().add(second * z + rate * z1).add(second * v + rate * v1).output(r, "part");
  });
}

Program moments_kernel() {
  return recorded([](Recorder& r) {
    Reader velocity(r, "velocity", 6), acceleration(r, "acceleration", 6), screw(r, "screw", 12), body(r, "body", body_rows);
    Reader mass(r, "mass", 9);
    const Vec w = velocity.vec(), u = velocity.vec(), al = acceleration.vec(), a = acceleration.vec();
    const Vec z = screw.vec(), v = screw.vec(), z1 = screw.vec(), v1 = screw.vec();
    using detail::plus_cross;
    Values()
        .add(plus_cross(cross(al, z), w, z1))
        .add(plus_cross(plus_cross(plus_cross(cross(al, v), a, z), w, v1), u, z1))
        .output(r, "second");
    const Vec h = mass.vec();
    const MinimalMoments<Expr> x = one_frame_moments(Inertia<Expr>{body.next(), h, mass.sym()}, {w, u}, {al, a});
    Values().add(x.p).add(x.rate).add(x.wrench.f).add(x.wrench.n).output(r, "moments");
  });
}

Program force_column_kernel() {
  return recorded([](Recorder& r) {
    Reader screw(r, "screw", 18), mass(r, "mass", 27), total(r, "total", 1);
    const Screw j = screw.screw();
    MinimalMoments<Expr> x;
    x.m = total.next(), x.h = mass.vec(), x.second = mass.sym(), x.p = mass.vec(), x.rate = mass.mat();
    x.wrench.f = mass.vec(), x.wrench.n = mass.vec();
    const OneFrameForceColumn<Expr> y = one_frame_force_column(j, x);
    Values().add(y.E).add(y.H).add(y.f).add(y.f1).add(y.kappa).add(y.dF).add(y.dN).output(r, "force_column");
  });
}

/// Zero at every state: left out.
std::vector<RowEntry> output_entries(Recorder& recorder, const std::vector<NamedEntries>& all) {
  std::vector<RowEntry> entries;
  Vector values;
  for (const NamedEntries& x : all)
    if (x.value.ref() != Ref{})
      for (const RowEntry& e : x.entries) entries.push_back(e), values.push_back(x.value);
  recorder.output("entry", numbered("entry", values.size()), values);
  return entries;
}

template <class Work>
RowKernel entries_recorded(Work work) {
  Recorder recorder;
  std::vector<RowEntry> entries = output_entries(recorder, work(recorder));
  return {recorder.unfactored(), std::move(entries)};
}

void output(Recorder& recorder, const MinimalPairForceColumn<Expr>& y) {
  Values().add(y.F).add(y.Y).add(y.b2).add(y.F1).add(y.P).add(y.T).add(y.s).add(y.F2).add(y.W).output(recorder, "pair");
}

/// The first body's: its axes are the frame's. v2 = −g × z, which may be zero.
struct First {
  bool slides, falls;
  Screw screw(Recorder& recorder) const {
    const Vec o = zero3<Expr>(), axis{{Expr(0.0), Expr(0.0), Expr(1.0)}};
    Screw s{slides ? o : axis, slides ? axis : o, o, o, o, o};
    if (falls) s.v2 = Reader(recorder, "first", 3).vec();
    return s;
  }
};

void record_entries(const First& first, RowProgram& rows) {
  rows.first = entries_recorded([&](Recorder& r) {
    const Screw s = first.screw(r);
    return entries_of_two(one_frame_triple(s, one_frame_pair(s, Reader(r, "k", 33).force_column())));
  });
  rows.first_self = entries_recorded(
      [&](Recorder& r) { return entries_of_self(one_frame_triple(first.screw(r), Reader(r, "pair", 27).pair())); });
  rows.first_pair =
      entries_recorded([&](Recorder& r) { return entries_of(one_frame_triple(first.screw(r), Reader(r, "pair", 27).pair())); });
  const auto junction = [](Recorder& r, bool with_itself) {
    const Screw s = Reader(r, "j", 18).screw();
    MinimalPairForceColumn<Expr> y = one_frame_pair(s, Reader(r, "k", 33).force_column());
    if (with_itself) y.b2 = y.s = zero3<Expr>();  // e × e and what a second order of the same two changes
    output(r, y);
    return one_frame_triple(s, y);
  };
  rows.self = entries_recorded([&](Recorder& r) { return entries_of_one(junction(r, true)); });
  rows.pair = entries_recorded([&](Recorder& r) { return entries_of_two(junction(r, false)); });
  const auto above = [](Recorder& r) {
    const Screw s = Reader(r, "i", 18).screw();
    return one_frame_triple(s, Reader(r, "pair", 27).pair());
  };
  rows.above_self = entries_recorded([&](Recorder& r) { return entries_of_self(above(r)); });
  rows.above_pair = entries_recorded([&](Recorder& r) { return entries_of(above(r)); });
}

/// Pose of each body in the axes of the first, rates; motion of the first, and whether its axis is not along gravity.
Program places_of(const Model& model, const MinimalTree& tree, First& first) {
  Recorder recorder;
  const Vector q = recorder.coordinates(model), v = recorder.input("dq", prefixed("dq.", velocity_names(model))),
               a = recorder.input("ddq", prefixed("ddq.", velocity_names(model)));
  const std::size_t n = tree.bodies.size();
  const std::vector<MinimalPose<Expr>> poses = minimal_poses(tree, q.data());
  std::vector<Pose<Expr>> place{identity_pose<Expr>()};
  for (std::size_t b = 1; b < n; ++b) {
    const Pose<Expr> p = place[static_cast<std::size_t>(tree.bodies[b].parent)];
    const MinimalPose<Expr>& x = poses[b];
    place.push_back({{}, p.d + p.R * x.origin});
    for (int c = 0; c < 3; ++c) {
      const Vec e = p.R * from_joint(x, turn_z(x.turn, detail::column(identity3<Expr>(), c)));
      for (int r = 0; r < 3; ++r) place[b].R(r, c) = e[r];
    }
  }
  Vector rows(14 * kLanes, Expr(0.0));
  for (std::size_t b = 1; b < n; ++b) {
    const auto put = [&, lane = n - 1 - b](std::size_t row, const Expr& x) { rows[kLanes * row + lane] = x; };
    for (int c = 0; c < 9; ++c) put(static_cast<std::size_t>(c), place[b].R(c / 3, c % 3));
    for (int c = 0; c < 3; ++c) put(static_cast<std::size_t>(9 + c), place[b].d[c]);
    put(12, v[static_cast<std::size_t>(tree.bodies[b].v)]), put(13, a[static_cast<std::size_t>(tree.bodies[b].v)]);
  }
  recorder.output("place", numbered("place", rows.size()), rows);
  const MinimalBody& root = tree.bodies.front();
  const Vec o = zero3<Expr>(), axis{{Expr(0.0), Expr(0.0), Expr(1.0)}};
  const Vec lift = turn_back_z(poses[0].turn, to_joint(poses[0], -cast<Expr>(tree.gravity))), z = first.slides ? o : axis,
            u = first.slides ? axis : o, v2 = cross(lift, z);
  const Expr rate = v[static_cast<std::size_t>(root.v)], second = a[static_cast<std::size_t>(root.v)];
  for (int c = 0; c < 3; ++c) first.falls = first.falls || v2[c].ref() != Ref{};
  Values().add(v2).add(rate * z).add(rate * u).add(second * z).add(lift + second * u).output(recorder, "first");
  return recorder.unfactored();
}

}  // namespace

void record_kernels(const Model& model, const MinimalTree& tree, RowProgram& rows) {
  First first{tree.bodies.front().joint == BodyJoint::prismatic, false};
  rows.places = places_of(model, tree, first);
  rows.screws = screws_kernel(), rows.rates = rates_kernel(), rows.moments = moments_kernel(),
  rows.force_column = force_column_kernel();
  record_entries(first, rows);
}

}  // namespace sparsedyn
