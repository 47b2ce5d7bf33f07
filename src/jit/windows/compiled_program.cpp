// Programs are not compiled under Windows: g++ does not align its stacks there for the vectors that generated code asks for
// (GCC bug 54412), and no other compiler takes its options.
#include "sparsedyn/jit/compiled_program.hpp"

namespace sparsedyn {
namespace {

[[noreturn]] void refuse() {
  throw CompilerFailure("programs cannot be compiled while running under Windows; expected Linux, or solve without --compiled");
}

}  // namespace

CompiledProgram::CompiledProgram(const CProgram&, const std::string&, const CompileOptions&) { refuse(); }
CompiledProgram::CompiledProgram(const std::string&, const std::function<CProgram()>&, const std::string&,
                                 const CompileOptions&) {
  refuse();
}
CompiledProgram::~CompiledProgram() = default;
void* CompiledProgram::symbol(const std::string&) const { refuse(); }

}  // namespace sparsedyn
