#include "compared_answers.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "codegen/ir/health_states.hpp"
#include "model/samples.hpp"

namespace sparsedyn {
namespace {

/// A program's outputs at a state, by column; empty where it fails.
std::map<std::string, double> outputs_at(const Program& program, const ProgramState& state) {
  std::vector<std::vector<double>> out;
  std::vector<const double*> arg;
  std::vector<double*> res;
  for (const Port& port : program.outputs()) out.emplace_back(port.elements.size());
  for (const std::vector<double>& x : state) arg.push_back(x.data());
  for (std::vector<double>& x : out) res.push_back(x.data());
  std::vector<double> workspace(program.nodes().size());
  std::map<std::string, double> found;
  if (!program.evaluate(arg.data(), res.data(), workspace.data())) return found;
  for (std::size_t k = 0; k < out.size(); ++k)
    for (std::size_t e = 0; e < out[k].size(); ++e) found[program.outputs()[k].elements[e]] = out[k][e];
  return found;
}

/// The readings of a program's state, q, dq and those that are read, as the solver takes them.
std::vector<double> all_readings(const SensorSolver& solver, const ReadInputs& read, const std::vector<double>& given) {
  std::vector<double> y(solver.system().inputs().size(), 0.0);
  for (std::size_t k = 0, next = 0; k < y.size(); ++k)
    if (read[k]) y[k] = given[next++];
  return y;
}

/// The weights 1/σ that the set states, in the order of the input `weight`; none without it.
std::vector<double> stated_weights(const System& system, const Program& program) {
  std::vector<double> weights;
  for (const Port& port : program.inputs())
    for (std::size_t e = 0; port.name == "weight" && e < port.elements.size(); ++e)
      for (std::size_t r = 0; r < system.equation_names().size(); ++r)
        if (port.elements[e] == "weight." + system.equation_names()[r])
          weights.push_back(1 / system.sigma_of(static_cast<int>(r)));
  return weights;
}

/// The output that is farthest from the solver's, beside the largest of these, if it is too far.
std::string wrong_output(const SensorSolver& solver, const std::vector<double>& expected,
                         const std::map<std::string, double>& found) {
  constexpr double most = 1e-6;
  double largest = 1, farthest = 0;
  std::string name;
  for (std::size_t k = 0; k < solver.outputs(); ++k) largest = std::max(largest, std::abs(expected[k]));
  for (std::size_t k = 0; k < solver.outputs(); ++k) {
    const auto at = found.find(solver.columns()[k]);
    if (at == found.end() || !(std::abs(at->second - expected[k]) > farthest)) continue;
    farthest = std::abs(at->second - expected[k]), name = at->first;
  }
  return farthest > most * largest ? name : "";
}

}  // namespace

ComparedAnswers::ComparedAnswers(SensorSolver solver, Program constant, ReadInputs read, std::vector<double> pi)
    : solver_(std::move(solver)), constant_(std::move(constant)), read_(std::move(read)), pi_(std::move(pi)) {}

AnswerFault ComparedAnswers::fault(const Program& program) {
  std::vector<double> expected(solver_.columns().size());
  const Model& model = solver_.system().model();
  const std::vector<double> weights = stated_weights(solver_.system(), program);
  bool any = false;
  AnswerFault worst;
  for (const ProgramState& state : health_states(model, program, {{"pi", pi_}, {"weight", weights}})) {
    const std::map<std::string, double> answer = outputs_at(program, state);
    any = any || !answer.empty();
    const std::vector<double> y = all_readings(solver_, read_, state[2]);
    if (!solver_.solve(state[0].data(), state[1].data(), y.data(), expected.data()).ok) continue;
    const std::map<std::string, double> usual = outputs_at(constant_, ProgramState(state.begin(), state.end() - 1));
    if (usual.empty() || !wrong_output(solver_, expected, usual).empty()) continue;
    const std::string name = answer.empty() ? "" : wrong_output(solver_, expected, answer);
    if (!answer.empty() && name.empty()) continue;
    const Fault here = answer.empty()                            ? Fault::no_answer
                       : is_right_angled(model, state[0].data()) ? Fault::special
                                                                 : Fault::general;
    if (here <= worst.fault) continue;
    worst = {here, (answer.empty() ? "the program has no answer at " : "the program loses the digits of " + name + " at ") +
                       posture_name(model, state[0].data())};
  }
  return any ? worst : AnswerFault{Fault::general, "the program divides by zero at every state"};
}

}  // namespace sparsedyn
