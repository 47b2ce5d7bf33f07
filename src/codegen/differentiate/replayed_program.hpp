// A program's operations once more, on the values of another recording.
#pragma once

#include <vector>

#include "sparsedyn/codegen/program.hpp"
#include "sparsedyn/codegen/recorder.hpp"

namespace sparsedyn {

/// For each input, or each output, of a program the values of its elements.
using PortValues = std::vector<std::vector<Expr>>;

/// Values of a program's nodes in a recording.
class ReplayedProgram {
 public:
  /// Of these inputs. The program must outlive it. Throws std::invalid_argument for the operations of health.
  ReplayedProgram(const Program& program, const PortValues& inputs);
  /// Of an operand or a result, with its sign.
  Expr at(Ref ref) const { return ref.negative ? -values_[index(ref)] : values_[index(ref)]; }
  /// Of the outputs.
  PortValues results() const;
  /// 1 / b, recorded once for each divisor.
  Expr reciprocal(Ref b);
  /// cos a where the node is sin a, −sin a where it is cos a, and so on: the derivative of a function of one operand.
  Expr slope(const Node& node, const Expr& value) const;

 private:
  static std::size_t index(Ref ref) { return static_cast<std::size_t>(ref.node); }

  const Program& program_;
  std::vector<Expr> values_, reciprocals_;
  std::vector<bool> has_reciprocal_;
};

/// Inputs of this recording with the names of ports, and a prefix before each name.
PortValues declared_inputs(Recorder& recorder, const std::vector<Port>& ports, const std::string& prefix);
/// Likewise outputs.
void declare_outputs(Recorder& recorder, const std::vector<Port>& ports, const std::string& prefix, const PortValues& values);

}  // namespace sparsedyn
