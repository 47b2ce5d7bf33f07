// What a user relies on when logs are long and runs are interrupted.
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <utility>
#include <vector>

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

namespace {

/// `sparsedyn` with these arguments between two pipes that stay open.
struct Piped {
  explicit Piped(std::vector<std::string> arguments) {
    int in[2], out[2];
    REQUIRE((::pipe(in) == 0 && ::pipe(out) == 0));
    child = ::fork();
    if (child == 0) {
      ::dup2(in[0], STDIN_FILENO), ::dup2(out[1], STDOUT_FILENO);
      for (int file : {in[0], in[1], out[0], out[1]}) ::close(file);
      arguments.insert(arguments.begin(), "sparsedyn");
      std::vector<char*> words;
      for (std::string& word : arguments) words.push_back(word.data());
      words.push_back(nullptr);
      ::execv(SPARSEDYN_PROGRAM, words.data());
      ::_exit(127);
    }
    ::close(in[0]), ::close(out[1]);
    to = in[1], from = out[0];
  }
  ~Piped() {
    end();
    ::close(from);
  }

  void write(const std::string& text) const {
    REQUIRE(::write(to, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  }
  /// The next line of the output; empty if none comes within ten seconds.
  std::string line() {
    while (read.find('\n') == std::string::npos) {
      pollfd file{from, POLLIN, 0};
      std::array<char, 4096> block;
      const ssize_t n = ::poll(&file, 1, 10000) > 0 ? ::read(from, block.data(), block.size()) : 0;
      if (n <= 0) return "";
      read.append(block.data(), static_cast<std::size_t>(n));
    }
    const std::string first = read.substr(0, read.find('\n'));
    read.erase(0, first.size() + 1);
    return first;
  }
  int end() {
    if (child < 0) return -1;
    ::close(to);
    int status = 0;
    ::waitpid(std::exchange(child, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  pid_t child = -1;
  int to = -1, from = -1;
  std::string read;
};

}  // namespace

TEST_CASE("a row of a pipe that stays open is answered before the next one is written") {
  TemporaryFolder folder;
  const std::string urdf = folder.file("pendulum.urdf", pendulum);
  for (const bool estimated : {false, true}) {
    const std::string set =
        folder.file("set.json", R"({"name": "set", "sensors": [{"name": "known", "type": "joint_acceleration", "joint": "*"},
        {"name": "torque", "type": "joint_torque", "joint": "*", "sigma": 0.1}, {"name": "air", "type": "external_wrench", "link": "*"}]})");
    Piped solve({"solve", urdf, "--sensors", estimated ? set : "inverse-dynamics", "--log", "-", "-o", "-", "--outputs", "tau",
                 "--quiet"});
    solve.write(estimated ? "time,q.hinge,dq.hinge,ddq.hinge,tau.hinge\n" : "time,q.hinge,dq.hinge,ddq.hinge\n");
    const std::string cells = estimated ? ",0.5,0.25,-1.5,1" : ",0.5,0.25,-1.5";
    solve.write("0" + cells + "\n");
    CHECK(solve.line() == "time,tau.hinge");
    const std::string first = solve.line();
    CHECK(first.substr(0, 2) == "0,");
    solve.write("\n1" + cells + "\n\n2" + cells + "\n3");  // blank lines, two rows at once, and a part of the third
    CHECK(solve.line() == "1" + first.substr(1));
    CHECK(solve.line() == "2" + first.substr(1));
    solve.write(cells);  // which the end of the log ends
    ::close(solve.to), solve.to = -1;
    CHECK(solve.line() == "3" + first.substr(1));
    CHECK(solve.end() == 0);
  }
}
