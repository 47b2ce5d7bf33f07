// Robots and states at which formulas that take differences of nearly equal numbers lose digits: axes near ±x, ±y, ±z and near
// their parent's, placements and angles near multiples of π/2, masses and lengths over many decades.
#pragma once

#include <vector>

#include "sparsedyn/model/model.hpp"

namespace sparsedyn::test {

/// A joint as a file would state it, before the Model turns its frame: the placement by xyz and rpy, the axis as given.
/// Here a composite joint is as many of these as it has parts.
struct AwkwardPart {
  JointSpec joint;
  Vec3<double> xyz, rpy;
};

/// A link, the joint that it hangs on, and its inertia about its centre of mass in its own axes.
struct AwkwardLink {
  int parent;  // link; -1: the root
  std::vector<AwkwardPart> parts;
  double mass;
  Vec3<double> com;
  Sym3<double> tensor;
};

struct AwkwardRobot {
  bool floating;
  Vec3<double> gravity;
  std::vector<AwkwardLink> links;  // links[0] is the root, without parts
  Model model;
};

struct AwkwardState {
  std::vector<double> q, v, a, tau;
  std::vector<Force<double>> wrenches;  // of the world on each link, in the link's frame
};

struct AwkwardOptions {
  double decades = 12;  // masses and lengths spread over at most so many
  std::vector<JointKind> kinds = {JointKind::revolute,  JointKind::continuous, JointKind::prismatic, JointKind::helical,
                                  JointKind::universal, JointKind::spherical,  JointKind::planar,    JointKind::floating,
                                  JointKind::composite, JointKind::fixed};
};

/// 2 to 8 joints. A seed means one robot.
AwkwardRobot awkward_robot(unsigned seed, const AwkwardOptions& options = {});

/// Angles and quaternions within 1e-1 … 1e-12 of multiples of π/2 or anywhere; v, a, tau and wrenches over a few decades.
/// Quaternions are of unit length.
AwkwardState awkward_state(const AwkwardRobot& robot, unsigned seed);

}  // namespace sparsedyn::test
