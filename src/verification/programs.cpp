// Generated C, compiled here, beside the recursions that it was recorded from.
#include "checks.hpp"
#include "entry_names.hpp"

#ifdef SPARSEDYN_JIT
#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/jit/compiled_program.hpp"

namespace sparsedyn::verification {
namespace {

class Programs final : public Check {
 public:
  explicit Programs(const Model& model) : model_(model), work_(model) {
    inverse_code_ = compiled("rnea", inverse_), forward_code_ = compiled("aba", forward_);
  }

  void at(const State& s) override {
    const auto n = static_cast<std::size_t>(model_.nv);
    const Force<double>* none = nullptr;
    std::vector<double> x(n), r(n);
    double* res[] = {x.data()};
    if (inverse_code_) {
      rnea(model_, work_, s.q.data(), s.v.data(), s.a.data(), none, r.data());
      const double* arg[] = {s.q.data(), s.v.data(), s.a.data()};
      inverse_code_->call(arg, res);
      inverse_.add(s, x, r);
    }
    if (forward_code_) {
      const bool regular = aba(model_, work_, s.q.data(), s.v.data(), s.tau.data(), none, r.data()).ok();
      const double* arg[] = {s.q.data(), s.v.data(), s.tau.data()};
      forward_code_->call(arg, res);
      forward_.add_solved(s, x, true, r, regular);
    }
  }

  void report(Verification& out) const override {
    const EntryNames names(model_);
    out.agreements.push_back(inverse_.result(names.torques()));
    out.agreements.push_back(forward_.result(names.accelerations()));
  }

 private:
  /// Null, and the row says why, where no program can be made or compiled.
  std::unique_ptr<CompiledProgram> compiled(const std::string& algorithm, Comparison& row) const {
    try {
      CompileOptions how;
      how.flags = "-O1";  // for seconds, not for speed
      return std::make_unique<CompiledProgram>(emit_c(algorithm_program(model_, algorithm), "verified"), "verified", how);
    } catch (const CompilerFailure& e) {
      row.skip(e.what());
    } catch (const std::domain_error& e) {  // some joint moves no mass
      row.skip(e.what());
    }
    return nullptr;
  }

  const Model& model_;
  Workspace<double> work_;
  Comparison inverse_{"joint torques", "generated C", "recursion (rnea)"};
  Comparison forward_{"accelerations", "generated C", "articulated bodies (aba)"};
  std::unique_ptr<CompiledProgram> inverse_code_, forward_code_;
};

}  // namespace

std::unique_ptr<Check> program_check(const Model& model) { return std::make_unique<Programs>(model); }

}  // namespace sparsedyn::verification
#else
namespace sparsedyn::verification {
std::unique_ptr<Check> program_check(const Model&) { return nullptr; }
}  // namespace sparsedyn::verification
#endif
