// What the inputs of a live run name, lack, or are.
#include <fcntl.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>

#include "live_run.hpp"
#include "pendulum.hpp"
#include "program.hpp"

using namespace sparsedyn::test;
using Catch::Contains;

TEST_CASE("live does not end well where no line was a row, and a row that was cut off is none") {
  const TemporaryFolder folder;
  const std::string urdf = folder.file("pendulum.urdf", pendulum);
  const std::string live = "live " + urdf + " --sensors inverse-dynamics --outputs tau", columns = pendulum_columns;
  const Run garbage = run_program(live + " --input " + folder.file("bad.csv", columns + "a,b\nc\n"));
  CHECK(garbage.code == 3);
  CHECK_THAT(garbage.err, Contains("bad.csv:3: 1 cell; expected 4; expected rows of readings"));
  const std::string cut = folder.file("cut.csv", columns + pendulum_row(0) + "0.1,0.5,0.25,-1");
  const Run of_pipe = run_program(live, "cat " + cut + " | ");
  CHECK(of_pipe.code == 0);
  CHECK(lines_of_text(of_pipe.out) == 2);
  CHECK_THAT(of_pipe.err, Contains("a last line that is cut off"));
  CHECK(lines_of_text(run_program(live + " --input " + cut).out) == 3);
}

TEST_CASE("live ends at once where a header lacks a column, as solve does, and names it on a socket") {
  const TemporaryFolder folder;
  const std::string urdf = folder.file("pendulum.urdf", pendulum), out = folder / "out.csv";
  const std::string set = " --sensors inverse-dynamics --outputs tau ", live = "live " + urdf + set;
  const std::string no_rate = "\ntime,q.hinge,dq.hinje,ddq.hinge\n", row = pendulum_row(0);
  const std::string lacks = folder.file("lacks.csv", no_rate + row), found = "no column dq.hinge (near: dq.hinje";
  const std::string said = "lacks.csv:2: header: " + found;
  for (const std::string& command : {"solve " + urdf + set + "--log " + lacks + " -o " + out, live + "--input " + lacks}) {
    INFO(command);
    const Run run = run_program(command);
    CHECK(run.code == 3);
    CHECK_THAT(run.err, Contains(said) && Contains("expected a column for each input") && !Contains("no reading"));
  }
  const Run of_pipe = run_program(live + "-o " + out, "cat " + lacks + " | ");
  CHECK(of_pipe.code == 3);
  CHECK_THAT(of_pipe.err, Contains("-:2: header: " + found));
  CHECK(text_of(out).empty());  // no file without an answer
  const Run given = run_program(live + "--columns time,q.hinge,ddq.hinge", "echo 0,1,2 | ");
  CHECK(given.code == 3);
  CHECK_THAT(given.err, Contains("-: --columns: no column dq.hinge"));

  // two files may name the columns together
  const std::string states = folder.file("states.csv", "time,q.hinge,dq.hinge\n0,0.5,0.25\n"),
                    rates = folder.file("rates.csv", "time,ddq.hinge\n0,-1.5\n"),
                    others = folder.file("others.csv", "time,ddq.hinje\n0,-1.5\n");
  CHECK(run_program(live + "--input " + states + " --input " + rates).code == 0);
  const Run neither = run_program(live + "--input " + states + " --input " + others);
  CHECK(neither.code == 3);
  CHECK_THAT(neither.err, Contains("no column ddq.hinge") && Contains("nor in another input"));

  const int port = 20000 + static_cast<int>(::getpid() % 20000);
  const std::string words = folder / "words";
  Background running(live + "--input udp:" + std::to_string(port) + " -o " + out, words);
  const Publisher publisher(port);
  wait_for(publisher);
  for (int k = 0; k < 3; ++k) publisher.send(no_rate), publisher.send(row), pause_ms(20);
  CHECK(running.end(SIGTERM) == 3);
  const std::string text = text_of(words), note = ": header: " + found;
  CHECK_THAT(text, Contains("note: udp:" + std::to_string(port) + note) && Contains("expected a column for each input"));
  const std::size_t once = text.find(note), at_the_end = text.find(note, once + 1);
  CHECK(at_the_end != std::string::npos);
  CHECK(text.find(note, at_the_end + 1) == std::string::npos);  // though the header came three times
}

TEST_CASE("live leaves the diagnostics of another run as they were where it is refused, and replaces them where it is not") {
  const TemporaryFolder folder;
  const std::string urdf = folder.file("pendulum.urdf", pendulum), columns = pendulum_columns;
  const std::string live = "live " + urdf + " --sensors inverse-dynamics --outputs tau --diagnostics ";
  const std::string before = "of another run\n", found = folder.file("found.json", before);
  const std::string lacks = folder.file("lacks.csv", "time,q.hinge,ddq.hinge\n" + pendulum_row(0));
  CHECK(run_program(live + found + " --input " + lacks).code == 3);
  CHECK(text_of(found) == before);
  CHECK(run_program(live + found, "(sleep 1.2; cat " + lacks + ") | ").code == 3);  // past the first counters
  CHECK(text_of(found) == before);
  CHECK(run_program(live + found + " --input unix:/nowhere/socket").code == 3);
  CHECK(text_of(found) == before);
  CHECK(run_program(live + found + " --input " + folder.file("good.csv", columns + pendulum_row(0))).code == 0);
  CHECK_THAT(text_of(found), !Contains("another run"));
  // what was said before the first sample comes first
  folder.file("found.json", before);
  const Run late = run_program(live + found, "(printf '" + std::string("time,q.hinge,dq.hinge,ddq.hinge\\na,b\\n") +
                                                 "'; sleep 1.2; echo 0,0.5,0.25,-1.5) | ");
  CHECK(late.code == 0);
  CHECK_THAT(text_of(found), Contains("malformed") && Contains("counters") && !Contains("another run"));
  // a socket is never refused: at once
  folder.file("found.json", before);
  const std::string words = folder / "words";
  const int port = 20000 + static_cast<int>((::getpid() + 1) % 20000);
  Background running(live + found + " --input udp:" + std::to_string(port), words);
  wait_for(Publisher(port));
  CHECK_THAT(text_of(found), !Contains("another run"));
  CHECK(running.end(SIGTERM) == 0);
}

TEST_CASE("live waits for another sender where any input may have one, in whichever order inputs name their columns") {
  const TemporaryFolder folder;
  const std::string urdf = folder.file("pendulum.urdf", pendulum), pipe = folder / "pipe", words = folder / "words";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const int sender = ::open(pipe.c_str(), O_RDWR);
  const std::string port = std::to_string(20000 + static_cast<int>(::getpid() % 20000));
  Background live("live " + urdf + " --sensors inverse-dynamics --outputs tau --wait 0.2 --input udp:" + port +
                      " --input - -o " + (folder / "out.csv") + " < " + pipe,
                  words);
  const Publisher first(std::stoi(port)), second(std::stoi(port));
  wait_for(first);
  for (int k = 0; k < 3; ++k) {  // each repeats its header
    first.send("time,ddq.hinge\n"), second.send("time,dq.hinge\n"), pause_ms(20);
    if (k > 0) continue;
    REQUIRE(::write(sender, "time,q.hinge\n0,0.5\n", 19) == 19);
    pause_ms(100);
  }
  first.send("time,dq.hinge,ddq.hinge\n0,0.25,-1.5\n"), pause_ms(500);
  CHECK(live.end(SIGTERM) == 0);
  ::close(sender);
  const std::string text = text_of(words);
  CHECK_THAT(text, Contains("1 sample, 0 without an answer"));
  const auto times = [&](const std::string& what) {
    int found = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
    return found;
  };
  CHECK(times("udp:" + port + ": header: no column ddq.hinge") == 1);
  CHECK(times("udp:" + port + ": header: no column dq.hinge") == 1);
}
