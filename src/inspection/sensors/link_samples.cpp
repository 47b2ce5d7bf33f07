#include "link_samples.hpp"

#include <algorithm>
#include <cmath>

#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/dynamics/regressor.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/model/configuration.hpp"

namespace sparsedyn::inspection {
namespace {

bool all_finite(const std::vector<double>& x) {
  return std::all_of(x.begin(), x.end(), [](double value) { return std::isfinite(value); });
}

}  // namespace

BodyMotion<double> LinkSample::frame_motion(const Model& model, const Measurement& m) const {
  const Link& link = model.links[static_cast<std::size_t>(m.link)];
  const Pose<double> frame = link.pose * m.frame;
  if (link.body >= 0) return detail::link_motion(frame, work->motion[static_cast<std::size_t>(link.body)]);
  BodyMotion<double> still{};
  still.a = transposed_times(frame.R, -model.gravity);
  return still;
}

LinkSample::Inertial LinkSample::inertial(const Model& model, const Measurement& m) const {
  const BodyMotion<double> motion = frame_motion(model, m);
  const Pose<double> frame = link_pose(model, *work, m.link) * m.frame;
  return {motion.a, motion.w, transposed_times(frame.R, -model.gravity)};
}

Force<double> LinkSample::through(const Model& model, const Measurement& m, const std::vector<char>& behind) const {
  Force<double> sum{zero3<double>(), zero3<double>()};  // in the world
  for (std::size_t l = 0; l < model.links.size(); ++l) {
    if (!behind[l]) continue;
    const Link& link = model.links[l];
    Force<double> wrench{-link_wrenches[l].n, -link_wrenches[l].f};
    if (link.body >= 0)
      wrench = wrench +
               inertial_wrench(link.inertia, detail::link_motion(link.pose, work->motion[static_cast<std::size_t>(link.body)]));
    else
      wrench = wrench + Force<double>{cross(link.inertia.h, transposed_times(link.pose.R, -model.gravity)),
                                      link.inertia.m * transposed_times(link.pose.R, -model.gravity)};
    sum = sum + to_parent(link_pose(model, *work, static_cast<int>(l)), wrench);
  }
  const Force<double> there = to_child(link_pose(model, *work, m.link) * m.frame, sum);
  return {m.sign * there.n, m.sign * there.f};
}

std::vector<char> links_behind(const Model& model, int link) {
  std::vector<char> behind(model.links.size(), 0);
  behind[static_cast<std::size_t>(link)] = 1;
  for (std::size_t l = static_cast<std::size_t>(link) + 1; l < model.links.size(); ++l)
    if (const int parent = model.links[l].parent; parent >= 0) behind[l] = behind[static_cast<std::size_t>(parent)];
  return behind;
}

void for_each_sample(Examination& x, const WholeMotion& motion, const KnownWrenches& wrenches, std::size_t most,
                     const std::function<void(const LinkSample&)>& use) {
  Workspace<double> work(x.model);
  std::vector<double> q(motion.q.size()), v(motion.v.size()), a(motion.v.size()), tau(motion.v.size());
  std::vector<Force<double>> links(x.model.links.size());
  const std::size_t stride = std::max<std::size_t>(1, x.samples() / most);
  for (std::size_t i = 0; i < x.samples(); i += stride) {
    for (std::size_t k = 0; k < q.size(); ++k) q[k] = motion.q[k][i];
    for (std::size_t k = 0; k < v.size(); ++k) v[k] = motion.v[k][i], a[k] = motion.a[k][i];
    if (!all_finite(q) || !all_finite(v) || !all_finite(a) || !normalise(x.model, q.data())) continue;
    wrenches.at(i, links.data());
    rnea(x.model, work, q.data(), v.data(), a.data(), static_cast<const Force<double>*>(nullptr), tau.data());
    forward_kinematics(x.model, work, q.data(), v.data(), a.data());
    use({i, &work, links.data()});
  }
}

}  // namespace sparsedyn::inspection
