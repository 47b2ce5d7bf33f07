#include "link_wrenches.hpp"

#include <algorithm>

#include "sparsedyn/dynamics/kinematics.hpp"

namespace sparsedyn {
namespace {

Vec3<double> three(const double* x) { return {{x[0], x[1], x[2]}}; }

bool is_pair(const RowBlock& b) { return b.type == ConstraintType::connect || b.type == ConstraintType::weld; }

}  // namespace

LinkWrenches::LinkWrenches(const Model& model, const ConstraintSet& set)
    : model_(model),
      rows_(model, resolved(model, set, inverse_weights(model))),
      work_(model),
      wrenches_(model.links.size()),
      pressing_(model.links.size(), 0.0),
      tied_(model.links.size(), 0),
      own_(model.links.size(), 0),
      stands_on_(model.links.size()) {
  list_own(), list_stands_on();
}

void LinkWrenches::list_own() {
  for (const RowBlock& b : rows_.blocks())
    for (int side = 0; side < 2; ++side) {
      const int link = b.link[side];
      if (link < 0 || !(b.is_contact() || is_pair(b))) continue;
      const bool tied = is_pair(b) && b.link[1 - side] < 0;
      if (tied) tied_[static_cast<std::size_t>(link)] = 1;
      if (tied || b.is_contact()) own_[static_cast<std::size_t>(link)] = 1;
    }
}

/// Links on fixed joints move with one body; those fixed to the world have none and count alone.
void LinkWrenches::list_stands_on() {
  const auto links = static_cast<int>(model_.links.size());
  for (int link = 0; link < links; ++link) {
    const int body = model_.links[static_cast<std::size_t>(link)].body;
    for (int other = 0; other < links; ++other) {
      const bool same = other == link || (body >= 0 && model_.links[static_cast<std::size_t>(other)].body == body);
      if (has_own(other) && (has_own(link) ? other == link : same)) stands_on_[static_cast<std::size_t>(link)].push_back(other);
    }
  }
}

double LinkWrenches::pressing(int link) const {
  double sum = 0;
  for (int on : stands_on_[static_cast<std::size_t>(link)]) sum += pressing_[static_cast<std::size_t>(on)];
  return sum;
}

bool LinkWrenches::stands(int link) const {
  const std::vector<int>& on = stands_on_[static_cast<std::size_t>(link)];
  return std::any_of(on.begin(), on.end(), [&](int l) { return tied_[static_cast<std::size_t>(l)] != 0; }) ||
         pressing(link) > 0;
}

/// At a point of the world, in its axes.
void LinkWrenches::add(int link, const Vec3<double>& point, const Vec3<double>& force, const Vec3<double>& moment) {
  if (link < 0) return;
  const Pose<double> pose = link_pose(model_, work_, link);
  Force<double>& sum = wrenches_[static_cast<std::size_t>(link)];
  sum.n += transposed_times(pose.R, moment + cross(point - pose.d, force));
  sum.f += transposed_times(pose.R, force);
}

/// f: force on the first link in the world's axes, from the torsional row on also the moment about the point.
void LinkWrenches::add_contact(const RowBlock& b, const RowBlockState& s, const double* f) {
  if (!s.active) return;
  const Vec3<double> force = three(f), moment = b.forces > 3 ? three(f + 3) : zero3<double>();
  add(b.link[0], s.point, force, moment), add(b.link[1], s.point, -1.0 * force, -1.0 * moment);
  const double along = dot(force, Vec3<double>{{s.axes(0, 0), s.axes(0, 1), s.axes(0, 2)}});
  for (int link : b.link)
    if (link >= 0) pressing_[static_cast<std::size_t>(link)] += along;
}

/// f: of a connect the force, of a weld moment and force on the first link, at each link's own point.
void LinkWrenches::add_pair(const RowBlock& b, const double* f) {
  const bool weld = b.type == ConstraintType::weld;
  const Vec3<double> force = three(weld ? f + 3 : f), moment = weld ? three(f) : zero3<double>();
  for (int side = 0; side < 2; ++side) {
    if (b.link[side] < 0) continue;
    const double sign = side == 0 ? 1 : -1;
    const Vec3<double> point = (link_pose(model_, work_, b.link[side]) * b.frames[side]).d;
    add(b.link[side], point, sign * force, sign * moment);
  }
}

void LinkWrenches::at(const double* q, const double* v, const double* lambda) {
  for (Force<double>& x : wrenches_) x = {zero3<double>(), zero3<double>()};
  std::fill(pressing_.begin(), pressing_.end(), 0.0);
  rows_.at(work_, q, v);
  for (std::size_t k = 0; k < rows_.blocks().size(); ++k) {
    const RowBlock& b = rows_.blocks()[k];
    if (b.is_contact()) add_contact(b, rows_.states()[k], lambda + b.first_force);
    if (is_pair(b)) add_pair(b, lambda + b.first_force);
  }
}

}  // namespace sparsedyn
