// How the equations of a robot and its sensors are written down: other unknowns and rows for the same answers, at another cost.
// A plan names the formulation it was made for. The parts of a formulation are independent unless said otherwise:
//
//   canonical            Frames lie along the joints' axes (Denavit and Hartenberg 1955), masses are base parameters (Gautier
//                        and Khalil 1990): fewer entries, fewer numbers. Internal wrenches lose their meaning.
//   intermediate-frames  A body's transform is a chain of turns about one axis and of shifts; the last one is its joint's.
//                        Up to four massless frames more, with a and f of their own, but transforms of few entries.
//   net-forces           fB_i = I_i a_i + p_i, the wrench that moves link i, is an unknown of its own. The dense block I_i then
//                        leaves the rows (f).
//   shifted              x = x⁰ + δx with x⁰ the accelerations at q̈ = 0. Velocities enter as in an inverse dynamics.
//   maximal-coordinates  Links' accelerations and the forces that constrain them: f_i = B_i φ_i with B_i = (T_i, A_i), T_i a
//   basis of
//                        what S_i does no work against, S_iᵀT_i = 0, and S_iᵀA_i = 1. φ_i is the joint's constraint forces and
//                        τ_i; B_iᵀ(a_i − iX_λ a_λ) = B_iᵀc_i + (0, q̈_i) are the constraints of the joint, and its acceleration.
//                        Without what these give at once, the matrix is that of Newton's laws with multipliers, (−I, Jᵀ; J, 0).
//   joint-space          q̈, τ and unknown wrenches alone: τ − M q̈ + Σ Jᵀ fx = bias. With `canonical`, or by itself.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace sparsedyn {

struct Model;

/// The parts that are taken; none: newton-euler.
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

/// The formulation of that name. Throws std::invalid_argument, which lists the parts, for a name that none has.
Formulation formulation_named(const std::string& name);

/// Those worth comparing, newton-euler first.
const std::vector<Formulation>& all_formulations();

/// A formulation that cannot hold a robot's joints or what a set measures; what() says why.
struct FormulationMisfit : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// The robot in that formulation: the joints' coordinates and the links' names and frames are the model's; bodies, their frames
/// and inertias are the formulation's. Throws FormulationMisfit.
Model formulated(const Model& model, const Formulation& formulation);

}  // namespace sparsedyn
