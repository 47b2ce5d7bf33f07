// Samples answered by machine code, many at once, beside a SensorSolver that answers what the code cannot.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "sparsedyn/answers/sensor_solver.hpp"
#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/jit/compiled_program.hpp"

namespace sparsedyn {

/// What became of the samples so far.
struct CompiledReport {
  long answered = 0, compared = 0;  // by the program alone; both ways
  double worst_difference = 0;      // of those compared, relative to the largest output (at least 1)
  double smallest_health = 1;       // of those answered: |pivot| beside its row, the least
  bool trusted = true;              // false: the two differed, and the program is not used any more
  bool cached = false;              // the program was found, not compiled
  double seconds = 0;               // to record, write, compile and load it
};

/// Told before compilers start: the program's operations, and about how many seconds they will take.
using CompilerTold = std::function<void(long operations, double seconds)>;

/// Both answer the first sample of each batch, and must agree. The solver answers samples with weak pivots, results that are
/// not finite, and gaps.
class CompiledAnswers {
 public:
  /// The program of `careful`, which reads these inputs. Throws CompilerFailure: without a compiler or a program, and for one
  /// of more than 200,000 operations, which compilers take long for. A program that the user's cache has is neither recorded
  /// nor written: it is known by what it is made of.
  CompiledAnswers(const SensorSolver& careful, const ReadInputs& read, const CompilerTold& told = {});

  /// How many samples are evaluated at once.
  std::size_t batch() const;
  /// Evaluates the samples (q, v, y in each) of the next calls of solve(), in this order; at most batch().
  void expect(const std::vector<const double*>& samples);
  /// As SensorSolver::solve, of the next sample; careful: as it was when this was made.
  Answer solve(SensorSolver& careful, const double* q, const double* v, const double* y, double* results);
  /// Whether the program answered the last sample.
  bool by_program() const { return by_program_; }
  const CompiledReport& report() const { return report_; }

 private:
  struct Code;
  double value(std::size_t element, std::size_t sample) const { return out_[element * n_ + sample]; }
  bool is_good(std::size_t sample) const;
  void compare(std::size_t sample, const double* results);

  std::shared_ptr<const Code> code_;
  std::vector<int> reads_;                // of a sample's q, v, y: what the program reads
  std::vector<std::size_t> places_;       // of the solver's columns, among the program's outputs
  std::vector<std::size_t> more_places_;  // of what SensorSolver::accept is told
  std::size_t health_;                    // the last
  std::vector<double> in_, out_, more_;   // a batch, structures of arrays
  std::vector<const double*> arg_;
  std::vector<double*> res_;
  std::size_t n_ = 0, next_ = 0;  // samples in the batch, and those that solve() has seen
  bool by_program_ = false;
  CompiledReport report_;
};

}  // namespace sparsedyn
