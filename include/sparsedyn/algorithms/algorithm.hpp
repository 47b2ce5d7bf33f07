// The catalogue of algorithms: functions of a robot's state, each with its name, inputs, outputs, and evaluation. `compute`,
// the Python package, operation counts and generated programs use it. Algorithms that need more than a state (constraints,
// targets, a link) are not in it.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/algorithms/data.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// The inputs of an algorithm other than q.
struct AlgorithmReads {
  bool dq = false, ddq = false, tau = false, fx = false, lambda = false, pi = false;
};

/// One state, in any scalar: q (nq), dq, ddq, tau and lambda (nv), fx (the wrench on each body, in body coordinates), pi (the
/// parameters of parameter_names). Vectors that the algorithm does not read may be null. A null fx means no wrenches.
template <class S>
struct AlgorithmInputs {
  const S *q, *dq, *ddq, *tau, *lambda;
  const Force<S>* fx;
  const S* pi = nullptr;
};

/// How many entries an output has along an axis; links: of the model, in its order.
enum class Axis : char { nq, nv, parameters, links, three, six, seven };
int size_of(Axis axis, const Model& model);

/// A number (no axis), a vector, a matrix or a tensor, row by row.
struct AlgorithmOutput {
  const char* name;
  std::vector<Axis> axes;
  int size(const Model& model) const;
};

/// A column of a log: an entry of an output.
struct AlgorithmColumn {
  std::string name;
  int output, entry;
};

/// A part of a robot for which an algorithm is not defined, and what it needs.
struct AlgorithmMisfit {
  std::string element, found, expected;  // all empty: it fits
};

/// Columns that are not defined for a robot, and why; empty: all are defined.
struct MeaninglessColumns {
  std::vector<int> columns;
  const char* why = "";
};

struct Algorithm {
  const char *name, *summary;
  AlgorithmReads reads;
  std::vector<AlgorithmOutput> outputs;
  /// Writes all outputs (out[k]: outputs[k].size numbers); the first entry of v at which the state is singular, or -1.
  int (*evaluate)(AlgorithmData<double>& data, const AlgorithmInputs<double>& in, double* const* out);
  /// What a log holds of the outputs.
  std::vector<AlgorithmColumn> (*columns)(const Model& model);
  AlgorithmMisfit (*misfit)(const Model& model);  ///< null: it is defined for all robots
  MeaninglessColumns (*meaningless)(const Model& model);
  const char* singular;         ///< the message before the name of the entry of v at which a state is singular
  bool long_form;               ///< columns TENSOR.i.j.k are many: a log holds one a line
  const Algorithm* contracted;  ///< gives Σ_a λ_a [a,b,c] of its tensors instead; null: there are none
};

/// All of them, in the order of the catalogue.
const std::vector<Algorithm>& algorithms();
/// Null where none has the name.
const Algorithm* find_algorithm(const std::string& name);
/// Why the algorithm of that name is not defined for the robot; empty where it is, where there is no such algorithm, and for
/// robots without freedoms, of which it gives nothing.
AlgorithmMisfit misfit_of(const Model& model, const std::string& algorithm);

}  // namespace sparsedyn
