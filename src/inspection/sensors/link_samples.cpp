#include "link_samples.hpp"

#include <algorithm>
#include <cmath>

#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/dynamics/regressor.hpp"
#include "sparsedyn/dynamics/rnea.hpp"

namespace sparsedyn::inspection {

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
  std::vector<double> tau(motion.v.size());
  std::vector<Force<double>> links(x.model.links.size());
  for_each_state(x, motion, most, [&](std::size_t i, const double* q, const double* v, const double* a) {
    wrenches.at(i, links.data());
    rnea(x.model, work, q, v, a, static_cast<const Force<double>*>(nullptr), tau.data());
    forward_kinematics(x.model, work, q, v, a);
    use({i, &work, links.data()});
  });
}

}  // namespace sparsedyn::inspection
