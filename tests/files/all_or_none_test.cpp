// Of the files that a command writes all appear, or none: also where the disk is full, and where a signal ends it.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <sstream>
#include <thread>

#include "cli/pendulum.hpp"
#include "cli/program.hpp"

using namespace sparsedyn::test;
using Catch::Contains;

namespace {

namespace fs = std::filesystem;

struct Robot {
  Robot() : urdf(folder.file("robot.urdf", pendulum)) {
    std::string text = "time,q.hinge,dq.hinge,ddq.hinge,tau.hinge\n";
    for (int k = 0; k < 40; ++k) {
      const double a = 0.3 * k, q = 0.1 * k;
      text += std::to_string(0.01 * k) + "," + std::to_string(q) + "," + std::to_string(2 - 0.1 * k) + "," + std::to_string(a) +
              "," + std::to_string(0.5 * a - 9.81 * std::cos(q)) + "\n";
    }
    log = folder.file("log.csv", text);
    set = folder.file("set.json", R"({"sensors": [
      {"name": "torque", "type": "joint_torque", "joint": "hinge", "sigma": 0.1, "bias": true},
      {"name": "angle", "type": "joint_acceleration", "joint": "hinge", "sigma": 0.1},
      {"name": "air", "type": "external_wrench", "link": "*", "value": 0}]})");
    entries = folder.entries();
  }
  TemporaryFolder folder;
  std::string urdf, log, set;
  int entries;
};

/// Starts the program as a user's terminal does, with the signals at their defaults.
pid_t start(const std::string& arguments) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_DFL);
  std::vector<std::string> words{"sparsedyn"};
  std::istringstream text(arguments);
  for (std::string word; text >> word;) words.push_back(word);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const int nothing = ::open("/dev/null", O_WRONLY);
  ::dup2(nothing, STDERR_FILENO);
  ::execv(SPARSEDYN_PROGRAM, pointers.data());
  ::_exit(127);
}

/// The exit code, where what it says is for the standard output of a full disk.
int to_full_disk(const std::string& arguments) {
  return WEXITSTATUS(std::system((SPARSEDYN_PROGRAM " " + arguments + " >/dev/full 2>/dev/null").c_str()));
}

template <class Condition>
bool within_ten_seconds(const Condition& condition) {
  for (int i = 0; i < 2000 && !condition(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return condition();
}

int ended_by(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status);
}

}  // namespace

TEST_CASE("where one output cannot be written, none is, and what was there stays") {
  const Robot robot;
  const std::string out = robot.folder / "out", inputs = " " + robot.urdf + " --log " + robot.log;
  const std::string identify = "identify" + inputs + " -o " + out, solve = "solve" + inputs + " --sensors " + robot.set;
  const std::string simulate = "simulate " + robot.urdf + " --forward --seconds 0.1 -o " + out;
  for (const std::string& line : {identify, solve + " -o " + out, simulate}) {
    INFO(line);
    CHECK(to_full_disk(line) == 3);
    CHECK(robot.folder.entries() == robot.entries);
  }
  std::vector<std::string> lines{solve + " -o /dev/full --corrected " + out, simulate + " --report /dev/full"};
  for (const char* option : {"--urdf-out", "--joints-out", "--report"})
    lines.push_back(identify + " " + option + " /dev/full"), lines.push_back(identify + " " + option + " /nowhere/file");
  for (const char* option : {"--report", "--offsets", "--corrected"})
    lines.push_back(solve + " -o " + out + " " + option + " /dev/full");
  for (const std::string& line : lines) {
    INFO(line);
    CHECK(run_program(line).code == 3);
    CHECK(robot.folder.entries() == robot.entries);
  }
  robot.folder.file("out", "old");
  CHECK(run_program(identify + " --urdf-out /dev/full").code == 3);
  CHECK(text_of(out) == "old");
  CHECK(run_program(identify + " --urdf-out " + (robot.folder / "fitted.urdf")).code == 0);
  CHECK(text_of(out) != "old");
  CHECK(robot.folder.entries() == robot.entries + 2);
}

TEST_CASE("generate and folders of arrays: all files or none, and no new folder") {
  const Robot robot;
  const std::string code = robot.folder / "code", arrays = robot.folder / "arrays", inputs = robot.urdf + " --log " + robot.log;
  fs::create_directories(code + "/x.h"), fs::create_directories(arrays + "/names.json");
  CHECK(run_program("generate " + robot.urdf + " --algorithm rnea --name x -o " + code).code == 3);
  CHECK(run_program("compute sensitivities " + inputs + " --sensors " + robot.set + " -o " + arrays).code == 3);
  for (const std::string& folder : {code, arrays}) CHECK(std::distance(fs::directory_iterator(folder), {}) == 1);

  const std::string deep = robot.folder / "new/deep";
  CHECK(to_full_disk("compute crba " + inputs + " --npy -o " + deep) == 3);
  CHECK(to_full_disk("compute sensitivities " + inputs + " --sensors " + robot.set + " -o " + deep) == 3);
  CHECK(to_full_disk("generate " + robot.urdf + " --algorithm rnea --name x -o " + deep) == 3);
  CHECK(!fs::exists(robot.folder / "new"));
  CHECK(run_program("compute crba " + inputs + " --npy -o " + deep).code == 0);
  CHECK(fs::exists(deep + "/M.npy"));
}

TEST_CASE("rows that fail are no reason to keep the others back") {
  const Robot robot;
  const std::string log = robot.folder.file("gap.csv", "q.hinge,dq.hinge,ddq.hinge\n0,0,0\n,0,0\n");
  const std::string out = robot.folder / "out";
  CHECK(run_program("compute rnea " + robot.urdf + " --log " + log + " -o " + out).code == 4);
  CHECK_THAT(text_of(out), Contains("-9.81"));
}

TEST_CASE("a signal leaves neither folders nor files") {
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const Robot robot;
    const std::string pipe = robot.folder / "pipe", deep = robot.folder / "new/deep";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    for (const std::string& command :
         {"compute crba " + robot.urdf + " --npy", "compute sensitivities " + robot.urdf + " --sensors " + robot.set}) {
      INFO(command << " " << signal);
      const pid_t child = start(command + " --log " + pipe + " -o " + deep);
      const int log = ::open(pipe.c_str(), O_WRONLY);
      const std::string text = text_of(robot.log);
      REQUIRE(::write(log, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
      CHECK(within_ten_seconds([&] { return fs::exists(deep) && !fs::is_empty(deep); }));
      ::kill(child, signal);
      CHECK(ended_by(child) == signal);
      ::close(log);
      CHECK(!fs::exists(robot.folder / "new"));
    }
  }
}

TEST_CASE("a hangup that nohup ignores does not end a run") {
  const Robot robot;
  const std::string pipe = robot.folder / "pipe", out = robot.folder / "out";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGHUP, SIG_IGN);
    ::execl(SPARSEDYN_PROGRAM, "sparsedyn", "compute", "rnea", robot.urdf.c_str(), "--quiet", "--log", pipe.c_str(), "-o",
            out.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  const int log = ::open(pipe.c_str(), O_WRONLY);
  ::kill(child, SIGHUP);
  const std::string text = text_of(robot.log);
  REQUIRE(::write(log, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  ::close(log);
  CHECK(ended_by(child) == 0);
  CHECK(fs::exists(out));
}

TEST_CASE("a signal ends the compiler too, and removes its folder") {
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    INFO(signal);
    const Robot robot;
    const std::string temporary = robot.folder / "tmp", started = robot.folder / "started", out = robot.folder / "out";
    fs::create_directory(temporary);
    // A compiler that runs a program of its own for long, as gcc does, and leaves files where it works.
    const std::string compiler = robot.folder.file("compiler",
                                                   "#!/bin/sh\n[ \"$1\" = --version ] && exit 0\n"
                                                   "trap '' INT HUP\nmkdir $TMPDIR/sub; > $TMPDIR/sub/file\n"
                                                   "sleep 1000 &\necho $$ $! > " +
                                                       started +
                                                       "~\n"
                                                       "mv " +
                                                       started + "~ " + started + "\nwait\n");
    fs::permissions(compiler, fs::perms::owner_all);
    ::setenv("TMPDIR", temporary.c_str(), 1), ::setenv("CC", compiler.c_str(), 1);
    ::setenv("XDG_CACHE_HOME", (robot.folder / "cache").c_str(), 1);
    const pid_t child =
        start("solve " + robot.urdf + " --sensors inverse-dynamics --compiled --log " + robot.log + " -o " + out);
    for (const char* name : {"TMPDIR", "CC", "XDG_CACHE_HOME"}) ::unsetenv(name);
    CHECK(within_ten_seconds([&] { return fs::exists(started); }));
    CHECK(!fs::is_empty(temporary));
    ::kill(child, signal);
    CHECK(ended_by(child) == signal);
    CHECK(fs::is_empty(temporary));
    CHECK(!fs::exists(out));
    pid_t shell = 0, sleeper = 0;
    std::istringstream(text_of(started)) >> shell >> sleeper;
    REQUIRE(sleeper > 0);
    const auto gone = [](pid_t process) {  // or a zombie that nobody asks for
      const std::string stat = text_of("/proc/" + std::to_string(process) + "/stat");
      return stat.empty() || stat.find(") Z") != std::string::npos;
    };
    CHECK(within_ten_seconds([&] { return gone(shell) && gone(sleeper); }));
  }
}
