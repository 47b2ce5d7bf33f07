#include "sparsedyn/urdf/load.hpp"

#include <algorithm>

#include "check_model.hpp"
#include "io/text_file.hpp"
#include "robot_elements.hpp"
#include "sparsedyn/model/detail/joint.hpp"
#include "spatial/snap.hpp"
#include "urdf/changes/options.hpp"
#include "urdf/dialects/dialects.hpp"
#include "urdfdom_model.hpp"

namespace sparsedyn {
namespace urdf {
namespace {

/// What is below it in a unit vector is rounding: of numbers of 14 digits, and of the way from angles to a matrix.
constexpr double turn_rounding = 1e-14;

/// urdfdom's rotation (a unit quaternion) as a matrix.
Mat3<double> matrix(const ::urdf::Rotation& r) {
  const double u[4] = {r.x, r.y, r.z, r.w};
  return rotation_from_quaternion(u);
}
Vec3<double> vector(const ::urdf::Vector3& v) { return {{v.x, v.y, v.z}}; }

/// Turns elements into a Model: urdfdom's numbers in the file's order.
class Builder {
 public:
  Builder(const XmlFile& file, const RobotElements& robot, const LoadOptions& options, const std::vector<Mimic>& mimics,
          LoadReport& report)
      : file_(file),
        robot_(robot),
        mimics_(mimics),
        changes_(robot, options, mimics),
        options_(options),
        report_(report),
        moves_(robot.joints.size(), false),
        read_(urdfdom_model(file, robot)) {}

  Model build() {
    ModelBuilder builder(robot_.name, options_.gravity);
    const std::string& root = robot_.links[robot_.root].name;
    builder.root(root, inertia(robot_.root), options_.floating);
    // Depth first, siblings in file order; a stack of joints, since a chain may be longer than the call stack.
    std::vector<int> open = below(robot_.root);
    while (!open.empty()) {
      const int j = open.back();
      open.pop_back();
      add(j, builder);
      for (int next : below(robot_.joints[j].child)) open.push_back(next);
    }
    note_massless();
    for (std::size_t j = 0; j < robot_.joints.size(); ++j)
      if (!moves_[j] && (robot_.joints[j].kind != JointKind::fixed)) report_.absent.push_back(robot_.joints[j].name);
    Model model = builder.build();
    for (Link& link : model.links) link.visuals = robot_.links[robot_.link_index.at(link.name)].visuals;
    return model;
  }

  /// Of the joints that move.
  std::vector<JointCoupling> couplings() const {
    std::vector<JointCoupling> found;
    for (std::size_t j = 0; j < mimics_.size(); ++j)
      if (const Mimic& m = mimics_[j]; m.leader >= 0 && moves_[j])
        found.push_back({robot_.joints[j].name, robot_.joints[m.leader].name, m.multiplier, m.offset});
    return found;
  }

 private:
  void note_massless() {
    for (int j : changes_.massless) {
      const JointElement& joint = robot_.joints[j];
      warn(file_, joint.line, "joint \"" + joint.name + "\"", "moves no mass and no inertia; locked at 0", report_);
      report_.locked.push_back(joint.name);
    }
  }

  /// The joints below a link that are not cut off, last first.
  std::vector<int> below(int link) const {
    std::vector<int> joints;
    for (int j : robot_.joints_below[link])
      if (!changes_.cut[robot_.joints[j].child]) joints.push_back(j);
    std::reverse(joints.begin(), joints.end());
    return joints;
  }

  Inertia<double> inertia(int link) const {
    const ::urdf::Inertial* given = read_->links_.at("l" + std::to_string(link))->inertial.get();
    if (!given) return zero_inertia<double>();
    Mat3<double> R = matrix(given->origin.rotation);
    snap(R, std::max(options_.snap, turn_rounding));
    const Sym3<double> tensor{given->ixx, given->ixy, given->ixz, given->iyy, given->iyz, given->izz};
    return inertia_about_com(given->mass, vector(given->origin.position), rotated(R, tensor));
  }

  /// Makes the entries of a rotation or an axis exact, and counts those that the user's tolerance made so.
  template <class Entries>
  void made_exact(Entries& entries) {
    const int count = snap(entries, std::max(options_.snap, turn_rounding));
    if (options_.snap > 0) report_.snapped += count;
  }

  void add(int j, ModelBuilder& builder) {
    const JointElement& joint = robot_.joints[j];
    const ::urdf::Joint& given = *read_->joints_.at("j" + std::to_string(j));
    Pose<double> placement{matrix(given.parent_to_joint_origin_transform.rotation),
                           vector(given.parent_to_joint_origin_transform.position)};
    made_exact(placement.R);
    JointSpec spec;
    spec.kind = joint.kind;
    if (joint.kind != JointKind::fixed && joint.kind != JointKind::floating) {
      spec.axis = vector(given.axis);
      made_exact(spec.axis);
    }
    if (const double* value = changes_.locked_at(j)) {
      if (joint.kind != JointKind::planar && joint.kind != JointKind::floating)  // these are locked at 0: the placement stays
        placement = locked_placement(placement, spec, *value);
      made_exact(placement.R);
      spec.kind = JointKind::fixed;
      report_.held.emplace_back(joint.name, *value);
    }
    moves_[static_cast<std::size_t>(j)] = spec.kind != JointKind::fixed;
    builder.link(robot_.links[joint.child].name, inertia(joint.child), robot_.links[joint.parent].name, joint.name, spec,
                 placement);
  }

  const XmlFile& file_;
  const RobotElements& robot_;
  const std::vector<Mimic>& mimics_;
  const Changes changes_;
  const LoadOptions& options_;
  LoadReport& report_;
  std::vector<bool> moves_;  // by joint
  ::urdf::ModelInterfaceSharedPtr read_;
};

}  // namespace
}  // namespace urdf

Model parse_urdf(const std::string& text, const std::string& name, const LoadOptions& options, LoadReport* report) {
  LoadReport own;
  LoadReport& notes = report ? *report : own;
  const urdf::XmlFile file(text, name);
  const urdf::RobotElements robot = urdf::read_robot(file, options.lenient, notes);
  urdf::check_reserved_names(file, robot, options.floating);
  const std::vector<urdf::Mimic> mimics = options.mimic ? urdf::read_mimics(file, robot, notes) : std::vector<urdf::Mimic>();
  urdf::Builder builder(file, robot, options, mimics, notes);
  Model model = builder.build();
  const std::vector<JointCoupling> couplings = builder.couplings();
  urdf::check_model(file, robot, model, couplings, options, notes);
  urdf::set_limits(file, robot, model, notes);
  urdf::check_locks(file, robot, options, notes);
  if (options.dynamics) urdf::set_dynamics(file, robot, model, notes);
  if (options.dynamics) urdf::set_springs(file, robot, model, notes);
  if (options.transmissions) urdf::set_rotors(file, robot, model, notes);
  return coupled(model, couplings);
}

Model load_urdf(const std::string& path, const LoadOptions& options, LoadReport* report) {
  return parse_urdf(read_text_file(path, "a URDF file"), path, options, report);
}

}  // namespace sparsedyn
