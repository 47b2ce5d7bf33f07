#include "program.hpp"

#include <sys/wait.h>

#include <cstdlib>

#include "support/robots.hpp"

namespace sparsedyn::test {

Run run_program(const std::string& arguments, const std::string& before) {
  TemporaryFolder folder;
  const std::string command = before + SPARSEDYN_PROGRAM " " + arguments + " >" + (folder / "out") + " 2>" + (folder / "err");
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), text_of(folder / "out"), text_of(folder / "err")};
}

std::string robot(const std::string& name) { return source_folder() + "/robots/" + name + ".urdf"; }

std::string robot_log(const std::string& name) { return source_folder() + "/robots/" + name + ".csv"; }

std::string shared(const std::string& path) { return source_folder() + "/../shared/" + path; }

bool shared_is_missing() { return !std::filesystem::exists(shared("logs/panda_exciting.csv")); }

}  // namespace sparsedyn::test
