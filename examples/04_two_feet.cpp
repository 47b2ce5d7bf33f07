// A humanoid on two feet whose ground wrenches are unknown: which sensors under the soles determine them? Each set's rank is
// taken at many poses, on level ground, on soles inclined against each other, and in general; the answer is a page of HTML.
//   example_04_two_feet ROBOT.urdf POSES > two_feet.html
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "sparsedyn/json/sensor_set.hpp"
#include "sparsedyn/ordering/determinacy.hpp"
#include "sparsedyn/ordering/states.hpp"
#include "sparsedyn/urdf/load.hpp"

using namespace sparsedyn;

namespace {

struct Study {
  const char *title, *sensors;
};

const Study studies[] = {
    {"six-axis sensors under both soles",
     R"({"name": "s", "type": "external_wrench", "link": ["l_sole", "r_sole"], "sigma": 1})"},
    {"3 + 3 load cells (f_z, n_x, n_y)", R"({"name": "s", "type": "load_cell", "link": ["l_sole", "r_sole"], "sigma": 1})"},
    {"3 + 3, very slippery (f_x = f_y = 0)", R"({"name": "s", "type": "load_cell", "link": ["l_sole", "r_sole"], "sigma": 1},
      {"name": "slip", "type": "external_wrench", "link": ["l_sole", "r_sole"], "components": ["fx", "fy"], "value": 0})"},
    {"the same, and no friction moment (n_z = 0)",
     R"({"name": "s", "type": "load_cell", "link": ["l_sole", "r_sole"], "sigma": 1},
      {"name": "slip", "type": "external_wrench", "link": ["l_sole", "r_sole"], "components": ["fx", "fy", "nz"], "value": 0})"},
    {"3 + 3 and the torque of the left knee", R"({"name": "s", "type": "load_cell", "link": ["l_sole", "r_sole"], "sigma": 1},
      {"name": "knee", "type": "joint_torque", "joint": "l_knee", "sigma": 1})"},
    {"centre of pressure and f_z under both soles",
     R"({"name": "p", "type": "centre_of_pressure", "link": ["l_sole", "r_sole"]},
      {"name": "s", "type": "external_wrench", "link": ["l_sole", "r_sole"], "components": ["fz"], "sigma": 1})"},
    {"one foot on 3 cells, the other lifted", R"({"name": "s", "type": "load_cell", "link": "l_sole", "sigma": 1},
      {"name": "lifted", "type": "external_wrench", "link": "r_sole", "value": 0})"},
};

System standing(const Model& model, const char* sensors) {
  return System(model, parse_sensor_set(std::string(R"({"sensors": [
    {"name": "motion", "type": "joint_acceleration", "joint": "*"},
    {"name": "base", "type": "joint_acceleration", "joint": "base"},
    {"name": "free", "type": "joint_torque", "joint": "base", "value": 0},
    {"name": "air", "type": "external_wrench", "link": "*", "except": ["l_sole", "r_sole"], "value": 0},)") +
                                            sensors + "]}",
                                        "two_feet"));
}

enum class Ground { level, inclined, general };

/// Level: legs straight, arms anywhere. Inclined: the left ankle turned besides. General: anything.
std::vector<double> pose(const Model& model, Ground ground, std::mt19937& rng) {
  std::vector<double> q = random_state(model, rng);
  if (ground == Ground::general) return q;
  for (const Joint& joint : model.joints) {
    const bool leg = joint.name.find("hip") != std::string::npos || joint.name.find("knee") != std::string::npos ||
                     joint.name.find("ankle") != std::string::npos;
    if (leg && !(ground == Ground::inclined && joint.name.find("l_ankle") == 0)) q[joint.q] = 0.0;
  }
  return q;
}

/// Directions left open: at least and at most over the poses.
std::string open_directions(const System& system, Ground ground, int poses) {
  std::mt19937 rng(1);
  const int unknowns = static_cast<int>(system.unknowns().size());
  int least = unknowns, most = 0;
  for (int k = 0; k < poses; ++k) {
    const int open = unknowns - rank_at(system, pose(system.model(), ground, rng));
    least = std::min(least, open);
    most = std::max(most, open);
  }
  return least == most ? std::to_string(least) : std::to_string(least) + " to " + std::to_string(most);
}

/// What is open in a general pose among the ground's wrenches, or the verdict; then the sensors that would do.
std::string answer(const System& system, const Determinacy& found) {
  if (found.verdict() != Verdict::insufficient)
    return found.redundant_rows() == 0 ? "determined"
                                       : "determined, with " + std::to_string(found.redundant_rows()) + " redundant row(s)";
  std::string text = "open:";
  for (int x : found.undetermined)
    if (system.unknowns()[x].kind == VariableKind::fx) text += " " + system.unknown_names()[x];
  text += ". Would do:";
  for (std::size_t k = 0; k < 3 && k < found.advice.size(); ++k)
    text += (k ? ", " : " ") + found.advice[k].type + " " + found.advice[k].target;
  return text;
}

const char* const picture = R"(<svg width="560" height="190" viewBox="0 0 560 190" font-family="sans-serif" font-size="13">
<polygon points="40,150 230,150 280,60 110,60" fill="#cde" stroke="#678"/><polygon points="280,60 230,150 420,120 500,25" fill="#dec" stroke="#786"/>
<line x1="208" y1="190" x2="313" y2="0" stroke="#c33" stroke-dasharray="6 4"/>
<path d="M246 121 L232 146 m0 -10 v10 l9 -5" stroke="#c33" stroke-width="2" fill="none"/><path d="M262 92 L276 67 m0 10 v-10 l-9 5" stroke="#c33" stroke-width="2" fill="none"/>
<text x="90" y="115">left sole's cells</text><text x="345" y="85">right sole's cells</text><text x="205" y="165" fill="#c33">+F</text><text x="284" y="58" fill="#c33">−F</text></svg>)";

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "usage: %s ROBOT.urdf POSES > two_feet.html\n", argv[0]), 2;
  const int poses = std::max(1, std::atoi(argv[2]));
  LoadOptions options;
  options.floating = true;
  const Model model = load_urdf(argv[1], options);
  std::printf(
      "<!doctype html><meta charset=\"utf-8\"><title>Two feet</title>\n"
      "<style>body{font:15px sans-serif;max-width:62em;margin:2em auto}td,th{padding:.3em .6em;text-align:left;"
      "border-bottom:1px solid #ddd;vertical-align:top}</style>\n<h1>%s on two feet</h1>\n"
      "<p>Accelerations known, no wrench but under the soles. Directions of the unknowns that no sensor sees, over %d "
      "poses each:</p>\n<table><tr><th>sensors<th>structural<th>level<th>inclined<th>general<th>in a general pose\n",
      model.name.c_str(), poses);
  for (const Study& study : studies) {
    const System system = standing(model, study.sensors);
    const Determinacy found = determinacy(system);
    std::printf("<tr><td>%s<td>%d<td>%s<td>%s<td>%s<td>%s\n", study.title, found.unknowns - found.structural_rank,
                open_directions(system, Ground::level, poses).c_str(), open_directions(system, Ground::inclined, poses).c_str(),
                open_directions(system, Ground::general, poses).c_str(), answer(system, found).c_str());
  }
  std::printf(
      "</table>\n<h2>Why three cells under each foot never do</h2>\n%s\n"
      "<p>A plate on cells feels f_z, n_x and n_y: nothing of a force that lies in the cells' plane. Two planes share a "
      "line. A force +F along it on one foot and −F on the other moves no cell, and as they cancel they move no link: "
      "only the legs' torques tell. Where the planes coincide, as with flat soles on level ground, every force in the "
      "plane and every moment about its normal can hide like this: three directions.</p>\n",
      picture);
}
