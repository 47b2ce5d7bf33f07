// A humanoid on two feet whose ground wrenches are unknown: which sensors under the soles determine them? Each set's rank is
// taken at many poses: on level ground, on steps, on soles inclined against each other, and in general. The answer is a page.
//   example_04_two_feet ROBOT.urdf POSES > two_feet.html
#include <Eigen/QR>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "sparsedyn/determinacy/determinacy.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/report/page.hpp"
#include "sparsedyn/urdf/load.hpp"

using namespace sparsedyn;

namespace {

/// Motion known, no motor at the base, nothing touches the robot but the ground under its soles.
const char* const known_motion = R"({"sensors": [
  {"name": "motion", "type": "joint_acceleration", "joint": "*"},
  {"name": "base", "type": "joint_acceleration", "joint": "base"},
  {"name": "free", "type": "joint_torque", "joint": "base", "value": 0},
  {"name": "air", "type": "external_wrench", "link": "*", "except": ["l_sole", "r_sole"], "value": 0},)";

/// The joints' motion only, from encoders.
const char* const encoders = R"({"sensors": [
  {"name": "motion", "type": "joint_acceleration", "joint": "*", "sigma": 0.1},
  {"name": "free", "type": "joint_torque", "joint": "base", "value": 0},
  {"name": "air", "type": "external_wrench", "link": "*", "except": ["l_sole", "r_sole"], "value": 0},)";

/// The motors' torques in place of any motion.
const char* const motors = R"({"sensors": [
  {"name": "motors", "type": "joint_torque", "joint": "*"},
  {"name": "free", "type": "joint_torque", "joint": "base", "value": 0},
  {"name": "air", "type": "external_wrench", "link": "*", "except": ["l_sole", "r_sole"], "value": 0},)";

#define CELLS R"({"name": "cells", "type": "load_cell", "link": ["l_sole", "r_sole"], "sigma": 1})"

struct Study {
  const char *title, *motion, *sensors;
};

const Study studies[] = {
    {"six-axis sensors under both soles", known_motion,
     R"({"name": "plates", "type": "external_wrench", "link": ["l_sole", "r_sole"], "sigma": 1})"},
    {"3 + 3 load cells (f_z, n_x, n_y)", known_motion, CELLS},
    {"3 + 3, very slippery (f_x = f_y = 0)", known_motion, CELLS R"(,
      {"name": "slip", "type": "external_wrench", "link": ["l_sole", "r_sole"], "components": ["fx", "fy"], "value": 0})"},
    {"3 + 3, slippery and no friction moment (n_z = 0)", known_motion, CELLS R"(,
      {"name": "slip", "type": "external_wrench", "link": ["l_sole", "r_sole"], "components": ["fx", "fy", "nz"], "value": 0})"},
    {"3 + 3 and the torque of the left knee", known_motion, CELLS R"(,
      {"name": "knee", "type": "joint_torque", "joint": "l_knee", "sigma": 1})"},
    {"3 + 3, and f_x and f_y of the left foot", known_motion, CELLS R"(,
      {"name": "shear", "type": "external_wrench", "link": "l_sole", "components": ["fx", "fy"], "sigma": 1})"},
    {"centre of pressure and f_z under both soles", known_motion,
     R"({"name": "pressure", "type": "centre_of_pressure", "link": ["l_sole", "r_sole"]},
      {"name": "normal", "type": "external_wrench", "link": ["l_sole", "r_sole"], "components": ["fz"], "sigma": 1})"},
    {"one foot on 3 cells, the other lifted", known_motion,
     R"({"name": "cells", "type": "load_cell", "link": "l_sole", "sigma": 1},
      {"name": "lifted", "type": "external_wrench", "link": "r_sole", "value": 0})"},
    {"3 + 3, feet held by contacts that tell the base's motion", encoders, CELLS R"(,
      {"name": "held", "type": "contact", "link": ["l_sole", "r_sole"], "dof": 6})"},
    {"no cells: feet held by contacts, the joints' torques known", motors,
     R"({"name": "held", "type": "contact", "link": ["l_sole", "r_sole"], "dof": 6})"},
    {"no cells: feet held at a point each, the joints' torques known", motors,
     R"({"name": "held", "type": "contact", "link": ["l_sole", "r_sole"], "dof": 3},
      {"name": "ball", "type": "external_wrench", "link": ["l_sole", "r_sole"], "components": ["nx", "ny", "nz"], "value": 0})"},
};

enum class Ground { level, steps, inclined, general };
constexpr Ground grounds[] = {Ground::level, Ground::steps, Ground::inclined, Ground::general};

/// Level: both legs bent alike, the thighs spread alike and turned anyhow, so that both soles lie in one plane. Steps: each leg
/// for itself, so that one sole stands higher. Inclined: the left ankle turned besides. General: anything.
std::vector<double> pose(const Model& model, Ground ground, std::mt19937& rng) {
  std::vector<double> q = random_configuration(model, rng);
  if (ground == Ground::general) return q;
  std::uniform_real_distribution<double> angle(0.1, 0.8);
  double bent = angle(rng), leaning = angle(rng), spread = 0.3 * angle(rng);
  for (const char* side : {"l_", "r_"}) {
    const auto set = [&](const char* joint, double value) {
      q[model.joints[model.joint(std::string(side) + joint)].q] = value;
    };
    set("hip_roll", side[0] == 'l' ? spread : -spread), set("ankle_roll", side[0] == 'l' ? -spread : spread);
    set("hip_pitch", -bent), set("knee", bent + leaning), set("ankle_pitch", -leaning);
    if (ground == Ground::inclined && side[0] == 'l') set("ankle_pitch", angle(rng)), set("ankle_roll", angle(rng));
    if (ground == Ground::steps) bent += angle(rng);
  }
  return q;
}

/// Open directions at least and at most over the poses.
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

/// The open directions at one pose as wrenches on the left sole, whose opposite the right one carries: how many of them are
/// forces, and how many pure moments.
std::string in_words(const System& system, Ground ground) {
  std::mt19937 rng(1);
  const auto open = open_directions_at(system, pose(system.model(), ground, rng));
  if (open.empty()) return "";
  const int first = system.fx_column(system.model().link("l_sole"));
  Eigen::Matrix3Xd force(3, static_cast<Eigen::Index>(open.size()));
  for (std::size_t k = 0; k < open.size(); ++k)
    force.col(static_cast<Eigen::Index>(k)) = Eigen::Map<const Eigen::Vector3d>(&open[k][static_cast<std::size_t>(first) + 3]);
  const int forces = static_cast<int>(Eigen::ColPivHouseholderQR<Eigen::Matrix3Xd>(force).setThreshold(1e-8).rank());
  const int moments = static_cast<int>(open.size()) - forces;
  if (forces == 2 && moments == 0) return "two mixtures of a force in the common plane and a moment about its normal";
  const char* const of_forces[] = {"", "forces along the line that both planes share", "all forces in the common plane",
                                   "all forces"};
  const char* const of_moments[] = {"", "moments about the common normal", "moments about two axes", "all moments"};
  return std::string(of_forces[forces]) + (forces && moments ? ", " : "") + of_moments[std::min(moments, 3)];
}

/// Sensors that would do, one of each type, at a general pose.
std::string advice(const Determinacy& found) {
  std::string text;
  std::vector<std::string> types;
  for (const SensorAdvice& sensor : found.advice) {
    if (sensor.removes < found.unknowns - found.rank || std::count(types.begin(), types.end(), sensor.type)) continue;
    types.push_back(sensor.type);
    if (types.size() <= 3) text += (text.empty() ? "" : ", ") + sensor.type + " " + sensor.target;
  }
  return text;
}

/// `level: all forces in the common plane; steps, inclined: …`
std::string what_stays_open(const System& system) {
  const char* const names[] = {"level", "steps", "inclined", "general"};
  std::string text, before;
  for (Ground ground : grounds) {
    const std::string words = in_words(system, ground), name = names[static_cast<int>(ground)];
    if (words.empty()) continue;
    text += words == before ? ", " + name : (before.empty() ? "" : ": " + before + "; ") + name;
    before = words;
  }
  return before.empty() ? "" : text + ": " + before;
}

/// One row of the table.
std::vector<std::string> row_of(const Study& study, const Model& model, int poses) {
  const System system(model, parse_sensor_set(std::string(study.motion) + study.sensors + "]}", "two_feet"));
  const Determinacy found = determinacy(system);
  std::vector<std::string> row{report::escaped(study.title), std::to_string(found.unknowns - found.structural_rank)};
  for (Ground ground : grounds) row.push_back(open_directions(system, ground, poses));
  row.push_back(std::to_string(found.redundant_rows()));
  row.push_back(what_stays_open(system));
  row.push_back(report::escaped(advice(found)));
  return row;
}

const char* const lead =
    "Nothing touches the robot but the ground under its soles; which sensors tell the wrenches there? Six-axis sensors do. "
    "Three load cells under each foot never do, whatever the pose.";

const char* const columns_said =
    R"(<p>Columns 2 to 6 count the directions of all unknowns that no sensor sees: by the pattern of the
equations alone, then by their numbers, at least and at most over %d poses each. On level ground both soles lie in one plane; on
steps one is higher; inclined, the left ankle is turned. An open direction is a wrench on the left sole whose opposite acts on the
right one.</p>
)";

const char* const reason = R"(
<p>A plate on cells feels f_z, n_x and n_y: nothing of a force that lies in the cells' plane, and nothing of a moment about its
normal. Whatever acts on one foot in this way, and its opposite on the other, moves no cell, and as the two cancel they move no
link either: only the legs' torques tell. The pattern of the equations does not show it, for it does not know that both
planes always share a line.</p>
)";

const char* const inclined_soles =
    R"svg(<figure><svg viewBox="0 0 560 200" class="drawing" role="img" aria-label="Inclined soles: a force along the line of both planes, and its opposite">
<polygon points="40,160 230,160 280,70 110,70" class="fill c0"/>
<polygon points="280,70 230,160 420,130 500,35" class="fill c2"/>
<line x1="208" y1="200" x2="316" y2="5" stroke="var(--fill)" stroke-dasharray="6 4"/>
<g stroke="var(--fill)" stroke-width="3" fill="var(--fill)"><path d="M248 128 L232 156" fill="none"/><path d="M227 165 l1 -13 l9 5 z"/>
<path d="M262 102 L278 74" fill="none"/><path d="M283 65 l-1 13 l-9 -5 z"/></g>
<text x="86" y="122">left cells' plane</text><text x="306" y="98">right cells' plane</text>
<text x="183" y="152">+F</text><text x="250" y="84">−F</text></svg>
<p>Inclined soles: a force along the line that both planes share, and its opposite. One direction. On steps the planes
are parallel and the line is at infinity: a moment about the normal, and its opposite.</p></figure>
)svg";

const char* const level_soles =
    R"svg(<figure><svg viewBox="0 0 560 200" class="drawing" role="img" aria-label="Level soles: forces in their plane and moments about its normal, and their opposites">
<polygon points="20,170 400,170 540,50 160,50" fill="none" stroke="var(--soft)"/>
<polygon points="90,150 180,150 250,85 160,85" class="fill c0"/>
<polygon points="300,150 390,150 460,85 370,85" class="fill c2"/>
<g stroke="var(--fill)" stroke-width="3" fill="none"><path d="M170 118 L225 118"/><path d="M375 118 L320 118"/><path d="M170 118 L190 100"/>
<path d="M375 118 L355 136"/><path d="M140 118 a30 13 0 1 0 30 -13"/><path d="M405 118 a30 13 0 1 1 -30 -13"/></g>
<g fill="var(--fill)"><path d="M235 118 l-12 -5 v10 z"/><path d="M310 118 l12 -5 v10 z"/><path d="M197 94 l-13 4 l6 7 z"/>
<path d="M348 142 l13 -4 l-6 -7 z"/></g>
<text x="105" y="142">left</text><text x="405" y="142">right</text></svg>
<p>Level soles: the planes are one. Every force in it and every moment about its normal hides, with its opposite under
the other foot. Three directions.</p></figure>
)svg";

const char* const of_contacts =
    R"svg(<p>Contacts that hold the feet say how these move, not what the ground does: beside known accelerations they tell nothing of
the wrenches. Where the joints' torques are known in place of the accelerations they close the system.</p>
)svg";

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 3) return std::fprintf(stderr, "usage: %s ROBOT.urdf POSES > two_feet.html\n", argv[0]), 2;
  const int poses = std::max(1, std::atoi(argv[2]));
  LoadOptions options;
  options.floating = true;
  const Model model = load_urdf(argv[1], options);
  std::vector<std::vector<std::string>> rows{
      {"sensors", "pattern", "level", "steps", "inclined", "general", "rows to spare", "open", "would do in a general pose"}};
  for (const Study& study : studies) rows.push_back(row_of(study, model, poses));
  char said[600];
  std::snprintf(said, sizeof said, columns_said, poses);
  std::fputs(report::page(model.name + " on two feet", lead,
                          report::section("What each set leaves open",
                                          std::string(said) + "<div class=\"words\">" + report::table(rows) + "</div>\n") +
                              report::section("Why three cells under each foot never do",
                                              reason + report::beside({inclined_soles, level_soles}) + of_contacts))
                 .c_str(),
             stdout);
} catch (const std::exception& error) {
  return std::fprintf(stderr, "%s\n", error.what()), 3;
}
