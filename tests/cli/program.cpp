#include "program.hpp"

#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>

#include "io/csv_reader.hpp"
#include "support/robots.hpp"

namespace sparsedyn::test {

Run run_program(const std::string& arguments, const std::string& before) {
  TemporaryFolder folder;
  static const TemporaryFolder cache;  // nothing that other runs kept
  const std::string command = "export XDG_CACHE_HOME=" + (cache / "") + "; " + before + SPARSEDYN_PROGRAM " " + arguments +
                              " >" + (folder / "out") + " 2>" + (folder / "err");
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), text_of(folder / "out"), text_of(folder / "err")};
}

std::string robot(const std::string& name) { return source_folder() + "/robots/" + name + ".urdf"; }

std::string robot_log(const std::string& name) { return source_folder() + "/robots/" + name + ".csv"; }

std::string example(const std::string& path) { return source_folder() + "/examples/" + path; }

std::string shared(const std::string& path) { return source_folder() + "/../shared/" + path; }

bool shared_is_missing() { return !std::filesystem::exists(shared("logs/panda_exciting.csv")); }

double worst_difference(const std::string& a_path, const std::string& b_path) {
  CsvReader a(a_path), b(b_path);
  for (const std::string& name : a.columns())
    if (name != "time" && b.has(name)) a.ask(name), b.ask(name);
  const int columns = static_cast<int>(a.columns().size()) - (a.has("time") ? 1 : 0);
  double worst = 0;
  int rows = 0;
  for (; a.next() && b.next(); ++rows)
    for (int k = 0; k < columns; ++k) {
      REQUIRE(a.state(k) == b.state(k));
      if (a.state(k) == CellState::number)
        worst = std::max(worst, std::abs(a.value(k) - b.value(k)) / std::max(1.0, std::abs(b.value(k))));
    }
  REQUIRE(rows > 10);
  REQUIRE(columns > 0);
  return worst;
}

}  // namespace sparsedyn::test
