// What a screen of 80 columns shows: no line is longer, and none is broken within a word.
#include <algorithm>
#include <catch2/catch.hpp>
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

TEST_CASE("--help ends its lines at words where the screen ends, and says the same") {
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
