// What a user relies on when logs are long and runs are interrupted.
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "pendulum.hpp"
#include "program.hpp"

using namespace sparsedyn::test;

namespace {

/// Peak memory of the children so far, kB.
long peak_of_children() {
  rusage usage;
  ::getrusage(RUSAGE_CHILDREN, &usage);
  return usage.ru_maxrss;
}

/// A shell command that writes a log of one joint with this many rows.
std::string rows_of_zeros(long n) {
  return "{ echo q.hinge,dq.hinge,ddq.hinge; yes 0.123456789,0.25,-1.5 | head -n " + std::to_string(n) + "; } | ";
}

}  // namespace

TEST_CASE("memory does not grow with the number of rows") {
  TemporaryFolder folder;
  const std::string arguments =
      "solve " + folder.file("pendulum.urdf", pendulum) + " --sensors inverse-dynamics --outputs tau --log - -o /dev/null";
  REQUIRE(run_program(arguments, rows_of_zeros(1000)).code == 0);
  const long few = peak_of_children();
  REQUIRE(run_program(arguments, rows_of_zeros(300000)).code == 0);
  CHECK(peak_of_children() <= few + 2048);
}

TEST_CASE("an interrupted run leaves neither an output nor a temporary file") {
  TemporaryFolder folder;
  const std::string urdf = folder.file("pendulum.urdf", pendulum), out = folder / "tau.csv";
  int pipe_to_child[2];
  REQUIRE(::pipe(pipe_to_child) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGINT, SIG_DFL);
    ::dup2(pipe_to_child[0], STDIN_FILENO);
    ::close(pipe_to_child[1]);
    ::execl(SPARSEDYN_PROGRAM, "sparsedyn", "compute", "rnea", urdf.c_str(), "--log", "-", "-o", out.c_str(),
            static_cast<char*>(nullptr));
    ::_exit(127);
  }
  ::close(pipe_to_child[0]);
  const std::string columns = "q.hinge,dq.hinge,ddq.hinge\n";
  REQUIRE(::write(pipe_to_child[1], columns.data(), columns.size()) == static_cast<ssize_t>(columns.size()));
  for (int i = 0; i < 500 && folder.entries() < 2; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK(folder.entries() == 2);  // the robot and the temporary file
  ::kill(child, SIGINT);
  int status = 0;
  ::waitpid(child, &status, 0);
  ::close(pipe_to_child[1]);
  CHECK(WIFSIGNALED(status));
  CHECK(folder.entries() == 1);
}

TEST_CASE("a full disk is bad input, and the old output stays") {
  TemporaryFolder folder;
  const std::string urdf = folder.file("pendulum.urdf", pendulum);
  const Run run = run_program("compute rnea " + urdf + " --log - -o /dev/full", rows_of_zeros(10));
  CHECK(run.code == 3);
  CHECK_THAT(run.err, Catch::Contains("/dev/full: cannot be written: No space left on device"));
  const std::string to_full_disk = SPARSEDYN_PROGRAM " info " + urdf + " --json >/dev/full 2>/dev/null";
  CHECK(WEXITSTATUS(std::system(to_full_disk.c_str())) == 3);

  const std::string out = folder.file("tau.csv", "old");
  CHECK(run_program("compute rnea " + urdf + " --log - -o " + out, "printf 'q.hinge,dq.hinge,ddq.hinge\\n0,0\\n' | ").code ==
        3);
  CHECK(text_of(out) == "old");
}
