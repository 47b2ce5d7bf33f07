// A robot some of whose parameters are inputs of a program.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/codegen/recorder.hpp"
#include "sparsedyn/model/model.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

/// The robot as it is recorded: where a parameter is an input, its bodies and joints have numbers that occur nowhere else, and
/// declare() says what these stand for. Algorithms therefore take none of these numbers for zero or for equal to another.
/// Bodies can change their numbers, as changed_places does: they keep their inertias, by which they are known.
class VaryingRobot {
 public:
  /// Throws std::invalid_argument for places that the robot does not have, for a place named twice, and for other than one
  /// nominal value for each.
  VaryingRobot(const Model& robot, const ParameterInputs& inputs);
  /// Structure of `robot`, numbers as above.
  const Model& model() const { return model_; }
  /// The input vector `pi`, last, behind `others`; from here on numbers of `recorded`, a model() whose bodies may be
  /// renumbered, stand for their values.
  void declare(Recorder& recorder, const Model& recorded, int others) const;
  /// The same for a system of model(), whose bodies are in their links' frames or in joint space: numbers of its terms, too.
  /// Throws std::invalid_argument for a formulation with frames along the axes, and for a system of a robot with other numbers
  /// than model(): these would stay constants.
  void declare(Recorder& recorder, const System& system, int others) const;

 private:
  /// Ten numbers of a link's body: each an element of pi, or (-1) a constant.
  struct VaryingBody {
    Inertia<double> inertia;  // in the body's frame, as recorded robots have it
    Pose<double> link;        // of the link whose frame the ten numbers are in
    std::array<int, 10> element;
    std::array<double, 10> constant;
  };
  struct VaryingNumber {
    double number;
    int element;
  };
  static Inertia<Expr> in_link(const VaryingBody& body, const std::vector<Expr>& pi);
  const VaryingBody* known(const Inertia<double>& in_body_frame) const;
  void vary(Model& tree, const std::vector<double>& nominal, const std::vector<double>& example,
            const std::vector<int>& element);

  Model model_;
  ParameterInputs inputs_;
  std::vector<std::string> names_;
  std::vector<VaryingBody> bodies_;
  std::vector<VaryingNumber> joints_;
};

/// VaryingRobot::declare where `parameters` has some.
void declare_parameters(Recorder& recorder, const RobotParameters& parameters, const System& system, int others);

/// Writes the entries of an assembled matrix (system.pattern().entries()) that are constants for robots without inputs: −I of
/// bodies, −armature of joints.
void assemble_parameters(const System& system, Expr* values);

}  // namespace sparsedyn
