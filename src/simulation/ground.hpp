// Where the ground of a motion is, and which bodies lie below it.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/constraints/constraint_set.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// A plane of the world: the points x with normal · (x − point) = 0.
struct GroundPlane {
  Vec3<double> point, normal;      // m; of unit length, away from the ground
  std::vector<std::string> names;  // contacts with this plane; none: it stops nothing
};

/// The planes of the set's contacts, each once; without a contact the one plane z = 0.
std::vector<GroundPlane> ground_planes(const ConstraintSet& set);

/// Which centres of mass were below which plane, over the rows of a motion.
class BelowGround {
 public:
  /// The model must outlive it.
  BelowGround(const Model& model, std::vector<GroundPlane> planes);
  const std::vector<GroundPlane>& planes() const { return planes_; }
  /// The bodies' poses in the world at a time (s), by body. Cost: bodies · planes.
  void add(double time, const std::vector<Pose<double>>& poses);
  /// Who was below, how far and when first, deepest first, and what the planes stop; empty if none was by more than 1e-6 m.
  std::string words() const;

 private:
  struct Sunk {
    double depth = 0, since = 0;  // m; s, of the first row below
  };
  const Model& model_;
  std::vector<GroundPlane> planes_;
  std::vector<Sunk> sunk_;  // by plane and body
};

}  // namespace sparsedyn
