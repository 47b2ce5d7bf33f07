// A page on which a simulated robot moves: its bodies, the forces of its contacts, and beside them energy, height and forces
// over time.
#pragma once

#include <string>
#include <vector>

#include "report/animation.hpp"
#include "report/thinned.hpp"
#include "simulation/ground.hpp"
#include "simulation/looks.hpp"
#include "sparsedyn/constraints/constraint_set.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/simulation/forward_simulation.hpp"

namespace sparsedyn {

/// Keeps at most about 6000 frames, fewer of robots with many bodies, and the extremes of what is plotted.
class MotionPage {
 public:
  /// Of what is drawn over time, by place.
  enum Channel : std::size_t { kinetic, potential, total, height, torques, losses, constraints, drift, first_touch };
  /// columns: of the rows (forward_columns); places: of the files of meshes. The model must outlive it.
  MotionPage(const Model& model, const ConstraintSet& set, const std::vector<std::string>& columns, double rate, long rows,
             const MeshPlaces& places = {});
  void add(const MotionRow& row);
  /// `said`: what the command printed.
  std::string html(const std::string& title, const std::string& said) const;

 private:
  struct Touch {  // a contact's point, and the places of its force and its gap
    std::string name;
    int link;
    Vec3<double> point;
    std::size_t force, gap;
  };
  struct JointNumber {  // one of its numbers: 0 q, 1 dq, 2 tau
    std::string name;
    int kind;
    bool slides;
    int limb;
    std::size_t column;
  };
  void find_joints(const std::vector<std::string>& columns, const std::vector<int>& limbs);
  void add_frame(double time, const double* row);
  std::string plots() const;
  std::string joint_plots() const;
  double unit_of(int kind, bool slides) const;

  const Model& model_;
  Workspace<double> work_;
  BelowGround ground_;
  std::vector<Touch> touches_;
  std::vector<std::string> loops_;  // hard constraints
  report::Animation shown_;
  std::vector<JointNumber> joints_;
  report::Thinned rows_;        // channels, then force, gap and turn of each contact, a gap a loop, numbers of joints
  long stride_ = 1, expected_;  // rows
  double first_energy_ = 0, last_energy_ = 0, last_time_ = 0;
  double energy_of_weight_ = 0;  // J: of the robot's weight over its reach
};

}  // namespace sparsedyn
