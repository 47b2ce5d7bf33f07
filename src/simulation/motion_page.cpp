#include "motion_page.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/text/how_many.hpp"
#include "report/figure.hpp"
#include "sparsedyn/dynamics/momentum.hpp"
#include "sparsedyn/model/detail/joint.hpp"
#include "sparsedyn/model/detail/rotations.hpp"

namespace sparsedyn {
namespace {

constexpr long most_frames = 6000;
constexpr double most_numbers = 5.0e5;  // each takes 2.7 bytes of the page
constexpr double frames_a_second = 60;
using Channel = MotionPage::Channel;

/// Corners of the box that has a body's mass and inertia; none of a body without mass.
std::vector<std::array<double, 3>> box_of(const Inertia<double>& inertia, double most) {
  if (!(inertia.m > 0)) return {};
  const InertiaBox box = inertia_box(inertia, most);
  std::vector<std::array<double, 3>> corners;
  for (unsigned corner = 0; corner < 8; ++corner) {
    Vec3<double> local = box.half;
    for (unsigned k = 0; k < 3; ++k)
      if (!(corner >> k & 1u)) local[k] = -local[k];
    const Vec3<double> p = box.pose.R * local + box.pose.d;
    corners.push_back({p[0], p[1], p[2]});
  }
  return corners;
}

std::size_t place(const std::vector<std::string>& columns, const std::string& name) {
  return static_cast<std::size_t>(std::find(columns.begin(), columns.end(), name) - columns.begin());
}

}  // namespace

MotionPage::MotionPage(const Model& model, const ConstraintSet& set, const std::vector<std::string>& columns, double rate,
                       long rows, const MeshPlaces& places)
    : model_(model), work_(model), ground_(model, ground_planes(set)), rows_(1), expected_(rows) {
  for (const Constraint& constraint : set.constraints) {
    if (constraint.hard) loops_.push_back(constraint.name);
    if (constraint.type != ConstraintType::contact) continue;
    for (std::size_t k = 0; k < constraint.points.size(); ++k) {
      const std::string name = constraint.name + "." + std::to_string(k);
      touches_.push_back({name, model.find_link(constraint.links.front()), constraint.points[k],
                          place(columns, "lambda." + name + ".x"), place(columns, "gap." + name)});
      shown_.forces.push_back(name);
    }
  }
  for (const GroundPlane& plane : ground_.planes())
    shown_.planes.push_back(
        {{plane.point[0], plane.point[1], plane.point[2]}, {plane.normal[0], plane.normal[1], plane.normal[2]}});
  const double most = reach_of(model);
  const std::vector<int> limbs = limbs_of(model), depths = depths_of(model);
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const Body& body = model.bodies[b];
    const std::string& name = model.links[static_cast<std::size_t>(model.leading_link(static_cast<int>(b)))].name;
    const double m = body.inertia.m;
    const Vec3<double> centre = m > 0 ? (1 / m) * body.inertia.h : zero3<double>();
    shown_.bodies.push_back({name,
                             body.parent,
                             box_of(body.inertia, most),
                             limbs[b],
                             depths[b],
                             m > 0 ? m : 0,
                             {centre[0], centre[1], centre[2]},
                             freedoms(body.joint) == 1});
  }
  RobotLooks looks = looks_of(model, places);
  shown_.shapes = std::move(looks.shapes), shown_.meshes = std::move(looks.meshes);
  const Vec3<double>& g = model.gravity;
  const double weight = moving_mass(model) * std::sqrt(dot(g, g));
  shown_.unit_force = weight > 0 ? weight : 1;
  energy_of_weight_ = weight * (std::isfinite(most) ? most : 1);
  shown_.title = "The motion";
  shown_.hint =
      "Drag turns the view, with Shift it shifts it; a click, then the wheel, zooms; space plays. Each limb has its colour. " +
      looks.words +
      (touches_.empty() ? "" : " Arrows are the forces of contacts, the robot's weight a fourth as long as the picture.");
  find_joints(columns, limbs);
  const std::size_t channels = Channel::first_touch + 3 * touches_.size() + loops_.size() + joints_.size();
  rows_ = report::Thinned(channels, report::stretches_of_page(channels));
  const double numbers = static_cast<double>(std::max<std::size_t>(1, shown_.numbers()));
  const double frames = std::min<double>(most_frames, most_numbers / numbers);
  stride_ = std::max({1L, std::lround(rate / frames_a_second), std::lround(std::ceil(static_cast<double>(rows) / frames))});
}

/// q, dq and tau of joints with one freedom.
void MotionPage::find_joints(const std::vector<std::string>& columns, const std::vector<int>& limbs) {
  const char* const kinds[] = {"q.", "dq.", "tau."};
  for (int kind = 0; kind < 3; ++kind)
    for (const Joint& joint : model_.joints) {
      const std::size_t column = place(columns, kinds[kind] + joint.name);
      if (joint.nv != 1 || joint.nq != 1 || column == columns.size()) continue;
      const bool slides = joint.kind == JointKind::prismatic;
      joints_.push_back({joint.name, kind, slides, limbs[static_cast<std::size_t>(joint.first_body)], column});
    }
}

void MotionPage::add(const MotionRow& row) {
  const double* q = row.numbers + 1;
  const double* v = q + model_.nq;
  forward_kinematics(model_, work_, q, v, static_cast<const double*>(nullptr));
  ground_.add(row.numbers[0], work_.world_pose);
  const EnergyAccount& energy = row.energy;
  std::vector<double> channels{energy.kinetic, energy.potential, energy.energy(),    centre_of_mass(model_, work_)[2],
                               energy.torques, energy.losses,    energy.constraints, energy.drift()};
  last_energy_ = energy.energy(), first_energy_ = energy.first, last_time_ = row.numbers[0];
  for (const Touch& touch : touches_) {
    const double* f = row.numbers + touch.force;
    channels.push_back(std::sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]));
    channels.push_back(row.numbers[touch.gap]);
    const bool touches = channels[channels.size() - 2] > 0;  // at the height of its turn, or nowhere
    channels.push_back(touches ? static_cast<double>(&touch - touches_.data()) + 1 : std::numeric_limits<double>::quiet_NaN());
  }
  channels.insert(channels.end(), row.gaps.begin(), row.gaps.end());
  for (const JointNumber& joint : joints_) channels.push_back(row.numbers[joint.column]);
  rows_.add(row.numbers[0], channels.data());
  if (row.k % stride_ == 0 || row.k + 1 == expected_) add_frame(row.numbers[0], row.numbers);
}

void MotionPage::add_frame(double time, const double* row) {
  shown_.times.push_back(time);
  const auto add = [&](const Vec3<double>& x) { shown_.frames.insert(shown_.frames.end(), {x[0], x[1], x[2]}); };
  for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
    const Pose<double>& pose = work_.world_pose[b];
    add(pose.d);
    const std::array<double, 4> turned = quaternion_from_rotation(pose.R);
    shown_.frames.insert(shown_.frames.end(), turned.begin(), turned.end());
  }
  for (const Touch& touch : touches_) {
    const Pose<double> link = link_pose(model_, work_, touch.link);
    const Vec3<double> force{{row[touch.force], row[touch.force + 1], row[touch.force + 2]}};
    add(link.R * touch.point + link.d), add(force);
  }
}

namespace {

constexpr double rounding_of_energy = 1e-10;  // of the energy of the robot's weight and motion

/// `unexplained` and `moved` (J): what no work explains of the energy that went between its kinds. Nothing of a robot at rest,
/// of which both are rounding of `size`, the energy of the robot's weight and motion. `step`, s.
struct EnergyWords {
  bool kept;
  std::string text;
};
EnergyWords energy_words(double unexplained, double moved, double size, double step) {
  constexpr double kept = 0.05, another_motion = 0.5;  // shares
  if (std::max(unexplained, moved) <= rounding_of_energy * size) return {true, ""};
  const std::string rest = report::with_minus(report::number(unexplained, 2)) + " J",
                    all = report::with_minus(report::number(moved, 3)) + " J that went back and forth";
  if (unexplained <= kept * moved)
    return {true, " Energy is kept to " + rest + " of the " + all + ": no work explains that rest."};
  const std::string too_long =
      " Steps of " + report::number(1000 * step, 3) + " ms are too long: this is not the robot's motion.";
  return {false, " Energy is not kept: no work explains " + rest + " beside the " + all + "; smaller steps keep it better." +
                     (unexplained > another_motion * moved ? too_long : "")};
}

}  // namespace

std::string MotionPage::html(const std::string& title, const std::string& said) const {
  const std::string below = ground_.words();
  const auto size = [&](Channel channel) {
    const report::Thinned::Extremes all = rows_.range(channel);
    return std::max(std::abs(all.low), std::abs(all.high));
  };
  const auto span = [&](Channel channel) { return rows_.range(channel).high - rows_.range(channel).low; };
  const double moved = std::max(span(Channel::kinetic), span(Channel::potential));
  const double energy = size(Channel::kinetic) + size(Channel::potential) + energy_of_weight_;
  const double step = rows_.rows() > 1 ? last_time_ / static_cast<double>(rows_.rows() - 1) : 0;
  const EnergyWords kept = energy_words(size(Channel::drift), moved, energy, step);
  const std::string lead =
      (kept.kept ? below + kept.text : kept.text + below) +
      (size(Channel::kinetic) > rounding_of_energy * rounding_of_energy * energy ? " The robot moved for "
                                                                                 : " The robot stood still for ") +
      report::number(last_time_, 7) + " s in " + report::grouped(rows_.rows()) + " steps, with " +
      how_many(static_cast<long>(touches_.size()), "point", "points") + " that may touch; its energy went from " +
      report::with_minus(report::number(first_energy_)) + " J to " + report::with_minus(report::number(last_energy_)) + " J.";
  return report::page(title, report::escaped(lead.substr(lead.front() == ' ')),
                      report::animation(shown_) + report::section("Over time", plots()) +
                          (joints_.empty() ? "" : report::section("Joints", joint_plots())) + report::console(said));
}

}  // namespace sparsedyn
