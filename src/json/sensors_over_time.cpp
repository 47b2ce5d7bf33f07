#include "json/sensors_over_time.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace sparsedyn {
namespace {

using json::Kind;
using json::Node;

/// Sensors of the state and of a link's motion may have an offset that walks, also those without a row in the accelerations.
bool may_drift(const SensorType& type) { return type.measured || !type.gives_rows; }

double positive(const Node& node, bool or_zero) {
  const double x = node.number();
  if (!(x > 0 || (or_zero && x == 0)) || x > 1e100) node.refuse(node.found(), or_zero ? "a number >= 0" : "a number > 0");
  return x;
}

WalkingOffset walking(const Node& node) {
  node.only_keys({"sigma", "walk"});
  WalkingOffset offset;
  offset.there = true;
  offset.sigma = positive(node.at("sigma"), false);
  if (node.has("walk")) offset.walk = positive(node.at("walk"), true);
  return offset;
}

/// One number of both, or [moment, force].
std::pair<double, double> moment_and_force(const Node& node, bool or_zero) {
  if (node.kind() != Kind::array) return {positive(node, or_zero), positive(node, or_zero)};
  const std::vector<Node> both = node.array();
  if (both.size() != 2) node.refuse(node.found(), "one number, or [moment, force]");
  return {positive(both[0], or_zero), positive(both[1], or_zero)};
}

WalkingWrench walking_wrench(const Node& node) {
  node.only_keys({"sigma", "walk"});
  WalkingWrench wrench;
  wrench.there = true;
  if (node.has("sigma")) std::tie(wrench.moment_sigma, wrench.force_sigma) = moment_and_force(node.at("sigma"), false);
  if (node.has("walk")) std::tie(wrench.moment_walk, wrench.force_walk) = moment_and_force(node.at("walk"), true);
  return wrench;
}

std::vector<Vec3<double>> read_points(const Node& node) {
  std::vector<Vec3<double>> points;
  for (const Node& item : node.array()) {
    const std::vector<double> x = item.kind() == Kind::array ? item.numbers() : std::vector<double>{};
    if (x.size() != 3) item.refuse(item.found(), "a list of three numbers");
    points.push_back({{x[0], x[1], x[2]}});
  }
  if (points.empty()) node.refuse("an empty list", "at least one point");
  return points;
}

void read_contact(const Node& node, ContactOverTime& contact) {
  if (node.has("flag")) contact.flag = node.at("flag").string();
  contact.is_force = node.has("above") || node.has("below");
  if (contact.is_force) {
    contact.above = node.at("above").number();
    contact.below = node.has("below") ? node.at("below").number() : contact.above;
    if (contact.below > contact.above) node.at("below").refuse(node.at("below").found(), "at most \"above\"");
  }
  if (node.has("walk")) contact.walk = positive(node.at("walk"), true);
  if (node.has("acceleration")) contact.acceleration = positive(node.at("acceleration"), false);
  if (node.has("slip")) contact.slip = positive(node.at("slip"), true);
  if (node.has("kinematics")) contact.kinematics = positive(node.at("kinematics"), false);
  if (node.has("radius")) contact.radius = positive(node.at("radius"), true);
  if (node.has("points")) contact.points = read_points(node.at("points"));
}

const std::vector<std::string>& contact_keys() {
  static const std::vector<std::string> keys{"flag", "above",      "below",  "walk",  "acceleration",
                                             "slip", "kinematics", "radius", "points"};
  return keys;
}

}  // namespace

void add_keys_over_time(const SensorType& type, std::vector<std::string>& keys) {
  keys.push_back("delay");
  if (may_drift(type)) keys.push_back("sampling");
  if (may_drift(type) && !type.measured) keys.push_back("bias");
  if (type.kind == SensorKind::joint_torque) keys.push_back("share");
  if (type.kind == SensorKind::contact) keys.insert(keys.end(), contact_keys().begin(), contact_keys().end());
}

void read_over_time(const Node& node, const SensorType& type, Sensor& s) {
  SensorOverTime& time = s.over_time;
  for (const std::string& key : node.keys()) {
    const std::vector<std::string>& of_contacts = contact_keys();
    time.stated = time.stated || key == "delay" || key == "sampling" || key == "share" ||
                  std::find(of_contacts.begin(), of_contacts.end(), key) != of_contacts.end();
  }
  if (node.has("bias")) {
    const Node bias = node.at("bias");
    time.offset.there = bias.kind() == Kind::object || bias.boolean();
    if (bias.kind() == Kind::object) time.offset = walking(bias), time.stated = true;
    s.bias = time.offset.there && type.measured;  // of a row in the accelerations and wrenches
  }
  if (node.has("delay")) time.delay = positive(node.at("delay"), true);
  if (node.has("share")) time.share = positive(node.at("share"), true);
  if (node.has("sampling")) {
    const Node sampling = node.at("sampling");
    time.samples = sampling.string() == "instant";
    if (!time.samples && sampling.string() != "mean")
      sampling.refuse_name(sampling.string(), {"mean", "instant"}, "mean or instant");
  }
  if (type.kind == SensorKind::contact) read_contact(node, time.contact);
}

void read_over_time(const Node& root, SensorSet& set) {
  if (root.has("model_wrench")) set.model_wrench = walking(root.at("model_wrench"));
  if (root.has("prior") && root.at("prior").has("ddq"))
    if (const Node ddq = root.at("prior").at("ddq"); ddq.kind() == Kind::object) set.acceleration_walk = walking(ddq).walk;
  if (root.has("external_wrench")) set.external_wrench = walking_wrench(root.at("external_wrench"));
  if (!root.has("start")) return;
  const Node start = root.at("start");
  start.only_keys({"q.base", "dq"});
  for (const std::string& key : start.keys()) {
    const Node node = start.at(key);
    std::vector<double> x = node.kind() == Kind::array ? node.numbers() : std::vector<double>{node.number()};
    if (x.size() != 1 && x.size() != 6) node.refuse(node.found(), "one number, or six");
    for (double deviation : x)
      if (!(deviation >= 0 && deviation <= 1e100)) node.refuse(node.found(), "standard deviations >= 0");
    set.start[key] = x;
  }
}

}  // namespace sparsedyn
