// What a screen of 80 columns shows: no line is longer, and none is broken within a word.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "program.hpp"

using namespace sparsedyn::test;
using Catch::Contains;

namespace {

/// Bytes that begin a character.
long letters_of(const std::string& line) {
  return std::count_if(line.begin(), line.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

/// The longest line, examples that are to be copied whole left out.
long widest_line(const std::string& text) {
  std::istringstream lines(text);
  long most = 0;
  for (std::string line; std::getline(lines, line);)
    if (line.rfind("  sparsedyn ", 0) != 0) most = std::max(most, letters_of(line));
  return most;
}

std::string words_of_text(const std::string& text) {
  std::istringstream all(text);
  std::string out;
  for (std::string word; all >> word;) out += word + " ";
  return out;
}

/// The first name of each line below "Subcommands:".
std::vector<std::string> commands_of(const std::string& help) {
  std::istringstream lines(help.substr(help.find("Subcommands:\n")));
  std::string line;
  std::getline(lines, line);
  std::vector<std::string> commands;
  while (std::getline(lines, line))
    if (line.rfind("  ", 0) == 0 && line.size() > 2 && line[2] != ' ')
      commands.push_back(line.substr(2, line.find_first_of(" ,", 2) - 2));
  return commands;
}

}  // namespace

TEST_CASE("the text of --help ends its lines at words where the screen ends, and says the same") {
  std::vector<std::string> commands = commands_of(run_program("--help").out);
  REQUIRE(std::count(commands.begin(), commands.end(), "verify") == 1);
  REQUIRE(commands.size() > 12);
  commands.push_back("");
  for (const std::string& command : commands) {
    INFO(command);
    const std::string asked = command + " --help";
    const Run whole = run_program(asked), narrow = run_program(asked, "COLUMNS=80 ");
    REQUIRE((whole.code == 0 && narrow.code == 0));
    CHECK(widest_line(narrow.out) <= 80);
    CHECK(words_of_text(narrow.out) == words_of_text(whole.out));
  }
  CHECK(widest_line(run_program("simulate --help").out) > 80);  // no terminal: completions and pages are made of it
}

TEST_CASE("help puts no more than ten options under one heading, and says which are required") {
  for (const std::string& command : commands_of(run_program("--help").out)) {
    INFO(command);
    std::istringstream lines(run_program(command + " --help").out);
    int options = 0, most = 0;
    for (std::string line; std::getline(lines, line);) {
      if (!line.empty() && line.back() == ':' && line[0] != ' ') options = 0;
      if (line.rfind("  -", 0) == 0) most = std::max(most, ++options);
    }
    CHECK((most > 2 && most <= 10));
  }
  CHECK_THAT(run_program("solve --help").out, Contains("  --sensors TEXT REQUIRED ") && Contains("\nRedundant sensors:\n"));
}

TEST_CASE("flops says in 80 columns what it counts, everything with --all, and needs no sensor set") {
  const Run chosen = run_program("flops " + robot("arm") + " --sensors forward-dynamics");
  CHECK(chosen.code == 0);
  CHECK(widest_line(chosen.out) <= 80);
  CHECK_THAT(chosen.out, Contains("rnea") && Contains("LU: ") && Contains(" *") && Contains("--all"));
  const Run all = run_program("flops " + robot("arm") + " --sensors forward-dynamics --all");
  CHECK(widest_line(all.out) > 150);
  CHECK_THAT(all.out, Contains("zero_fill_lu (forward-dynamics: umfpack)") && Contains("factorisation"));
  const Run alone = run_program("flops " + robot("quadruped") + " --floating");
  CHECK(alone.code == 0);
  CHECK_THAT(alone.out, Contains("rnea") && Contains("aba") && Contains("program (rnea)") && !Contains("LU"));
  CHECK(widest_line(run_program("flops --chain 2..4").out) <= 80);
  CHECK(run_program("flops --chain 2 --sensors forward-dynamics").code == 2);
  CHECK(run_program("flops").code == 2);
}

TEST_CASE("optimise compares orders and formulations in 80 columns") {
  TemporaryFolder folder;
  for (const std::string options : {"", " --formulation best", " --cost folded"}) {
    INFO(options);
    const Run run =
        run_program("optimise " + robot("arm") + " --sensors forward-dynamics -o " + (folder / "plan.json") + options);
    REQUIRE(run.code == 0);
    CHECK(widest_line(run.out) <= 80);
    CHECK_THAT(run.out, Contains(" *\n") && Contains("* chosen."));
  }
}

namespace {

/// What a terminal of 80 columns is sent; "" where `script`, which makes one, is missing.
std::string on_terminal(const std::string& arguments, const std::string& before = "") {
  TemporaryFolder folder;
  const std::string program = SPARSEDYN_PROGRAM " " + arguments;
  if (std::system("command -v script >/dev/null") != 0) return "";
  const std::string command = "export TERM=xterm; unset NO_COLOR; " + before + " COLUMNS=80 script -qec '" + program +
                              "' /dev/null </dev/null >" + (folder / "out") + " 2>&1";
  (void)!std::system(command.c_str());
  std::string text = text_of(folder / "out");
  text.erase(std::remove(text.begin(), text.end(), '\r'), text.end());
  return text;
}

std::string without_colours(std::string text) {
  for (std::size_t at; (at = text.find("\x1b[")) != std::string::npos;) text.erase(at, text.find('m', at) - at + 1);
  return text;
}

}  // namespace

TEST_CASE("a terminal gets verdicts in colour and lines that end at words, files, pipes, NO_COLOR and dumb terminals do not") {
  TemporaryFolder folder;
  const std::string set = folder / "one.json";
  std::ofstream(set) << R"({"name": "one", "sensors": [{"name": "a", "type": "joint_acceleration", "joint": "joint1"}]})";
  const std::string check = "check " + robot("arm") + " --sensors ", insufficient = check + set;
  const std::string shown = on_terminal(check + "forward-dynamics");
  if (shown.empty()) {
    WARN("script (bsdutils) is missing: nothing was shown on a terminal");
    return;
  }
  const Run piped = run_program(insufficient);
  CHECK(piped.out.find('\x1b') == std::string::npos);
  CHECK(widest_line(piped.out) > 80);
  CHECK_THAT(shown, Contains("\x1b[32mdetermined:\x1b[0m 180 equations"));
  const std::string red = on_terminal(insufficient);
  CHECK_THAT(red, Contains("\x1b[31minsufficient:\x1b[0m"));
  CHECK(widest_line(without_colours(red)) <= 80);
  CHECK(words_of_text(without_colours(red)) == words_of_text(piped.out));
  CHECK(on_terminal(insufficient, "NO_COLOR=1") == without_colours(red));
  CHECK(on_terminal(insufficient, "TERM=dumb") == without_colours(red));
  CHECK(on_terminal(insufficient + " --json") == run_program(insufficient + " --json").out);
}

TEST_CASE("a terminal shows in red how many rows failed, also of one row, and nothing in red where none failed") {
  TemporaryFolder folder;
  const std::string robot = folder.file(
      "wheel.urdf",
      R"(<robot name="wheel"><link name="root"/><link name="wheel"><inertial><mass value="0"/><inertia ixx="1" ixy="0" ixz="0")"
      R"( iyy="2" iyz="0" izz="0.5"/></inertial></link><joint name="spin" type="continuous"><parent link="root"/>)"
      R"(<child link="wheel"/><axis xyz="0 0 1"/></joint></robot>)");
  const auto compute = [&](const std::string& algorithm, const std::string& rows) {
    return on_terminal("compute " + algorithm + " " + robot + " --log " + folder.file("in.csv", rows) + " -o " +
                       (folder / "out.csv"));
  };
  const std::string one = compute("momentum", "q.spin,dq.spin\n0,3\n");  // no centre of mass: no mass moves
  if (one.empty()) return;                                               // no `script`, as said above
  CHECK_THAT(one, Contains("1 row, \x1b[31m1 failed\x1b[0m"));
  CHECK_THAT(compute("momentum", "q.spin,dq.spin\n0,3\n1,2\n"), Contains("2 rows, \x1b[31m2 failed\x1b[0m"));
  const std::string right = compute("rnea", "q.spin,dq.spin,ddq.spin\n0,3,1\n");
  CHECK_THAT(right, Contains("1 row, 0 failed") && !Contains("\x1b[31m"));
}

TEST_CASE("a terminal gets warnings and errors in lines that end at words, a pipe gets a line for each") {
  TemporaryFolder folder;
  std::ofstream(folder / "motors.json") << R"({"sensors": [{"name": "m", "type": "joint_torque", "joint": "*"}]})";
  const std::string solve = "solve " + robot("arm") + " --log " + robot_log("arm") + " -o " + (folder / "out.csv");
  const std::string warned = solve + " --sensors " + (folder / "motors.json"), misspelt = solve + " --sensrs inverse-dynamics";
  const std::string shown = on_terminal(warned);
  if (shown.empty()) return;  // no `script`, as said above
  const Run piped = run_program(warned), refused = run_program(misspelt);
  CHECK(std::count(piped.err.begin(), piped.err.end(), '\n') == 2);
  CHECK(widest_line(piped.err) > 80);
  CHECK(run_program(warned, "COLUMNS=60 ").err == piped.err);
  CHECK_THAT(shown, Contains("\x1b[33mwarning:\x1b[0m left out"));
  CHECK(widest_line(without_colours(shown)) <= 80);
  CHECK(words_of_text(without_colours(shown)) == words_of_text(piped.err));
  CHECK(on_terminal(warned, "NO_COLOR=1") == without_colours(shown));
  CHECK(widest_line(refused.err) > 80);
  CHECK(widest_line(on_terminal(misspelt)) <= 80);
  CHECK(words_of_text(on_terminal(misspelt)) == words_of_text(refused.err));
}

TEST_CASE("flops --all on a terminal has its counts below each other in 80 columns") {
  const std::string arm = "flops " + robot("arm") + " --all", chains = "flops --chain 2..5 --all";
  const std::string shown = on_terminal(arm);
  if (shown.empty()) return;
  CHECK_THAT(shown,
             Contains("          total   mul   add  div  sqrt  trig\nrnea\n  raw      1932  1022   910    0     0    14\n"
                      "  folded    610   323   287    0     0    12\naba\n"));
  std::string long_one = on_terminal(chains);
  long_one.erase(0, long_one.rfind("\x1b[K") + 3);  // the progress
  CHECK(widest_line(long_one) <= 80);
  CHECK_THAT(long_one, Contains("\n5 joints\nrnea\n") && Contains("    factorisation ") && Contains("  published: ") &&
                           Contains("(largest residual ") && !Contains("\x1b["));
}

TEST_CASE("check says a name once where the pattern alone leaves it open, and one line for sensors that help alike") {
  TemporaryFolder folder;
  const std::string set = folder / "one.json";
  std::ofstream(set) << R"({"name": "one", "sensors": [{"name": "a", "type": "joint_acceleration", "joint": "joint1"}]})";
  const Run run = run_program("check " + robot("arm") + " --sensors " + set);
  CHECK_THAT(run.out, Contains("(too few rows for these, whatever the numbers): ") &&
                          Contains("external_wrench on link link1, link2, link3") && !Contains("\ntoo few rows"));
}

TEST_CASE("columns of info and of differences stand below each other, with units") {
  TemporaryFolder folder;
  const Run info = run_program("info " + robot("arm"));
  CHECK_THAT(info.out, Contains("  joint1:             revolute,   base_plate -> link1\n") &&
                           Contains("  left_finger_slide:  prismatic,  gripper    -> left_finger\n") &&
                           Contains("  pedestal:     40    kg, fixed to the world\n") &&
                           Contains("  left_finger:   0.06 kg\n"));
  const Run solve = run_program("solve " + robot("arm") + " --sensors forward-dynamics --log " + robot_log("arm") + " -o " +
                                (folder / "out.csv"));
  CHECK_THAT(solve.out, Contains(" rad/s²\n") && Contains(" m/s²\n") && Contains("  ddq.joint1:             rms "));
}

TEST_CASE("the options --output and --outputs are told from each other") {
  TemporaryFolder folder;
  const std::string solve = "solve " + robot("arm") + " --sensors forward-dynamics --log " + robot_log("arm");
  const Run file = run_program(solve + " --outputs out.csv");
  CHECK(file.code == 2);
  CHECK_THAT(file.err, Contains("expected --output before the file out.csv"));
  const Run both = run_program(solve + " --outputs out.csv -o " + (folder / "out.csv"));
  CHECK(both.code == 2);
  CHECK_THAT(both.err, Contains("\"out.csv\"") && Contains("--outputs takes names"));
  const std::string in_folder = "cd " + folder.path() + "; ";
  const Run names = run_program(solve + " --output tau,ddq", in_folder);
  CHECK(names.code == 0);
  CHECK_THAT(names.err, Contains("note: --output tau,ddq is the file that is written"));
  CHECK(run_program(solve + " --output tau,ddq --quiet", in_folder).err.empty());
  CHECK(run_program(solve + " --output tau.csv", in_folder).err.empty());
}
