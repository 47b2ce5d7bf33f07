// Forward: the tangents of a sum, a product and a quotient v = a/b are ȧ + ḃ, ȧ b + a ḃ and (ȧ − v ḃ)/b. Reverse: with v̄ the
// derivative of the multiplied results by v, from the last operation to the first, ā += v̄ ∂v/∂a and b̄ += v̄ ∂v/∂b
// (Linnainmaa 1970; Griewank and Walther, Evaluating Derivatives, 2008).
#include "program_derivatives.hpp"

#include <stdexcept>
#include <utility>

#include "codegen/ir/state_ports.hpp"
#include "codegen/programs/coordinate_tangent.hpp"
#include "codegen/programs/expr_vector.hpp"
#include "replayed_program.hpp"

namespace sparsedyn {
namespace {

std::string prefix_of(const std::string& word, int order) { return word + (order == 1 ? "" : std::to_string(order)) + "_"; }
Expr with_sign(Ref ref, const Expr& x) { return ref.negative ? -x : x; }

/// Tangents of all nodes, given those of the inputs.
class ForwardSweep {
 public:
  ForwardSweep(const Program& program, const PortValues& inputs, const PortValues& along) : values_(program, inputs) {
    for (std::size_t k = 0; k < program.nodes().size(); ++k)
      tangents_.push_back(tangent(program.nodes()[k], Ref{static_cast<std::int32_t>(k), false}, along));
  }
  Expr at(Ref ref) const { return with_sign(ref, tangents_[place(ref.node)]); }

 private:
  Expr tangent(const Node& node, Ref self, const PortValues& along) {
    switch (node.op) {
      case Op::constant: return Expr();
      case Op::input: return along[place(node.port)][place(node.element)];
      case Op::add: return at(node.a) + at(node.b);
      case Op::mul: return at(node.a) * values_.at(node.b) + values_.at(node.a) * at(node.b);
      case Op::div: return (at(node.a) - values_.at(self) * at(node.b)) * values_.reciprocal(node.b);
      default: return values_.slope(node, values_.at(self)) * at(node.a);
    }
  }

  ReplayedProgram values_;
  std::vector<Expr> tangents_;
};

/// Derivatives of Σ times · results by all nodes.
class ReverseSweep {
 public:
  ReverseSweep(const Program& program, const PortValues& inputs, const PortValues& times)
      : values_(program, inputs), adjoints_(program.nodes().size()) {
    for (std::size_t k = 0; k < times.size(); ++k)
      for (std::size_t e = 0; e < times[k].size(); ++e) add(program.results()[k][e], times[k][e]);
    for (std::size_t k = program.nodes().size(); k-- > 0;) pass_on(program.nodes()[k], static_cast<std::int32_t>(k));
  }
  Expr at(std::size_t node) const { return adjoints_[node]; }

 private:
  void add(Ref ref, const Expr& x) { adjoints_[place(ref.node)] += with_sign(ref, x); }
  void pass_on(const Node& node, std::int32_t k) {
    const Expr mine = adjoints_[place(k)];
    if (node.op == Op::constant || node.op == Op::input || mine.ref() == Ref{}) return;
    const Expr value = values_.at({k, false});
    if (node.op == Op::add) {
      add(node.a, mine), add(node.b, mine);
    } else if (node.op == Op::mul) {
      add(node.a, mine * values_.at(node.b)), add(node.b, mine * values_.at(node.a));
    } else if (node.op == Op::div) {
      const Expr through = mine * values_.reciprocal(node.b);
      add(node.a, through), add(node.b, -(through * value));
    } else {
      add(node.a, mine * values_.slope(node, value));
    }
  }

  ReplayedProgram values_;
  std::vector<Expr> adjoints_;
};

/// 1/|u| of a quaternion.
Expr reciprocal_norm(const Expr* u) { return Expr(1.0) / sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2] + u[3] * u[3]); }

void normalise(const Model& model, std::vector<Expr>& q) {
  for (const int at : quaternion_places(model)) {
    Expr* const u = q.data() + at;
    const Expr scale = reciprocal_norm(u);
    for (int k = 0; k < 4; ++k) u[k] = u[k] * scale;
  }
}

}  // namespace

Program with_normalised_quaternions(const Program& program, const Model& model) {
  if (quaternion_places(model).empty()) return program;
  Recorder recorder;
  PortValues inputs = declared_inputs(recorder, program.inputs(), "");
  for (std::size_t k = 0; k < inputs.size(); ++k)
    if (begins_with_q(program.inputs()[k], model)) normalise(model, inputs[k]);
  declare_outputs(recorder, program.outputs(), "", ReplayedProgram(program, inputs).results());
  return recorder.program();
}

Program forward_derivative(const Program& program, int order) {
  Recorder recorder;
  const PortValues inputs = declared_inputs(recorder, program.inputs(), "");
  const PortValues along = declared_inputs(recorder, program.inputs(), prefix_of("along", order));
  const ForwardSweep sweep(program, inputs, along);
  PortValues slopes;
  for (const std::vector<Ref>& output : program.results()) {
    slopes.emplace_back();
    for (const Ref& ref : output) slopes.back().push_back(sweep.at(ref));
  }
  declare_outputs(recorder, program.outputs(), prefix_of("slope", order), slopes);
  return recorder.program();
}

Program reverse_derivative(const Program& program, int order) {
  Recorder recorder;
  const PortValues inputs = declared_inputs(recorder, program.inputs(), "");
  const PortValues times = declared_inputs(recorder, program.outputs(), prefix_of("times", order));
  const ReverseSweep sweep(program, inputs, times);
  PortValues slopes;
  for (const Port& port : program.inputs()) slopes.emplace_back(port.elements.size());
  for (std::size_t k = 0; k < program.nodes().size(); ++k) {
    const Node& node = program.nodes()[k];
    if (node.op == Op::input) slopes[place(node.port)][place(node.element)] = sweep.at(k);
  }
  declare_outputs(recorder, program.inputs(), prefix_of("slope", order), slopes);
  return recorder.program();
}

Program derived_program(const Program& program, const Model& model, const std::string& letters) {
  Program made = program;
  int order = 0;
  for (const char letter : letters) {
    if (letter != 'n' && letter != 'f' && letter != 'r')
      throw std::invalid_argument(std::string("derivative '") + letter + "'; expected n, f or r");
    made = letter == 'n'   ? with_normalised_quaternions(made, model)
           : letter == 'f' ? forward_derivative(made, ++order)
                           : reverse_derivative(made, ++order);
  }
  return made;
}

}  // namespace sparsedyn
