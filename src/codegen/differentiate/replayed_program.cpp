#include "replayed_program.hpp"

#include <stdexcept>

namespace sparsedyn {
namespace {

Expr replayed(const Node& node, const ReplayedProgram& known, const PortValues& inputs) {
  switch (node.op) {
    case Op::constant: return Expr(node.value);
    case Op::input: return inputs[static_cast<std::size_t>(node.port)][static_cast<std::size_t>(node.element)];
    case Op::add: return known.at(node.a) + known.at(node.b);
    case Op::mul: return known.at(node.a) * known.at(node.b);
    case Op::div: return known.at(node.a) / known.at(node.b);
    case Op::sqrt: return sqrt(known.at(node.a));
    case Op::sin: return sin(known.at(node.a));
    case Op::cos: return cos(known.at(node.a));
    case Op::tanh: return tanh(known.at(node.a));
    case Op::abs:
    case Op::min: break;
  }
  throw std::invalid_argument("health has no derivative: leave it out");
}

}  // namespace

ReplayedProgram::ReplayedProgram(const Program& program, const PortValues& inputs) : program_(program) {
  values_.reserve(program.nodes().size());
  for (const Node& node : program.nodes()) values_.push_back(replayed(node, *this, inputs));
  reciprocals_.resize(values_.size());
  has_reciprocal_.resize(values_.size(), false);
}

PortValues ReplayedProgram::results() const {
  PortValues all;
  for (const std::vector<Ref>& output : program_.results()) {
    all.emplace_back();
    for (const Ref& ref : output) all.back().push_back(at(ref));
  }
  return all;
}

Expr ReplayedProgram::reciprocal(Ref b) {
  const std::size_t k = index(b);
  if (!has_reciprocal_[k]) reciprocals_[k] = Expr(1.0) / values_[k], has_reciprocal_[k] = true;
  return b.negative ? -reciprocals_[k] : reciprocals_[k];
}

Expr ReplayedProgram::slope(const Node& node, const Expr& value) const {
  switch (node.op) {
    case Op::sqrt: return Expr(0.5) / value;
    case Op::sin: return cos(at(node.a));
    case Op::cos: return -sin(at(node.a));
    case Op::tanh: return Expr(1.0) - value * value;
    default: throw std::logic_error("not a function of one operand");
  }
}

PortValues declared_inputs(Recorder& recorder, const std::vector<Port>& ports, const std::string& prefix) {
  PortValues values;
  for (const Port& port : ports) values.push_back(recorder.input(prefix + port.name, prefixed(prefix, port.elements)));
  return values;
}

void declare_outputs(Recorder& recorder, const std::vector<Port>& ports, const std::string& prefix, const PortValues& values) {
  for (std::size_t k = 0; k < ports.size(); ++k)
    recorder.output(prefix + ports[k].name, prefixed(prefix, ports[k].elements), values[k]);
}

}  // namespace sparsedyn
