// Programs compiled and loaded: the cache, and everything that can be wrong with it or with the compiler.
#include "sparsedyn/jit/compiled_program.hpp"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <thread>

#include "sparsedyn/codegen/recorder.hpp"
#include "support/temporary_folder.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;
using Catch::Contains;

namespace {

/// y = (a + b) b, and a number that makes the text another one.
CProgram sum_times(double factor) {
  Recorder recorder;
  const auto x = recorder.input("x", {"a", "b"});
  recorder.output("y", {"y"}, {factor * (x[0] + x[1]) * x[1]});
  return emit_c(recorder.program(), "f");
}

double call(const CompiledProgram& f, double a, double b) {
  const double x[] = {a, b};
  double y = 0;
  const double* arg[] = {x};
  double* res[] = {&y};
  REQUIRE(f.call(arg, res) == 0);
  return y;
}

CompileOptions cached_in(const std::string& folder) { return {"", "-O0", folder}; }

bool no_compiler() {
  if (std::system("cc --version > /dev/null 2>&1") == 0) return false;
  WARN("skipped: no C compiler");
  return true;
}

std::string only_file(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path().string());
  REQUIRE(files.size() == 1);
  return files[0];
}

/// An environment variable, set for a while.
class Setting {
 public:
  Setting(const char* name, const char* value) : name_(name) {
    if (const char* old = getenv(name)) before_ = old, was_set_ = true;
    value ? setenv(name, value, 1) : unsetenv(name);
  }
  ~Setting() { was_set_ ? setenv(name_, before_.c_str(), 1) : unsetenv(name_); }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  const char* name_;
  std::string before_;
  bool was_set_ = false;
};

}  // namespace

TEST_CASE("a program is compiled once and then found in the cache") {
  if (no_compiler()) return;
  const TemporaryFolder folder;
  for (bool second : {false, true}) {
    const CompiledProgram f(sum_times(2), "f", cached_in(folder / "cache"));
    CHECK(f.cached() == second);
    CHECK(call(f, 3, 4) == 56);
    CHECK_THROWS_AS(f.symbol("g"), CompilerFailure);
  }
  const CompiledProgram other(sum_times(3), "f", cached_in(folder / "cache"));
  CHECK(!other.cached());
  CHECK(call(other, 3, 4) == 84);
}

TEST_CASE("a cached library that is cut short or altered is compiled anew") {
  if (no_compiler()) return;
  const TemporaryFolder folder;
  CHECK(call(CompiledProgram(sum_times(2), "f", cached_in(folder / "cache")), 3, 4) == 56);
  const std::string library = only_file(folder / "cache"), whole = text_of(library);
  std::string altered = whole;
  altered[whole.size() / 2] = static_cast<char>(altered[whole.size() / 2] ^ 1);
  for (const std::string& bad : {std::string(), whole.substr(0, 100), whole.substr(0, whole.size() - 30), altered}) {
    std::filesystem::remove(library);
    std::ofstream(library, std::ios::binary) << bad;
    const CompiledProgram f(sum_times(2), "f", cached_in(folder / "cache"));
    CHECK(!f.cached());
    CHECK(call(f, 3, 4) == 56);
    CHECK(CompiledProgram(sum_times(2), "f", cached_in(folder / "cache")).cached());
  }
}

TEST_CASE("compilations at the same time all get the program and leave one file in the cache") {
  if (no_compiler()) return;
  const TemporaryFolder folder;
  const CProgram code = sum_times(2);
  std::vector<std::thread> threads;
  std::vector<double> y(6, 0.0);
  for (double& result : y)
    threads.emplace_back([&] {
      const CompiledProgram f(code, "f", cached_in(folder / "cache"));
      const double x[] = {3, 4};
      const double* arg[] = {x};
      double* res[] = {&result};
      f.call(arg, res);
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(y == std::vector<double>(6, 56.0));
  only_file(folder / "cache");
}

TEST_CASE("a cache that others may write to, or that cannot be made, is not used") {
  if (no_compiler()) return;
  const TemporaryFolder folder;
  const std::string open = folder / "open", file = folder.file("file", "");
  std::filesystem::create_directory(open);
  REQUIRE(chmod(open.c_str(), 0777) == 0);
  for (const std::string& cache : {open, file + "/cache", std::string()}) {
    const CompiledProgram f(sum_times(2), "f", cached_in(cache));
    CHECK(!f.cached());
    CHECK(call(f, 3, 4) == 56);
  }
  CHECK(std::filesystem::is_empty(open));
}

TEST_CASE("a missing compiler and a compiler that fails are errors with its name") {
  const TemporaryFolder folder;
  const auto failure = [&](const std::string& compiler, const CProgram& code) -> std::string {
    try {
      const CompiledProgram f(code, "f", {compiler, "", folder / "cache"});
    } catch (const CompilerFailure& failed) {
      return failed.what();
    }
    return "";
  };
  CHECK_THAT(failure("no-such-compiler -O1", sum_times(2)), Contains("no-such-compiler"));
  CHECK_THAT(failure("false", sum_times(2)), Contains("'false'"));
  CHECK_THAT(failure("true", sum_times(2)), Contains("cannot be loaded"));
  if (no_compiler()) return;
  for (const char* flag : {"-fsanitize=address", "-fsanitize=undefined,thread", "-fsanitize=kernel-memory"})
    CHECK_THAT(failure(std::string("cc ") + flag, sum_times(2)), Contains(flag) && Contains("cannot be loaded"));
  CProgram broken = sum_times(2);
  broken.source += "this is not C\n";
  CHECK_THAT(failure("cc", broken), Contains("exit code 1") && Contains("error"));
}

TEST_CASE("the compiler is $CC with its arguments and $CFLAGS - the cache is where XDG says") {
  if (no_compiler()) return;
  const TemporaryFolder folder;
  const std::string script = folder.file("mycc", "#!/bin/sh\necho \"$@\" >> " + (folder / "log") + "\nexec cc \"$@\"\n");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  const std::string command = script + "  -O1 -DMINE";
  const Setting compiler("CC", command.c_str()), flags("CFLAGS", "-O0 -DFLAG"),
      cache("XDG_CACHE_HOME", (folder / "xdg").c_str());
  CHECK(user_cache_folder() == (folder / "xdg/sparsedyn"));
  CHECK(call(CompiledProgram(sum_times(2), "f", {}), 3, 4) == 56);
  CHECK_THAT(text_of(folder / "log"), Contains("-DMINE") && Contains("-O0 -DFLAG"));
  only_file(folder / "xdg/sparsedyn");

  const Setting relative("XDG_CACHE_HOME", "not/absolute"), home("HOME", "/home/someone");
  CHECK(user_cache_folder() == "/home/someone/.cache/sparsedyn");
  const Setting none("HOME", nullptr);
  CHECK(user_cache_folder().empty());
}

namespace {

/// A long chain of operations in `units` further texts: y_k = sin(x_k) + sin(x_j) Σ ..., enough for several functions.
CProgram long_program(int units) {
  Recorder recorder;
  std::vector<std::string> names;
  for (int k = 0; k < 40; ++k) names.push_back("x" + std::to_string(k));
  const std::vector<Expr> x = recorder.input("x", names);
  std::vector<Expr> sums(x);
  for (std::size_t turn = 0; turn < 40; ++turn)
    for (std::size_t k = 0; k < x.size(); ++k)
      sums[k] = 0.5 * sums[k] + sin(x[(k + turn) % x.size()]) * sums[(k * 7 + turn) % x.size()] * 0.25 + sin(x[k]);
  recorder.output("y", names, sums);
  EmitOptions options;
  options.units = units, options.largest_part = 400;
  return emit_c(recorder.program(), "f", options);
}

std::vector<double> batch_of(const CompiledProgram& f, long n, double first_angle) {
  std::vector<double> x(static_cast<std::size_t>(40 * n)), y(x.size());
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = std::cos(static_cast<double>(k));
  x[0] = first_angle;
  const double* arg[] = {x.data()};
  double* res[] = {y.data()};
  f.batch(arg, res, n);
  return y;
}

}  // namespace

TEST_CASE("a long program in several texts, compiled at once, gives what it gives in one") {
  if (no_compiler()) return;
  const TemporaryFolder folder;
  const CProgram whole = long_program(0), parts = long_program(3);
  CHECK(whole.units.empty());
  REQUIRE(parts.units.size() == 3);
  CHECK(parts.source.size() < whole.source.size());
  const CompiledProgram one(whole, "f", cached_in(folder / "cache")), several(parts, "f", cached_in(folder / "cache"));
  for (const double first_angle : {1.0, 1e7})  // 1e7: the library's sine
    for (const long n : {1L, 8L, 21L}) {       // single samples and vectors
      const std::vector<double> a = batch_of(one, n, first_angle), b = batch_of(several, n, first_angle);
      for (std::size_t k = 0; k < a.size(); ++k) CHECK(b[k] == Approx(a[k]).epsilon(1e-13));
    }
  const std::vector<double> no_number(40, std::numeric_limits<double>::quiet_NaN());
  std::vector<double> y(40);
  const double* arg[] = {no_number.data()};
  double* res[] = {y.data()};
  CHECK(several.call(arg, res) == 1);
  CHECK(CompiledProgram(parts, "f", cached_in(folder / "cache")).cached());
  CProgram broken = parts;
  broken.units[1] += "\nnonsense\n";
  CHECK_THROWS_WITH(CompiledProgram(broken, "f", cached_in(folder / "other")), Contains("failed with exit code"));
}

TEST_CASE("a program that is known by its fingerprint is written once") {
  if (no_compiler()) return;
  const TemporaryFolder folder;
  int written = 0;
  const auto write = [&] { return ++written, sum_times(3); };
  const CompiledProgram first("a", write, "f", cached_in(folder / "cache")),
      again("a", write, "f", cached_in(folder / "cache"));
  CHECK(written == 1);
  CHECK_FALSE(first.cached());
  CHECK(again.cached());
  CHECK(call(again, 1, 2) == 18);
  CHECK_FALSE(CompiledProgram("b", write, "f", cached_in(folder / "cache")).cached());
  CHECK(written == 2);
}
