// Robot files with changes that the reader mostly lets through: what is read is written and read again with the same bits, and
// torques, M and bias of it belong together.
#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/json/robot_file.hpp"
#include "sparsedyn/system/system.hpp"
#include "tally.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

/// Joints of every kind, several freedoms with numbers of their own, a link on a fixed joint, couplings and a joint held.
const char* const robot_text_of_all =
    R"({"format": "sparsedyn-robot", "version": 1, "name": "victim", "gravity": [0.1, 0, -9.81],
 "links": [
  {"name": "root", "mass": 2, "joint": {"name": "world", "kind": "fixed"}},
  {"name": "arm", "parent": "root", "mass": 1, "first_moments": [0.1, 0.2, 0.1], "second_moments": [0.2, 0.01, 0.02, 0.3, 0, 0.4],
   "joint": {"name": "shoulder", "kind": "revolute",
    "bodies": [{"type": "revolute", "placement": {"rotation": [1, 0, 0, 0, 0, -1, 0, 1, 0], "xyz": [0, 0.5, 1]}}],
    "physics": {"armature": 0.1, "stiffness": 3, "damping": 0.2}, "limits": {"lower": -1, "upper": 2, "velocity": 3, "effort": 9}}},
  {"name": "hand", "parent": "arm", "pose": {"xyz": [0.1, 0, 0]}, "mass": 0.5, "first_moments": [0.05, 0, 0.01],
   "second_moments": [0.1, 0, 0, 0.2, 0, 0.15], "joint": {"name": "wrist", "kind": "fixed"},
   "visuals": [{"name": "cover", "shape": "mesh", "file": "hand.stl", "scale": [1, 1, 0.001], "pose": {"xyz": [0.1, 0, 0]}},
    {"shape": "box", "size": [0.1, 0.2, 0.3]}, {"shape": "cylinder", "radius": 0.1, "length": 0.4}]},
  {"name": "ball", "parent": "hand", "mass": 1.5, "first_moments": [0.3, 0.1, 0.2], "second_moments": [0.3, 0, 0, 0.4, 0, 0.35],
   "joint": {"name": "socket", "kind": "spherical", "bodies": [{"type": "spherical", "placement": {"xyz": [0.2, 0.1, 0]}}],
    "physics": [{"armature": 0.2, "damping": 0.3}, {"armature": 0.2, "friction": 0.1, "smoothing": 0.5}, {"armature": 0.2}]}},
  {"name": "slide", "parent": "arm", "mass": 0.7, "first_moments": [0.1, 0.1, 0.3], "second_moments": [0.3, 0, 0, 0.4, 0, 0.35],
   "joint": {"name": "rail", "kind": "prismatic", "bodies": [{"type": "prismatic", "placement": {"xyz": [0.2, 0.1, 0]}}],
    "physics": {"offset": 0.4}}},
  {"name": "twin", "parent": "root", "mass": 0.7, "first_moments": [0.1, 0.1, 0.3], "second_moments": [0.3, 0, 0, 0.4, 0, 0.35],
   "joint": {"name": "follower", "kind": "prismatic", "bodies": [{"type": "prismatic", "placement": {"xyz": [0.2, 0.4, 0]}}]}},
  {"name": "tip", "parent": "twin", "mass": 1, "first_moments": [0.2, 0.1, 0.1], "second_moments": [0.5, 0, 0, 0.3, 0, 0.4],
   "joint": {"name": "twist", "kind": "universal",
    "bodies": [{"type": "revolute", "placement": {}}, {"type": "revolute", "placement": {"xyz": [0.1, 0, 0]}}],
    "physics": [{}, {"damping": 0.5}]}},
  {"name": "screw", "parent": "root", "mass": 1, "first_moments": [0.2, 0.1, 0.1], "second_moments": [0.5, 0, 0, 0.3, 0, 0.4],
   "joint": {"name": "thread", "kind": "helical", "bodies": [{"type": "helical", "placement": {"xyz": [1, 0, 0]}, "pitch": 0.2}]}},
  {"name": "puck", "parent": "screw", "mass": 1, "first_moments": [0.2, 0.1, 0.1], "second_moments": [0.5, 0, 0, 0.3, 0, 0.4],
   "joint": {"name": "ice", "kind": "planar", "bodies": [{"type": "planar", "placement": {"xyz": [1, 0, 2]}}]}}],
 "couplings": [{"joint": "follower", "of": "rail", "multiplier": 2, "offset": 0.1}],
 "held": [{"joint": "wrist", "value": 0.25}]})";

/// M(q) a + bias(q, v) beside rnea: two ways to the torques.
void compare_torques(const Model& model, const DrawnState& s, bool moderate, Tally& tally) {
  const auto n = static_cast<std::size_t>(model.nv);
  Workspace<double> work(model);
  std::vector<double> tau(n), bias(n), M(n * n), back(n);
  const Force<double>* const none = nullptr;
  rnea(model, work, s.q.data(), s.v.data(), s.a.data(), none, tau.data());
  rnea(model, work, s.q.data(), s.v.data(), static_cast<const double*>(nullptr), none, bias.data());
  crba(model, work, s.q.data(), M.data());
  ++tally.answered;
  if (!moderate) return;
  ++tally.compared;
  double scale = 1;
  for (std::size_t i = 0; i < n; ++i) scale = std::max(scale, std::abs(tau[i]));
  for (std::size_t i = 0; i < n; ++i) {
    double sum = bias[i];
    for (std::size_t k = 0; k < n; ++k) sum += M[i * n + k] * s.a[k];
    tally.compare(sum / scale, tau[i] / scale, 1e-9);
  }
  if (!aba(model, work, s.q.data(), s.v.data(), tau.data(), none, back.data()).ok()) return;
  for (std::size_t i = 0; i < n; ++i) {
    double sum = bias[i];
    for (std::size_t k = 0; k < n; ++k) sum += M[i * n + k] * back[k];
    tally.compare(sum / scale, tau[i] / scale, 1e-7);
  }
}

}  // namespace

TEST_CASE("Robot files changed: written again with the same bits, torques beside M a + bias") {
  const Document valid = Document::parse(robot_text_of_all);
  const std::vector<std::string> names = names_of(parse_robot(robot_text_of_all, "robot.json").model);
  fuzz("robots", [&](unsigned seed, Tally& tally) {
    Mutator mutator(seed, names);
    const Document document = mutator.changed(valid);
    const std::string text = document.dump(1);
    INFO("seed " << seed << "\n" << text);
    try {
      const RobotFile file = parse_robot(text, "robot.json");
      ++tally.read;
      const std::string written = robot_text(file.model, file.held);
      CHECK(robot_text(parse_robot(written, "again.json").model, file.held) == written);
      CHECK(!System(file.model, parse_sensor_set(R"({"sensors": []})", "set.json")).fingerprint().empty());
      compare_torques(file.model, DrawnState(file.model, mutator.random), is_moderate(document), tally);
    } catch (const InputError& error) {
      CHECK_THAT(error.what(), Catch::StartsWith("robot.json"));
    }
  });
}
