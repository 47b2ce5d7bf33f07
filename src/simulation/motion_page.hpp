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
  void add_frame(double time, const double* row);
  std::string plots() const;

  const Model& model_;
  Workspace<double> work_;
  BelowGround ground_;
  std::vector<Touch> touches_;
  std::vector<std::string> loops_;  // hard constraints
  report::Animation shown_;
  report::Thinned rows_;        // energies, work, height, then a force and a gap a contact, a gap a loop
  long stride_ = 1, expected_;  // rows
  double first_energy_ = 0, last_energy_ = 0, last_time_ = 0;
};

}  // namespace sparsedyn
