// What a URDF says about the dynamics, element by element, with lines: the validated form from which the Model is built.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "sparsedyn/model/model.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "xml_file.hpp"

namespace sparsedyn::urdf {

/// An <origin>: position (m), and roll, pitch, yaw about fixed axes (rad).
struct Origin {
  Vec3<double> xyz{}, rpy{};
};

struct LinkElement {
  std::string name;
  long line;
  bool has_inertial = false;
  Origin inertial_origin;  // of the centre of mass's frame in the link's
  double mass = 0;         // kg
  Sym3<double> tensor{};   // about the centre of mass, in its frame, kg m²
  long tensor_line = 0;
  std::vector<VisualShape> visuals;
};

struct JointElement {
  std::string name;
  long line;
  JointKind kind;
  Origin origin;                                  // in the parent link's frame
  Vec3<double> axis{{1, 0, 0}};                   // as written; joints without an axis keep this one
  int parent = -1, child = -1;                    // links
  const tinyxml2::XMLElement* element = nullptr;  // itself, as long as its file
  std::string mimics;                             // the joint that this one should follow, or empty
};

struct RobotElements {
  std::string name;
  long line;
  std::vector<LinkElement> links;                      // file order
  std::vector<JointElement> joints;                    // file order
  std::map<std::string, int> link_index, joint_index;  // by name
  int root = -1;                                       // link
  std::vector<int> joint_above;                        // of each link; -1 at the root
  std::vector<std::vector<int>> joints_below;          // of each link, in file order
};

/// Reads <robot>'s links and joints. Throws InputError; adds warnings and passed-over kinds of elements to the report.
/// `lenient`: macros that xacro left behind are warnings.
RobotElements read_robot(const XmlFile& file, bool lenient, LoadReport& report);

// Its parts, in the order in which they run:
LinkElement read_link(const XmlFile& file, const tinyxml2::XMLElement& element, LoadReport& report);
/// Of a link, `owner`. One that cannot be read moves nothing: it is left out with a warning.
std::vector<VisualShape> read_visuals(const XmlFile& file, const tinyxml2::XMLElement& link, const std::string& owner,
                                      LoadReport& report);
/// `links`: indices by name.
JointElement read_joint(const XmlFile& file, const tinyxml2::XMLElement& element, const std::map<std::string, int>& links,
                        LoadReport& report);
/// Position, velocity and effort limits of joints with one freedom. What cannot be read is passed over with a warning.
void set_limits(const XmlFile& file, const RobotElements& robot, Model& model, LoadReport& report);
/// Warns of joints that LoadOptions::lock holds beyond their limits.
void check_locks(const XmlFile& file, const RobotElements& robot, const LoadOptions& options, LoadReport& report);

/// Damping and friction. Throws InputError for numbers that are none or negative, and on joints with several freedoms.
void set_dynamics(const XmlFile& file, const RobotElements& robot, Model& model, LoadReport& report);
/// Of the <origin> in an element, or none: xyz and rpy or quat_xyzw. Throws InputError where it has both.
Origin read_origin(const XmlFile& file, const tinyxml2::XMLElement& of, const std::string& owner, LoadReport& report);
/// Roll, pitch and yaw of a quaternion x y z w, which is normalised: with a warning where it is off by more than 1e-6. Throws
/// InputError where it vanishes. `element`: whose it is, for messages.
Vec3<double> rpy_from_quaternion(const XmlFile& file, long line, const std::string& element, std::array<double, 4> u,
                                 LoadReport& report);
/// Refuses a negative mass and numbers beyond all robots; warns of moments that no rigid body has and of inertia without mass:
/// the link may be part of a body that has sense as a whole (check_bodies).
void check_inertial(const XmlFile& file, const LinkElement& link, const tinyxml2::XMLElement& inertial, LoadReport& report);
bool has_inertia(const LinkElement& link);
/// Fills root, joint_above and joints_below, or refuses what is not one tree.
void connect(const XmlFile& file, RobotElements& robot);

/// Notes the children and attributes that are not among those read: kinds for the report (which read_robot sorts at last), and
/// a warning where one looks like a mistyped one of `read`. Kinds in `elsewhere` belong to others (geometry, sensors) and are
/// not worth a word.
void note_ignored_children(const XmlFile& file, const tinyxml2::XMLElement& of, const std::string& owner,
                           const std::vector<std::string>& read, const std::vector<std::string>& elsewhere, LoadReport& report);
/// Of an element that counts once, and of which the first counts where there are several: warns of the others.
void note_repeated(const XmlFile& file, const tinyxml2::XMLElement& of, const char* kind, const std::string& owner,
                   LoadReport& report);
void note_ignored_attributes(const XmlFile& file, const tinyxml2::XMLElement& of, const std::string& owner,
                             const std::vector<std::string>& read, LoadReport& report);

/// `FILE:LINE: ELEMENT: TEXT` among the warnings.
void warn(const XmlFile& file, long line, const std::string& element, const std::string& text, LoadReport& report);

}  // namespace sparsedyn::urdf
