// A recursive algorithm as a function of arrays: what it reads, what it gives, and how one sample is evaluated.
#pragma once

#include <memory>
#include <vector>

#include "batch.hpp"
#include "model.hpp"
#include "packed.hpp"
#include "works.hpp"

namespace sparsedyn::python {

/// How a link's motion is written: in its axes; in the world's, as of the world's origin; in the world's, as of the point.
enum class Frame : char { link, world, aligned };

/// One sample's inputs, those of the catalogue and more; those that the algorithm does not read are null.
struct State : AlgorithmInputs<double> {
  const double *other, *tangent;  // a second configuration, and a change of one
  int link, reference;            // asked for, or -1
  Frame frame;                    // likewise
  Vec3<double> point;             // of it, in its axes
  const std::shared_ptr<const ConstraintSet>* constraints;
  const std::vector<double>* effort_limits;  // ConstraintOptions::effort_limits
  const double* force_lambda;                // multipliers of the constraints' forces
};

/// What an array's last axes are: those of the catalogue, and more.
enum class Axis : char { nq, nv, parameters, links, three, six, seven, forces, gaps, four };

/// Which entry of State an argument is.
enum class Input : char { q, dq, ddq, tau, lambda, pi, other, tangent, force_lambda };

struct Algorithm {
  std::vector<std::pair<const char*, Input>> inputs;
  std::vector<std::pair<const char*, std::vector<Axis>>> outputs;
  /// Writes out[k]; the first entry of v that could not be solved for, or -1, or -2 where Works::why says what went wrong.
  int (*evaluate)(Works&, const State&, double* const* out);
  const char* result = nullptr;                    // the named tuple of several outputs
  PackedAlgorithm packed = PackedAlgorithm::none;  // the same on several samples at a time
  const sparsedyn::Algorithm* row = nullptr;       // of the catalogue: evaluates instead
};

/// Binds the algorithm as a function of its inputs, of wrenches where it reads them, and of what all functions end with.
/// `name`: of the catalogue's algorithm, a dash as an underscore.
void define(nb::module_& m, const Algorithm& algorithm, const char* doc);
/// Binds those of the catalogue that have one output and no function yet, documented by their summaries.
void define_others(nb::module_& m);

/// The algorithm of the library's catalogue, or what it contracts to.
Algorithm of_catalogue(const char* name, const char* result = nullptr, PackedAlgorithm packed = PackedAlgorithm::none);
Algorithm contraction_of(const char* name, const char* result);

/// `arguments`: as many as algorithm.inputs; `fx`: a dict of wrenches by link, or None.
struct AlgorithmCall {
  const nb::handle* arguments;
  nb::handle fx, out;
  int link = -1;
  int threads = 1;
  nb::handle on_error;
  std::shared_ptr<const ConstraintSet> constraints = nullptr;
  int forces = 0, gaps = 0;                // of the constraints
  std::vector<double> effort_limits = {};  // likewise
  Frame frame = Frame::link;
  Vec3<double> point{{0, 0, 0}};  // of the link
  int reference = -1;             // a second link
};

nb::object call(const Algorithm& algorithm, const RobotModel& robot, const AlgorithmCall& call);

/// Adds the wrenches of a dict {link: (..., 6)}, or of None, to a call's inputs, and their links to `links`.
void add_wrenches(nb::handle fx, const RobotModel& robot, Rows& rows, std::vector<int>& links);
/// Wrenches on these links, six numbers each, as wrenches on bodies.
void sum_wrenches(const Model& model, const std::vector<int>& links, const double* const* wrenches, Force<double>* bodies);

void bind_dynamics(nb::module_& m);
void bind_derivatives(nb::module_& m);
void bind_kinematics(nb::module_& m);
void bind_jacobians(nb::module_& m);
void bind_equations(nb::module_& m);
void bind_identification(nb::module_& m);
void bind_excitation(nb::module_& m);
void bind_inverse_kinematics(nb::module_& m);

}  // namespace sparsedyn::python
