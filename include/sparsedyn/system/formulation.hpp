// Formulations of the equations of a robot and its sensors: different unknowns and rows with the same answers and different
// costs. A plan names its formulation. The parts of a formulation are independent unless stated otherwise:
//
//   canonical            Frames lie along the joints' axes (Denavit and Hartenberg 1955), inertias are base parameters
//                        (Gautier and Khalil 1990): fewer entries, fewer numbers. Internal wrenches lose their meaning.
//   intermediate-frames  A body's transform is a chain of rotations about one axis and of translations; the last is its
//                        joint's. Up to four more massless frames, with a and f of their own, but transforms of few entries.
//   net-forces           fB_i = I_i a_i + p_i, the wrench that moves link i, is an unknown of its own. The dense block I_i is
//                        then not in the rows (f).
//   shifted              x = x⁰ + δx with x⁰ the accelerations at q̈ = 0. Velocities enter as in inverse dynamics.
//   maximal-coordinates  Links' accelerations and constraint forces: f_i = B_i φ_i with B_i = (T_i, A_i). T_i is a basis of
//                        the wrenches that do no work on S_i, S_iᵀT_i = 0, and S_iᵀA_i = 1. φ_i holds the joint's constraint
//                        forces and τ_i. B_iᵀ(a_i − iX_λ a_λ) = B_iᵀc_i + (0, q̈_i) are the constraints and the acceleration
//                        of the joint. After substitution the matrix is that of Newton's laws with multipliers,
//                        (−I, Jᵀ; J, 0).
//   joint-space          q̈, τ and unknown wrenches alone: τ − M q̈ + Σ Jᵀ fx = bias. With `canonical`, or alone.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace sparsedyn {

struct Model;

/// The parts that are used; none: newton-euler.
struct Formulation {
  bool canonical = false;            // as above, as all that follow
  bool intermediate_frames = false;  // likewise
  bool net_forces = false;           // likewise
  bool shifted = false;              // likewise
  bool maximal_coordinates = false;  // likewise
  bool joint_space = false;          // likewise

  /// Bodies' unknowns are in the frames of their joints, z along the axis, and not in those of their links.
  bool axis_frames() const { return canonical || intermediate_frames; }
};

/// Its parts joined by `+`, in the order above; `newton-euler` where there are none.
std::string formulation_name(const Formulation& formulation);

/// The formulation of that name. Throws std::invalid_argument, which lists the parts, for an unknown name.
Formulation formulation_named(const std::string& name);

/// Those worth comparing, newton-euler first.
const std::vector<Formulation>& all_formulations();

/// A formulation does not support a robot's joints or a set's readings; what() says why.
struct FormulationMisfit : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// The robot in that formulation: the joints' coordinates and the links' names and frames are the model's; bodies, their frames
/// and inertias are the formulation's. Throws FormulationMisfit.
Model formulated(const Model& model, const Formulation& formulation);

}  // namespace sparsedyn
