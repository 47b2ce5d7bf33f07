// A second view of a Model, for programs that are to have few operations. Coordinates, torques and accelerations of the joints
// are the Model's; frames and inertias of the bodies are not, so that internal wrenches have no meaning here.
//   canonical frames  z on the joint's axis, origin at the foot of the common normal towards the next axis, x along that normal
//                     (Denavit and Hartenberg, 1955), so that constant placements are two axial screws with few entries;
//                     at a leaf, x towards its centre of mass.
//   base parameters   what lies on a revolute joint's axis (mass, Σ m z, Σ m z²) belongs to the parent as well and is moved
//                     there (Gautier and Khalil, 1990): m = h_z = Σ_zz = 0 in every body on a revolute joint. A prismatic joint
//                     does not turn, so all second moments of its body belong to the parent, and a leaf on one, with its origin
//                     in the centre of mass, is a point of mass m.
//                     A mass on an axis may also stay with its body where this balances the parent, which makes an inverse
//                     dynamics cheaper, or be divided between the two in any other way (AxisShare).
//   shared axes       bodies on consecutive parallel revolute joints are written in the axes of one of them, their leader:
//                     constants are turned by the joints' angles, and motions and wrenches pass along the joints unturned.
//   axes at rest      a leaf that looks the same from all sides of its revolute joint's axis (a wheel, a rotor, a flange) turns
//                     without them: its inertia is constant in them all the same, and nothing depends on the joint's angle.
#pragma once

#include <utility>
#include <vector>

#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// Cosine and sine of a turn about a coordinate axis.
template <class S>
struct Turn {
  S c, s;
};

/// Pose in the parent at q: turn about z by beta, about x by alpha, shift by `shift`, turn about z by theta0 (+ q, revolute),
/// shift along z by q (prismatic).
struct MinimalBody {
  int parent;       // body, or -1
  BodyJoint joint;  // revolute, prismatic, or floating (of a root)
  int q, v;         // entries in the Model's q and v
  Turn<double> beta, alpha, theta0;
  double offset;            // theta0 as an angle (rad)
  Vec3<double> shift;       // of the origin, in axes turned by beta and alpha
  Vec3<double> origin;      // the same in the parent's axes
  Inertia<double> inertia;  // for masses in motion: composite and articulated bodies
  Inertia<double> moved;    // the same body, its shared parameters distributed otherwise: for inverse dynamics
  Pose<double> body_frame;  // the Model's frame of the body in this one: where external wrenches come from
  int leader;               // the body in whose axes this one's quantities are written; itself if no others share them
  bool turns;               // the axes turn with the joint; if not, body_frame is that at q = 0 only
  bool shift_with_child;    // the shift along the axis moves with the body as well as with its parent: taken with the body
};

/// What a body on a revolute joint gives to its parent of what lies on the axis, or takes from it (negative): m, Σ m z, Σ m z²,
/// in the tree's units. It shows in `moved` alone.
struct AxisShare {
  int body;
  double m, h, zz;
};

/// One of the numbers that a body shares with its parent: m, Σ m z or Σ m z² of a body on a revolute joint, all second moments
/// of one on a prismatic joint (moments).
enum class SharedNumber { mass, first, moments };

struct MinimalTree {
  std::vector<MinimalBody> bodies;  // those of the Model
  Vec3<double> gravity;             // in the world's axes
  int nq, nv;
  double unit;  // of length (m). The unit of mass is 1 kg / unit², so that moments and torques keep theirs
};

struct MinimalOptions {
  bool base_parameters = true, balanced = true;
  double unit = 1;                                 // of length (m)
  std::vector<int> apart;                          // bodies on parallel joints that are to have axes of their own
  std::vector<AxisShare> shares;                   // unless not balanced
  std::vector<int> other_shift;                    // bodies whose shift_with_child is not to be what fewer entries suggest
  bool canonical_frames = true;                    // else the Model's
  std::vector<int> varying;                        // bodies whose inertias are only examples: no frame follows them
  std::vector<int> unturned;                       // bodies whose canonical frames keep the Model's axes
  std::vector<int> unshifted;                      // bodies whose canonical frames keep the Model's origin
  std::vector<std::pair<int, SharedNumber>> kept;  // shared numbers that stay with the bodies
  bool axes_at_rest = false;                       // where nothing is given or asked for in the bodies' own axes
};

/// Whether the body is on a revolute joint that is parallel to its parent's.
bool parallel_to_parent(const MinimalTree& tree, const MinimalBody& body);

/// Cosine and sine of a constant angle; quarter turns are exact.
Turn<double> constant_turn(double angle);

/// Joints a MinimalTree can hold: revolute, prismatic, and a root that floats along the world's axes.
bool has_minimal_tree(const Model& model);

/// A unit of length in which an offset is 1 saves its products. Throws std::invalid_argument unless has_minimal_tree(model).
MinimalTree minimal_tree(const Model& model, const MinimalOptions& options = {});

/// The body's frame at q = 0 in its parent's.
Pose<double> zero_placement(const MinimalBody& body);

/// The same as turns about one axis and shifts, one in the frame of the other; the last is along or about the joint's axis. A
/// turn and the shift along its axis are steps of their own: together they would fill each other's zeros.
std::vector<Pose<double>> axial_steps(const MinimalBody& body);

/// Units worth trying: 1 m, and the offsets that occur most often.
std::vector<double> length_units(const Model& model);

}  // namespace sparsedyn
