// Gazebo's springs, and what says something of springs and damping but adds nothing.
//   <gazebo reference="JOINT"><springStiffness>k</springStiffness><springReference>q0</springReference></gazebo>
// pulls the joint by −k (q − q0), so that the motor's torque has k q − k q0 beside the rest: stiffness k, offset −k q0.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "dialects.hpp"
#include "io/number.hpp"
#include "sparsedyn/model/joint_physics.hpp"

namespace sparsedyn::urdf {
namespace {

using tinyxml2::XMLElement;

class Springs {
 public:
  Springs(const XmlFile& file, const RobotElements& robot, Model& model, LoadReport& report)
      : file_(file), robot_(robot), model_(model), report_(report) {}

  void read(const XMLElement& gazebo) {
    const char* const name = gazebo.Attribute("reference");
    const auto found = name ? robot_.joint_index.find(name) : robot_.joint_index.end();
    const XMLElement* const stiffness = gazebo.FirstChildElement("springStiffness");
    const XMLElement* const rest = gazebo.FirstChildElement("springReference");
    if (found == robot_.joint_index.end()) {
      if (const XMLElement* const lost = stiffness ? stiffness : rest)
        note(*lost, "<gazebo>", "adds nothing: reference=\"JOINT\" names no joint");
      return;
    }
    const JointElement& joint = robot_.joints[static_cast<std::size_t>(found->second)];
    owner_ = "joint \"" + joint.name + "\"";
    if (stiffness) return add(gazebo, joint, *stiffness, rest);
    if (rest) note(*rest, owner_, "adds nothing without a springStiffness");
    warn_of_others(gazebo, joint);
  }

 private:
  void note(const XMLElement& e, const std::string& owner, const std::string& text) {
    warn(file_, e.GetLineNum(), inside(owner, e), text, report_);
  }

  void add(const XMLElement& gazebo, const JointElement& joint, const XMLElement& stiffness, const XMLElement* rest) {
    file_.child(gazebo, "springStiffness", owner_), file_.child(gazebo, "springReference", owner_);
    const double k = file_.numbers_in(stiffness, 1, owner_)[0], q0 = rest ? file_.numbers_in(*rest, 1, owner_)[0] : 0;
    if (k < 0) file_.fail(stiffness.GetLineNum(), inside(owner_, stiffness), number_text(k), "a number >= 0");
    if (!std::isfinite(k * q0))
      file_.fail(stiffness.GetLineNum(), inside(owner_, stiffness), "a torque at q = 0 that is not finite",
                 "a spring's numbers");
    if (!done_.insert(joint.name).second)
      file_.fail(stiffness.GetLineNum(), inside(owner_, stiffness), "a second spring of the joint", "one");
    if (joint.kind == JointKind::fixed) return note(stiffness, owner_, "the joint is fixed; its spring is passed over");
    if (k == 0) return;
    change_physics(file_, stiffness, owner_, "spring", joint.name, model_, [&](JointPhysics& physics) {
      physics.stiffness = k;
      physics.offset -= k * q0;
    });
  }

  /// <implicitSpringDamper> where there is nothing to be damped, and SDF's own elements, which Gazebo does not take from there.
  void warn_of_others(const XMLElement& gazebo, const JointElement& joint) {
    const XMLElement* const implicit = gazebo.FirstChildElement("implicitSpringDamper");
    const bool on = implicit && implicit->GetText() &&
                    (std::strcmp(implicit->GetText(), "true") == 0 || std::strcmp(implicit->GetText(), "1") == 0);
    if (on && !joint.element->FirstChildElement("dynamics"))
      note(*implicit, owner_, "adds nothing: the joint has no springStiffness and no <dynamics>");
    for (const char* kind : {"damping", "friction", "dynamics", "spring_stiffness", "spring_reference"})
      if (const XMLElement* const e = gazebo.FirstChildElement(kind))
        note(*e, owner_, "is not read in <gazebo>; <dynamics> in <joint>, springStiffness and springReference are");
  }

  const XmlFile& file_;
  const RobotElements& robot_;
  Model& model_;
  LoadReport& report_;
  std::string owner_;           // of the joint at hand
  std::set<std::string> done_;  // joints with springs
};

bool is_spring(const XMLElement& gazebo) {
  const XMLElement* const e = gazebo.FirstChildElement("springStiffness");
  double k = 0;
  return e && (!e->GetText() || read_number(e->GetText(), k) != NumberText::number || k != 0);
}

}  // namespace

void set_springs(const XmlFile& file, const RobotElements& robot, Model& model, LoadReport& report) {
  Springs springs(file, robot, model, report);
  for (auto* e = file.root().FirstChildElement("gazebo"); e; e = e->NextSiblingElement("gazebo")) springs.read(*e);
  report.ignored.erase(std::remove(report.ignored.begin(), report.ignored.end(), "springStiffness"), report.ignored.end());
}

void note_loops(const XmlFile& file, LoadReport& report) {
  const auto loop = [&](const XMLElement& e, const std::string& owner) {
    const char* const name = e.Attribute("name");
    warn(file, e.GetLineNum(),
         (owner.empty() ? "" : owner + " ") + "<" + e.Name() + ">" + (name ? " \"" + std::string(name) + "\"" : ""),
         "holds links together beside the tree, and does not enter; --constraints states loops", report);
  };
  for (auto* e = file.root().FirstChildElement(); e; e = e->NextSiblingElement()) {
    for (const char* kind : {"loop_joint", "drake:ball_constraint", "drake:linear_spring_damper", "drake:linear_bushing_rpy"})
      if (std::strcmp(e->Name(), kind) == 0) loop(*e, "");
    if (std::strcmp(e->Name(), "gazebo") != 0) continue;
    for (auto* joint = e->FirstChildElement("joint"); joint; joint = joint->NextSiblingElement("joint"))
      loop(*joint, "<gazebo>");
    if (is_spring(*e)) report.ignored.push_back("springStiffness");
  }
}

}  // namespace sparsedyn::urdf
