// sparsedyn info: what a robot is made of.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <sstream>

#include "cli/logs/system_inputs.hpp"
#include "cli/reports/base_parameters.hpp"
#include "cli/support/command.hpp"
#include "cli/support/exit_code.hpp"
#include "cli/support/json_text.hpp"
#include "cli/support/messages.hpp"
#include "cli/support/options.hpp"
#include "io/csv_writer.hpp"
#include "io/number.hpp"
#include "io/text/aligned.hpp"
#include "program.hpp"
#include "sparsedyn/dynamics/momentum.hpp"
#include "sparsedyn/dynamics/regressor.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/json/robot_file.hpp"

namespace sparsedyn::cli {
namespace {

struct InfoOptions {
  CommonOptions common;
  RobotOptions robot;
  std::string log_header;  // a sensor set
  bool base_parameters = false;
  std::string save;  // a robot file
};

std::string link_name(const Model& model, int link) { return link < 0 ? "world" : model.links[link].name; }

std::vector<std::string> slice(const std::vector<std::string>& names, int first, int count) {
  return {names.begin() + first, names.begin() + first + count};
}

Json physics_json(const JointPhysics& p) {
  Json json{{"armature", p.armature},
            {"damping", p.damping},
            {"friction", p.friction},
            {"offset", p.offset},
            {"smoothing", p.smoothing}};
  if (p.stribeck != 0) json["stribeck"] = p.stribeck, json["stribeck_velocity"] = p.stribeck_velocity;
  if (p.stiffness) json["stiffness"] = *p.stiffness;
  return json;
}

/// What enters beside the bodies, by joint.
Json physics_json(const Model& model) {
  Json joints = Json::object();
  const Model& tree = model.tree();
  for (const Joint& joint : tree.joints)
    if (!tree.physics.empty() && !tree.physics[joint.v].none()) joints[joint.name] = physics_json(tree.physics[joint.v]);
  return joints;
}

std::string physics_text(const JointPhysics& p) {
  std::string text;
  const auto add = [&](const char* name, double x) {
    if (x != 0) text += (text.empty() ? "" : ", ") + std::string(name) + " " + number_text(x);
  };
  add("armature", p.armature), add("damping", p.damping), add("friction", p.friction);
  if (p.friction != 0) add("smoothed at", p.smoothing);
  if (p.friction != 0 && p.stribeck != 0) add("share lost in sliding", p.stribeck), add("half of it at", p.stribeck_velocity);
  add("offset", p.offset), add("stiffness", p.stiffness.value_or(0));
  return text;
}

/// Limits that are finite, or nothing.
Json limits_json(const Model& model, const Joint& joint) {
  Json limits = Json::object();
  if (model.limits.empty() || joint.nv != 1) return limits;
  const JointLimits& l = model.limits[joint.v];
  for (const auto& [name, x] :
       {std::pair<const char*, double>{"lower", l.lower}, {"upper", l.upper}, {"velocity", l.velocity}, {"effort", l.effort}})
    if (std::isfinite(x)) limits[name] = x;
  return limits;
}

/// Couplings by the joint that follows.
std::map<std::string, const JointCoupling*> couplings_of(const Model& model) {
  std::map<std::string, const JointCoupling*> couplings;
  if (model.coordinate_map)
    for (const JointCoupling& c : model.coordinate_map->couplings) couplings.emplace(c.joint, &c);
  return couplings;
}

Json joints_json(const Model& model) {
  const std::vector<std::string> q = coordinate_names(model), v = velocity_names(model);
  Json joints = Json::array();
  for (const Joint& joint : model.joints)
    joints.push_back({{"name", joint.name},
                      {"kind", kind_name(joint.kind)},
                      {"parent", link_name(model, joint.parent_link)},
                      {"child", link_name(model, joint.child_link)},
                      {"q", slice(q, joint.q, joint.nq)},
                      {"v", slice(v, joint.v, joint.nv)},
                      {"limits", limits_json(model, joint)}});
  const auto couplings = couplings_of(model);
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    if (const auto c = couplings.find(model.joints[j].name); c != couplings.end())
      joints[j]["mimic"] = {{"joint", c->second->leader}, {"multiplier", c->second->multiplier}, {"offset", c->second->offset}};
  return joints;
}

/// `body`: the link that leads the body into which this one is lumped, "world" where it does not move.
Json links_json(const Model& model) {
  Json links = Json::array();
  for (const Link& link : model.links)
    links.push_back({{"name", link.name},
                     {"parent", link_name(model, link.parent)},
                     {"joint", link.joint},
                     {"fixed", link.moving_joint < 0},
                     {"body", link.body < 0 ? "world" : link_name(model, model.leading_link(link.body))},
                     {"mass", link.inertia.m}});
  return links;
}

Json info_json(const Model& model, const LoadReport& report) {
  return {{"name", model.name},
          {"floating", model.floating()},
          {"gravity", {model.gravity[0], model.gravity[1], model.gravity[2]}},
          {"nq", model.nq},
          {"nv", model.nv},
          {"mass", total_mass(model)},
          {"moving_mass", moving_mass(model)},
          {"velocity_names", velocity_names(model)},
          {"coordinate_names", coordinate_names(model)},
          {"force_names", force_names(model)},
          {"parameter_names", parameter_names(model)},
          {"joints", joints_json(model)},
          {"joint_physics", physics_json(model)},
          {"links", links_json(model)},
          {"snapped", report.snapped},
          {"locked_massless", report.locked},
          {"ignored", report.ignored},
          {"warnings", report.warnings}};
}

/// Which options bring in what is passed over.
std::string options_for(const std::vector<std::string>& ignored) {
  const auto among = [&](const char* kind) { return std::count(ignored.begin(), ignored.end(), kind) > 0; };
  std::string text;
  if (among("dynamics") || among("springStiffness")) text += "; --urdf-dynamics reads damping, friction and springs";
  if (among("transmission")) text += "; --urdf-transmissions reads rotors";
  return text;
}

std::string joints_text(const Model& model) {
  const auto couplings = couplings_of(model);
  std::vector<std::vector<std::string>> rows;
  for (const Joint& joint : model.joints) {
    rows.push_back({joint.name + ":", kind_name(joint.kind) + std::string(","), link_name(model, joint.parent_link), "->",
                    link_name(model, joint.child_link)});
    if (const auto c = couplings.find(joint.name); c != couplings.end())
      rows.back().push_back("follows " + c->second->leader + ": " + number_text(c->second->multiplier) + " q + " +
                            number_text(c->second->offset));
  }
  return aligned(rows, "", "  ", " ");
}

/// Masses stand with their points below each other.
std::string links_text(const Model& model) {
  std::vector<std::vector<std::string>> rows;
  for (const Link& link : model.links) {
    std::ostringstream mass;
    mass << link.inertia.m;
    const std::size_t point = std::min(mass.str().find_first_of(".e"), mass.str().size());
    const std::string fate = link.body < 0           ? "fixed to the world"
                             : link.moving_joint < 0 ? "lumped into " + link_name(model, model.leading_link(link.body))
                                                     : "";
    rows.push_back({link.name + ":", mass.str().substr(0, point), mass.str().substr(point), fate});
  }
  std::vector<std::vector<std::string>> numbers;
  for (const auto& row : rows) numbers.push_back({row[1], row[2]});
  std::istringstream lines(aligned(numbers, "rl", "", ""));
  for (auto& row : rows) {
    std::string number;
    std::getline(lines, number);
    row = {row[0], number, "kg" + std::string(row[3].empty() ? "" : ","), row[3]};
  }
  return aligned(rows, "", "  ", " ");
}

std::string info_text(const Model& model, const LoadReport& report) {
  std::ostringstream out;
  out << "robot " << model.name << ": " << model.links.size() << " links, " << model.joints.size() << " moving joints, nq "
      << model.nq << ", nv " << model.nv << ", mass " << total_mass(model) << " kg (" << moving_mass(model)
      << " kg moving), root " << model.links[0].name << (model.floating() ? " floating" : " fixed to the world") << "\n\n";
  out << "joints, in the order of v:\n" << joints_text(model);
  const Model& tree = model.tree();
  std::vector<std::vector<std::string>> physics;
  for (const Joint& joint : tree.joints)
    if (!tree.physics.empty() && !tree.physics[joint.v].none())
      physics.push_back({joint.name + ":", physics_text(tree.physics[joint.v])});
  if (!tree.physics.empty()) out << "\nwhat joints add:\n" << aligned(physics, "ll", "  ", " ");
  out << "\nlinks:\n" << links_text(model);
  out << "\nrotation entries made exact: " << report.snapped << "\n";
  if (!report.locked.empty())
    out << "locked, for they move no mass and no inertia: " << listing(report.locked, report.locked.size()) << "\n";
  if (!report.ignored.empty())
    out << "elements that do not enter: " << listing(report.ignored, report.ignored.size()) << options_for(report.ignored)
        << "\n";
  return out.str();
}

/// The header line of the log that `solve` reads with that set.
void tell_log_header(const Model& model, const InfoOptions& options) {
  const std::vector<std::string> columns = log_header(System(model, load_sensor_set(options.log_header)));
  if (options.common.json) return tell(json_text({{"log_header", columns}}));
  CsvWriter out("-");
  out.header(columns);
  out.commit();
}

void tell_base_parameters(const Model& model, const InfoOptions& options) {
  const BaseParameterText found = base_parameter_text(model);
  if (options.common.json) {
    tell(json_text({{"base_parameters", found.expressions}, {"found_by", found.found_by}}));
    return;
  }
  std::string text;
  for (const std::string& expression : found.expressions) text += expression + "\n";
  tell(text);
}

ExitCode info(const InfoOptions& options) {
  if (options.save == "-") throw UsageError("--save -: what info tells goes to the standard output; expected a file");
  LoadReport report;
  const Model model = load_robot(options.robot, options.common, &report);
  if (!options.save.empty()) save_robot(model, options.save, report.held);
  if (!options.log_header.empty()) {
    tell_log_header(model, options);
    return ExitCode::done;
  }
  if (options.base_parameters) {
    tell_base_parameters(model, options);
    return ExitCode::done;
  }
  tell(options.common.json ? json_text(info_json(model, report)) : info_text(model, report));
  return ExitCode::done;
}

}  // namespace

void add_info(Command program, Chosen& chosen) {
  Command command = program.add_subcommand("info", "Links, joints, masses and column names of a robot");
  const auto options = std::make_shared<InfoOptions>();
  command.add_file("--log-header", options->log_header, FileRole::sensor_set,
                   "Print the columns that `solve` reads with this sensor set instead");
  command.add_flag("--base-parameters", options->base_parameters,
                   "Print the combinations of parameters that torques determine instead, one a line");
  command.add_file("--save", options->save, FileRole::output,
                   "Write the robot, with these options applied, as a robot file (JSON) that every command reads in place of "
                   "the URDF, numbers exact");
  add_options(command, options->robot);
  add_options(command, options->common);
  command.footer("Example:\n  sparsedyn info robots/arm.urdf --json");
  command.callback([=, &chosen] { chosen = [=] { return info(*options); }; });
}

}  // namespace sparsedyn::cli
