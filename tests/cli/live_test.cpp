// Live runs from outside: pipes, sockets, signals, records.
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <sstream>
#include <vector>

#include "live_run.hpp"
#include "pendulum.hpp"
#include "program.hpp"

using namespace sparsedyn::test;
using Catch::Contains;

TEST_CASE("live gives what solve gives of the same log, and its record the same bytes") {
  const TemporaryFolder folder;
  const std::string solved = folder / "solved.csv", live = folder / "live.csv", again = folder / "again.csv",
                    record = folder / "run.mcap";
  const std::string arm = robot("arm") + " --sensors inverse-dynamics --outputs tau";
  REQUIRE(run_program("solve " + arm + " --quiet --log " + robot_log("arm") + " -o " + solved).code == 0);
  const Run run = run_program("live " + arm + " --record " + record, "cat " + robot_log("arm") + " | ");
  CHECK(run.code == 0);
  CHECK_THAT(run.err, Contains("250 samples, 0 without an answer"));
  CHECK(run.out == text_of(solved));
  CHECK(run_program("live " + arm + " --replay " + record + " -o " + again).code == 0);
  CHECK(run.out == text_of(again));

  REQUIRE(run_program("live " + arm + " --rate 73 --input " + robot_log("arm") + " --record " + record + " -o " + live).code ==
          0);
  CHECK(run_program("live " + arm + " --replay " + record + " -o " + again).code == 0);
  CHECK(text_of(live) == text_of(again));
  CHECK(lines_of_text(text_of(live)) > 700);
  const Run other = run_program("live " + robot("quadruped") + " --floating --sensors inverse-dynamics --replay " + record);
  CHECK(other.code == 3);
  CHECK_THAT(other.err, Contains("readings of another robot"));
  folder.file("cut.mcap", text_of(record).substr(0, 5000));
  CHECK_THAT(run_program("live " + arm + " --replay " + (folder / "cut.mcap") + " -o " + again).err, Contains("has no end"));
}

TEST_CASE("live over a socket: garbage, a publisher that is killed and starts again, and a signal at the end") {
  const TemporaryFolder folder;
  const int port = 20000 + static_cast<int>(::getpid() % 20000);
  const std::string urdf = folder.file("pendulum.urdf", pendulum), out = folder / "out.csv",
                    diagnostics = folder / "found.json", words = folder / "words";
  Background live("live " + urdf + " --sensors inverse-dynamics --outputs tau --input udp:" + std::to_string(port) + " -o " +
                      out + " --diagnostics " + diagnostics,
                  words);
  {
    const Publisher first(port);
    wait_for(first);
    first.send(pendulum_columns);
    for (int k = 0; k < 50; ++k) first.send(pendulum_row(10 + 0.002 * k)), pause_ms(2);
    first.send("10.1,0.5,abc,-1.5\n"), first.send("\x89\x01\x02 no row"), first.send(std::string(60000, 'x'));
  }
  pause_ms(100);
  const Publisher second(port);  // names no columns: those of the first one hold
  for (int k = 0; k < 50; ++k) second.send(pendulum_row(0.002 * k)), pause_ms(2);
  pause_ms(50);
  CHECK(live.end(SIGINT) == 0);
  const std::string found = text_of(diagnostics);
  CHECK_THAT(found,
             Contains("\"kind\":\"silent\"") && Contains("\"kind\":\"restarted\"") && Contains("\"kind\":\"malformed\""));
  CHECK_THAT(text_of(words), Contains("3 malformed") && Contains("4 refused"));
  const std::string samples = text_of(out);
  CHECK(lines_of_text(samples) == 1 + 50 + 46);
  CHECK(samples.compare(0, 15, "time,tau.hinge\n") == 0);
  for (std::size_t end = samples.find('\n'); (end = samples.find('\n', end + 1)) != std::string::npos;)
    CHECK(samples[end - 1] != ',');
}

TEST_CASE("live frames on a Unix socket, with readings that lack and changes that are asked for") {
  const TemporaryFolder folder;
  const std::string urdf = folder.file("pendulum.urdf", pendulum), out = folder / "out.csv", words = folder / "words",
                    path = folder / "socket", control = folder / "control";
  const std::string set = folder.file("set.json", R"({"name": "set", "sensors": [
      {"name": "known", "type": "joint_acceleration", "joint": "*", "sigma": 0.1},
      {"name": "torque", "type": "joint_torque", "joint": "*", "sigma": 0.1}, {"name": "air", "type": "external_wrench", "link": "*"}]})");
  Background live("live " + urdf + " --sensors " + set + " --outputs tau --sd --format f64 --input unix:" + path +
                      " --control unix:" + control + " -o " + out,
                  words);
  const auto connected = [](const std::string& to) {
    const int file = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un there{};
    there.sun_family = AF_UNIX;
    std::strncpy(there.sun_path, to.c_str(), sizeof there.sun_path - 1);
    for (int k = 0; k < 500 && ::connect(file, reinterpret_cast<const sockaddr*>(&there), sizeof there) != 0; ++k) pause_ms(10);
    return file;
  };
  const int to_input = connected(path), to_control = connected(control);
  const std::string names = "time,q.hinge,dq.hinge,y.known.hinge,y.torque.hinge";
  std::uint32_t hash = 2166136261u;
  for (char c : names) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  const auto frame = [&](std::uint32_t kind, std::uint32_t count, const std::string& body) {
    std::string bytes = "SDL1";
    for (std::uint32_t x : {kind, count, hash})
      for (int k = 0; k < 4; ++k) bytes += static_cast<char>(x >> (8 * k));
    bytes += body;
    REQUIRE(::write(to_input, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  };
  frame(1, static_cast<std::uint32_t>(names.size()), names);
  const auto row = [&](double t, double torque) {
    const double numbers[5] = {t, 0.5, 0.25, -1.5, torque};
    frame(2, 5, std::string(reinterpret_cast<const char*>(numbers), sizeof numbers));
    pause_ms(5);
  };
  row(0, -8), row(0.005, std::nan(""));
  const auto ask = [&](const std::string& line) {
    REQUIRE(::write(to_control, line.data(), line.size()) == static_cast<ssize_t>(line.size()));
    pause_ms(50);
  };
  ask("sigma torque 10\nsigma nobody 1\n");
  row(0.01, -8);
  REQUIRE(::write(to_control, "sigma torque 1", 14) == 14);  // whose sender is gone before the end of the line
  ::close(to_input), ::close(to_control);
  pause_ms(50);
  CHECK(live.end(SIGTERM) == 0);
  CHECK_THAT(text_of(words), Contains("no sensor or column nobody") && Contains("a last line that is cut off; refused") &&
                                 Contains("3 samples, 0 without an answer"));
  std::istringstream samples(text_of(out));
  std::string line;
  std::vector<double> deviations;
  std::getline(samples, line);
  CHECK(line == "time,tau.hinge,sd.tau.hinge");
  while (std::getline(samples, line)) deviations.push_back(std::stod(line.substr(line.rfind(',') + 1)));
  REQUIRE(deviations.size() == 3);
  CHECK(deviations[1] > 1.1 * deviations[0]);  // without the torque
  CHECK(deviations[2] == Approx(deviations[1]).epsilon(0.01));
}

TEST_CASE("live names what is wrong with its options, its set and its readings") {
  const TemporaryFolder folder;
  const std::string urdf = folder.file("pendulum.urdf", pendulum),
                    log = folder.file("log.csv", std::string(pendulum_columns) + "0,,1,1\n");
  const std::string live = "live " + urdf + " --sensors inverse-dynamics ";
  for (const auto& [options, code, expected] : {std::make_tuple("--json", 2, "--output - with --json"),
                                                {"--format f32", 2, "expected csv or f64"},
                                                {"--input udp:x", 2, "--input udp:x; expected -, udp:PORT"},
                                                {"--wait 2 </dev/null", 2, "a wait of 0 to 0.25 s"},
                                                {"--replay a --record b", 2, "--replay with --record"},
                                                {"--priority 100", 2, "--priority: expected 1 to 99"},
                                                {"--priority 0", 2, "--priority: expected 1 to 99"},
                                                {"--priority 0.5", 2, "--priority: expected 1 to 99"},
                                                {"--control - </dev/null", 2, "--control - with --input -"},
                                                {"--missing-after nan </dev/null", 2, "missing"},
                                                {"--missing-after -1 </dev/null", 2, "missing"},
                                                {"--rate 1e-300 </dev/null", 2, "a rate of 0"},
                                                {"--input .", 3, "cannot be read"},
                                                {"--input /proc/self/mem", 3, "cannot be read: Input/output error"},
                                                {"--columns q.hinge </dev/null", 2, "names of columns without time"},
                                                {"--input /nowhere", 3, "/nowhere"},
                                                {"--outputs taux", 2, "taux"},
                                                {"--over-time </dev/null", 1, ""}}) {
    INFO(options);
    const Run run = run_program(live + options);
    CHECK(run.code == code);
    CHECK_THAT(run.err, Contains(expected));
  }
  CHECK(run_program(live + "--replay " + log).code == 3);
  const Run gap = run_program(live + "--input " + log);
  CHECK(gap.code == 4);
  CHECK_THAT(gap.err, Contains("q.hinge: no reading"));
}

TEST_CASE("a signal ends a live run whose reader has stalled") {
  const TemporaryFolder folder;
  const std::string urdf = folder.file("pendulum.urdf", pendulum), pipe = folder / "pipe", words = folder / "words";
  std::string log = pendulum_columns;
  for (int k = 0; k < 20000; ++k) log += pendulum_row(0.002 * k);
  const std::string input = folder.file("log.csv", log);
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const int reader = ::open(pipe.c_str(), O_RDWR | O_NONBLOCK);  // that never reads
  Background live("live " + urdf + " --sensors inverse-dynamics --outputs tau --input " + input, pipe, words);
  int filled = 0;
  for (int k = 0; k < 500 && filled < 60000; ++k) pause_ms(10), ::ioctl(reader, FIONREAD, &filled);
  REQUIRE(filled >= 60000);
  const pid_t child = live.child;
  ::kill(child, SIGTERM);
  int status = -1;
  pid_t ended = 0;
  for (int k = 0; k < 500 && ended == 0; ++k) pause_ms(10), ended = ::waitpid(child, &status, WNOHANG);
  REQUIRE(ended == child);  // of 4096 rows that wait, each had been waited for 300 ms
  live.child = -1;
  ::close(reader);
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
  CHECK_THAT(text_of(words), Contains("lines not read"));
}

TEST_CASE("a live record whose settings are no numbers or out of range is refused") {
  const TemporaryFolder folder;
  const std::string urdf = folder.file("pendulum.urdf", pendulum), record = folder / "run.mcap",
                    log = folder.file("log.csv", pendulum_columns + pendulum_row(0));
  const std::string live = "live " + urdf + " --sensors inverse-dynamics --outputs tau";
  REQUIRE(run_program(live + " --wait 0.125 --input " + log + " --record " + record).code == 0);
  const std::string bytes = text_of(record);
  const std::size_t at = bytes.find("0.125");
  REQUIRE(at != std::string::npos);
  for (const auto& [wait, expected] :
       {std::pair("0x125", "wait 0x125; expected a number"), {"1.125", "settings out of range"}}) {
    const Run again = run_program(live + " --replay " + folder.file("bad.mcap", std::string(bytes).replace(at, 5, wait)));
    CHECK(again.code == 3);
    CHECK_THAT(again.err, Contains(expected));
  }
}

TEST_CASE("live names samples without an answer again on a clock that began anew") {
  const TemporaryFolder folder;
  const std::string urdf = folder.file("pendulum.urdf", pendulum), found = folder / "found.json";
  std::string log = pendulum_columns;
  for (const double begin : {100.0, 0.0})
    for (int k = 0; k < 10; ++k) log += std::to_string(begin + 0.01 * k) + ",,0.25,-1.5\n";
  run_program("live " + urdf + " --sensors inverse-dynamics --input " + folder.file("log.csv", log) + " --diagnostics " +
              found);
  const std::string lines = text_of(found);
  std::size_t failed = 0;
  for (std::size_t at = lines.find("\"failed\""); at != std::string::npos; at = lines.find("\"failed\"", at + 1)) ++failed;
  CHECK(failed == 2);
}

TEST_CASE("a live run that is killed has recorded what came until then") {
  const TemporaryFolder folder;
  const std::string urdf = folder.file("pendulum.urdf", pendulum), pipe = folder / "pipe", words = folder / "words",
                    record = folder / "run.mcap", out = folder / "out.csv";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const int sender = ::open(pipe.c_str(), O_RDWR);
  const std::string run = "live " + urdf + " --sensors inverse-dynamics --outputs tau ";
  Background live(run + "--input " + pipe + " --record " + record, out, words);
  const auto send = [&](const std::string& text) {
    REQUIRE(::write(sender, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  };
  send(pendulum_columns + pendulum_row(0));
  const auto wait_for_lines = [&](long lines) {
    for (int k = 0; k < 500 && lines_of_text(text_of(out)) < lines; ++k) pause_ms(10);
  };
  wait_for_lines(2);
  send(pendulum_row(0.01) + pendulum_row(0.02));
  wait_for_lines(4);
  pause_ms(50);
  live.end(SIGKILL);
  ::close(sender);
  const Run again = run_program(run + "--replay " + record);
  CHECK_THAT(again.err, Contains("has no end"));
  CHECK(lines_of_text(again.out) == 1 + 3);
}
