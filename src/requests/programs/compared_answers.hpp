// Whether a sensor set's program, which follows one order at every state, keeps the digits that its solver has.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/answers/sensor_solver.hpp"
#include "sparsedyn/codegen/programs.hpp"

namespace sparsedyn {

/// What is wrong with a program, from little to much.
enum class Fault {
  none,
  no_answer,  // results are not finite at some postures
  special,    // digits are lost at special postures, such as mixes of right angles, at which a pivot vanishes
  general     // digits are lost at random postures, or no posture has an answer
};
struct AnswerFault {
  Fault fault = Fault::none;
  std::string what;  // as the end of a sentence
};

/// One robot's answers, beside which programs with parameters as inputs are held.
class ComparedAnswers {
 public:
  /// solver: of the set on this robot. constant: its program in an order that is known to be good for this robot; where it
  /// errs, too, the state tells nothing of the other. read: what both programs read, after q and dq. pi: the values of the
  /// inputs that give this robot.
  ComparedAnswers(SensorSolver solver, Program constant, ReadInputs read, std::vector<double> pi);

  /// What is wrong with the program, whose last input is pi. It answers otherwise than the solver, by more than 1e-6 of the
  /// largest output, or not at all, where `constant` is right: at random postures, at home, and with all joints at quarter
  /// turns. Cost: 60 solves.
  AnswerFault fault(const Program& program);

  const SensorSolver& solver() const { return solver_; }

 private:
  SensorSolver solver_;
  Program constant_;
  ReadInputs read_;
  std::vector<double> pi_;
};

}  // namespace sparsedyn
