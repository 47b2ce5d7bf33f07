// A program as machine code: its C text compiled by the system's compiler and loaded into this process. Libraries are kept in
// the user's cache, so that a text is compiled once for each compiler and processor.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>

#include "sparsedyn/codegen/program.hpp"
#include "sparsedyn/io/detail/user_cache.hpp"

namespace sparsedyn {

/// There is no compiler, or it fails; what() says which and why.
struct CompilerFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The compiler, and where its results are kept.
struct CompileOptions {
  std::string compiler;                     // a command and its arguments, separated by blanks; empty: $CC, or else cc
  std::string flags;                        // likewise; empty: $CFLAGS, or else -O2 -march=native -ffp-contract=fast
  std::string cache = user_cache_folder();  // empty: none
};

/// A program in machine code, loaded into this process.
class CompiledProgram {
 public:
  /// `code` must have been emitted under this name. What the cache holds and is whole is loaded, else the compiler runs (Atlas'
  /// forward dynamics: seconds). Other processes may do the same at the same time. Throws CompilerFailure.
  CompiledProgram(const CProgram& code, const std::string& name, const CompileOptions& options = {});
  /// The same of a text that is written only where the cache lacks it: `fingerprint` stands for the text, so that whatever
  /// makes it other must make the fingerprint other, too.
  CompiledProgram(const std::string& fingerprint, const std::function<CProgram()>& write, const std::string& name,
                  const CompileOptions& options = {});
  ~CompiledProgram();
  CompiledProgram(const CompiledProgram&) = delete;
  CompiledProgram& operator=(const CompiledProgram&) = delete;

  /// One sample: arg[k], res[k] are the vectors of emit_c's contract. 1 where an input is not finite, else 0.
  int call(const double** arg, double** res) const noexcept { return call_(arg, res, nullptr, nullptr, 0); }
  /// n samples, element e of sample s at arg[k][e n + s].
  void batch(const double* const* arg, double* const* res, long n) const noexcept { batch_(arg, res, n); }
  /// The same of a text in single precision (EmitOptions::single_precision), and of no other.
  /// @{
  int call(const float** arg, float** res) const noexcept {
    return reinterpret_cast<int (*)(const float**, float**, long long*, float*, int)>(call_)(arg, res, nullptr, nullptr, 0);
  }
  void batch(const float* const* arg, float* const* res, long n) const noexcept {
    reinterpret_cast<void (*)(const float* const*, float* const*, long)>(batch_)(arg, res, n);
  }
  /// @}
  /// A further function of the text. Throws CompilerFailure where there is none.
  void* symbol(const std::string& name) const;
  /// Whether the cache had it.
  bool cached() const { return cached_; }

 private:
  bool load(const std::string& path, const std::string& name);

  void* library_ = nullptr;
  int (*call_)(const double**, double**, long long*, double*, int) = nullptr;
  void (*batch_)(const double* const*, double* const*, long) = nullptr;
  bool cached_ = false;
};

}  // namespace sparsedyn
