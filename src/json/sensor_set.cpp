#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <utility>

#include "io/number.hpp"
#include "io/suggestions.hpp"
#include "json/sensors_over_time.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/json/document.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/model/model.hpp"
#include "sparsedyn/system/sensor_type.hpp"
#include "spatial/snap.hpp"
#include "system/names.hpp"
#include "system/sensors/wildcards.hpp"

namespace sparsedyn {
namespace {

using json::Kind;
using json::Node;

/// One number or a list of them.
std::vector<double> one_or_more(const Node& node) {
  if (node.kind() == Kind::number) return {node.number()};
  if (node.kind() != Kind::array || node.array().empty()) node.refuse(node.found(), "a number or a list of numbers");
  return node.numbers();
}

std::vector<NameAt> names(const Node& node) {
  if (node.kind() == Kind::string) return {{node.string(), node.line()}};
  if (node.kind() != Kind::array) node.refuse(node.found(), "a name or a list of names");
  std::vector<NameAt> out;
  for (const Node& item : node.array()) out.push_back({item.string(), item.line()});
  return out;
}

/// Pairs of outputs.
std::vector<OutputPair> read_covariances(const Node& node) {
  std::vector<OutputPair> pairs;
  for (const Node& pair : node.array()) {
    if (pair.kind() != Kind::array || pair.array().size() != 2)
      pair.refuse(pair.found(), "two outputs, [\"tau.A\", \"fx.B.fz\"]");
    std::vector<NameAt> both = names(pair);
    pairs.push_back({std::move(both[0]), std::move(both[1])});
  }
  return pairs;
}

/// A standard deviation whose square and its reciprocal are finite.
bool is_deviation(double sigma) { return sigma >= 1e-100 && sigma <= 1e100; }

Vec3<double> triple(const Node& node) {
  const std::vector<double> x = node.kind() == Kind::array ? node.numbers() : std::vector<double>{};
  if (x.size() != 3) node.refuse(node.found(), "a list of three numbers");
  return {{x[0], x[1], x[2]}};
}

/// The keys that a sensor of this type may have.
std::vector<std::string> keys_of(const SensorType& type) {
  std::vector<std::string> keys{"name", "type", "sigma"};
  if (type.target == SensorTarget::joint || type.target == SensorTarget::any_joint)
    keys.insert(keys.end(), {"joint", "except", "optional"});
  if (type.target == SensorTarget::link) keys.insert(keys.end(), {"link", "except", "optional"});
  if (type.framed) keys.insert(keys.end(), {"xyz", "rpy"});
  if (type.measured) keys.insert(keys.end(), {"value", "default", "bias"});
  add_keys_over_time(type, keys);
  if (type.measured || !type.gives_rows) keys.push_back("components");
  keys.insert(keys.end(), type.keys.begin(), type.keys.end());
  return keys;
}

/// What single types have beyond the others: direction, dof, normal, coefficients.
void read_own_keys(const Node& node, Sensor& s) {
  if (node.has("direction")) {
    const Node direction = node.at("direction");
    s.child_to_parent = direction.string() == "child_to_parent";
    if (!s.child_to_parent && direction.string() != "parent_to_child")
      direction.refuse_name(direction.string(), {"parent_to_child", "child_to_parent"}, "parent_to_child or child_to_parent");
  }
  if (node.has("dof")) {
    s.dof = node.at("dof").integer();
    if (s.dof != 3 && s.dof != 6) node.at("dof").refuse(node.at("dof").found(), "3 or 6");
  }
  if (node.has("normal")) {
    s.normal = triple(node.at("normal"));
    const double length = std::hypot(s.normal[0], s.normal[1], s.normal[2]);
    if (!(length >= 1e-100 && length <= 1e100))
      node.at("normal").refuse("a normal of no length", "one of a length other than 0");
  }
  if (s.type == "torque_combination") {
    const Node coefficients = node.at("coefficients");
    for (const auto& [joint, coefficient] : coefficients.members())
      s.coefficients.push_back({{joint, coefficient.line()}, coefficient.number()});
  }
}

void read_targets(const Node& node, const SensorType& type, Sensor& s) {
  if (type.target == SensorTarget::robot) return;
  const Node target = node.at(type.target == SensorTarget::link ? "link" : "joint");
  s.all = target.kind() == Kind::string && target.string() == "*";
  if (!s.all) s.targets = names(target), s.listed = target.kind() == Kind::array;
  if (s.targets.empty() && !s.all) target.refuse(target.found(), "a name, a list of names, or \"*\"");
  if (!node.has("except")) return;
  const bool patterns = std::any_of(s.targets.begin(), s.targets.end(), [](const NameAt& n) { return has_wildcard(n.name); });
  if (!s.all && !patterns)
    node.at("except").refuse("\"except\" beside a list of names", "it beside \"*\", or names with * or ?");
  s.except = names(node.at("except"));
}

Sensor read_sensor(const Node& node) {
  Sensor s;
  s.line = node.line();
  s.name = node.at("name").string();
  if (s.name.empty()) node.at("name").refuse(node.at("name").found(), "a name");
  s.type = node.at("type").string();
  const SensorType* type = find_sensor_type(s.type);
  if (!type) node.at("type").refuse_name(s.type, sensor_type_names(), "one of " + comma_list(sensor_type_names()));
  node.only_keys(keys_of(*type));
  read_targets(node, *type, s);
  s.framed = node.has("xyz") || node.has("rpy");
  if (node.has("xyz")) s.frame.d = triple(node.at("xyz"));
  if (node.has("rpy")) {
    s.frame.R = rotation_from_rpy(triple(node.at("rpy")));
    snap(s.frame.R, 1e-11);  // quarter turns written with 12 digits, and the rounding that CAD exports leave in zeros
  }
  read_own_keys(node, s);
  read_over_time(node, *type, s);
  if (node.has("optional")) s.optional = node.at("optional").boolean();
  if (node.has("components")) s.components = node.at("components").strings();
  if (node.has("components") && s.components.empty()) node.at("components").refuse("an empty list", "at least one component");
  if (node.has("value")) s.value = one_or_more(node.at("value"));
  if (node.has("default")) s.fallback = {node.at("default").number()};
  if (node.has("sigma")) s.sigma = one_or_more(node.at("sigma"));
  for (double sigma : s.sigma)
    if (sigma != 0 && !is_deviation(sigma)) node.at("sigma").refuse(number_text(sigma), "0 (exact), or 1e-100 to 1e100");
  return s;
}

std::map<std::string, double> read_prior(const Node& prior) {
  prior.only_keys(kind_names());
  std::map<std::string, double> deviations;
  for (const std::string& kind : prior.keys()) {
    const Node stated = prior.at(kind);
    const bool walks = kind == "ddq" && stated.kind() == json::Kind::object;  // over time
    deviations[kind] = (walks ? stated.at("sigma") : stated).number();
    if (!is_deviation(deviations[kind]))
      prior.at(kind).refuse(prior.at(kind).found(), "a standard deviation above 0, of 1e-100 to 1e100");
  }
  return deviations;
}

/// One number for all, or an object by name.
std::vector<std::pair<NameAt, double>> read_state_sigma(const Node& node) {
  if (node.kind() != json::Kind::object) return {{{"*", node.line()}, node.number()}};
  std::vector<std::pair<NameAt, double>> stated;
  for (const auto& [name, sigma] : node.members()) stated.push_back({{name, sigma.line()}, sigma.number()});
  return stated;
}

/// As `solve --offsets` writes it; what it says of their uncertainty is passed over.
std::vector<KnownOffset> read_offsets(const std::string& path) {
  const json::Document document = json::Document::load(path);
  const Node root = document.root();
  root.only_keys({"offsets", "columns", "covariance"});
  const Node offsets = root.at("offsets");
  std::vector<KnownOffset> found;
  for (const auto& [column, offset] : offsets.members()) {
    offset.only_keys({"value", "sd"});
    found.push_back({{column, offset.line(), path}, offset.at("value").number()});
  }
  return found;
}

using Path = std::filesystem::path;

/// A file's own name for itself, however it was reached.
Path one_path(const Path& path) {
  std::error_code error;
  const Path canonical = std::filesystem::weakly_canonical(path, error);
  return error ? path : canonical;
}

SensorSet read_sensor_set(const Node& root, const std::string& file, std::vector<Path>& read);

void add_all(const std::vector<std::pair<NameAt, double>>& more, std::vector<std::pair<NameAt, double>>& to) {
  to.insert(to.end(), more.begin(), more.end());
}

/// What another file holds, each item with that file's name. `read`: the files read so far.
void include(const NameAt& other, const Node& at, const std::string& file, std::vector<Path>& read, SensorSet& set) {
  const std::string path = (Path(file).parent_path() / other.name).string();
  if (std::find(read.begin(), read.end(), one_path(path)) != read.end())
    at.refuse("\"" + other.name + "\", which is read already", "each file once, and none that includes itself");
  SensorSet found = read_sensor_set(json::Document::load(path).root(), path, read);
  for (Sensor& s : found.sensors) {
    if (s.file.empty()) s.file = path;
    set.sensors.push_back(std::move(s));
  }
  for (NameAt& n : found.unknown) {
    if (n.file.empty()) n.file = path;
    set.unknown.push_back(std::move(n));
  }
  for (OutputPair& pair : found.covariances) {
    for (NameAt* name : {&pair.first, &pair.second})
      if (name->file.empty()) name->file = path;
    set.covariances.push_back(std::move(pair));
  }
  set.offsets.insert(set.offsets.end(), found.offsets.begin(), found.offsets.end());
  for (const auto& [kind, deviation] : found.prior) set.prior[kind] = deviation;
  for (const auto& [kind, deviations] : found.start) set.start[kind] = deviations;
  if (found.model_wrench.there) set.model_wrench = found.model_wrench;
  if (found.acceleration_walk > 0) set.acceleration_walk = found.acceleration_walk;
  if (found.external_wrench.there) set.external_wrench = found.external_wrench;
  for (auto* stated : {&found.position_sigma, &found.velocity_sigma})
    for (auto& [who, deviation] : *stated)
      if (who.file.empty()) who.file = path;
  add_all(found.position_sigma, set.position_sigma), add_all(found.velocity_sigma, set.velocity_sigma);
}

SensorSet read_sensor_set(const Node& root, const std::string& file, std::vector<Path>& read) {
  root.only_keys({"name", "include", "sensors", "prior", "unknown", "cov", "offsets", "state_sigma", "model_wrench",
                  "external_wrench", "start"});
  SensorSet set;
  set.file = file;
  read.push_back(one_path(file));
  if (root.has("name")) set.name = root.at("name").string();
  if (root.has("include"))
    for (const NameAt& other : names(root.at("include"))) include(other, root.at("include"), file, read, set);
  std::set<std::string> taken;
  for (const Sensor& s : set.sensors) taken.insert(s.name);  // of included files
  for (const Node& node : root.at("sensors").array()) {
    set.sensors.push_back(read_sensor(node));
    if (!taken.insert(set.sensors.back().name).second)
      node.at("name").refuse(node.at("name").found() + " a second time", "each sensor by a name of its own");
  }
  if (root.has("unknown"))
    for (const NameAt& n : names(root.at("unknown"))) set.unknown.push_back(n);
  if (root.has("cov"))
    for (OutputPair& pair : read_covariances(root.at("cov"))) set.covariances.push_back(std::move(pair));
  if (root.has("offsets"))
    for (KnownOffset& known : read_offsets((Path(file).parent_path() / root.at("offsets").string()).string()))
      set.offsets.push_back(std::move(known));
  if (root.has("state_sigma")) {
    const Node stated = root.at("state_sigma");
    stated.only_keys({"q", "dq"});
    if (stated.has("q")) add_all(read_state_sigma(stated.at("q")), set.position_sigma);
    if (stated.has("dq")) add_all(read_state_sigma(stated.at("dq")), set.velocity_sigma);
  }
  read_over_time(root, set);
  if (root.has("prior"))
    for (const auto& [kind, deviation] : read_prior(root.at("prior"))) set.prior[kind] = deviation;
  return set;
}

SensorSet read_sensor_set(const json::Document& document) {
  std::vector<Path> read;
  return read_sensor_set(document.root(), document.file(), read);
}

}  // namespace

SensorSet parse_sensor_set(const std::string& text, const std::string& file) {
  return read_sensor_set(json::Document::parse(text, file));
}

SensorSet load_sensor_set(const std::string& name_or_path) {
  const auto& sets = builtin_sensor_sets();
  if (const auto set = sets.find(name_or_path); set != sets.end())
    return parse_sensor_set(set->second, "sensors/" + name_or_path + ".json");
  std::error_code error;
  if (name_or_path != "-" && !std::filesystem::exists(name_or_path, error)) {
    std::vector<std::string> known;
    for (const auto& set : sets) known.push_back(set.first);
    throw InputError(name_or_path, 0, "", "neither a file nor a built-in sensor set" + suggestions_text(name_or_path, known),
                     "a file, or one of " + comma_list(known));
  }
  return read_sensor_set(json::Document::load(name_or_path));
}

}  // namespace sparsedyn
