// No command writes a file that it reads, or one twice: all pairs of options of all commands, from the program's own table.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <set>

#include "cli/commands/program.hpp"
#include "cli/pendulum.hpp"
#include "cli/program.hpp"

using namespace sparsedyn::test;
using namespace sparsedyn::cli;
using Catch::Contains;

namespace {

namespace fs = std::filesystem;

/// Options that take a text which names no file. An option that is neither here nor an add_file fails the first test: say which
/// of the two it is.
const std::set<std::string> no_files{"--lock",   "--cut",     "--package-path", "ALGORITHM",   "--contract",  "--outputs",
                                     "--target", "--chain",   "--fit",          "--criterion", "--robust",    "--language",
                                     "--name",   "--dtype",   "--derivatives",  "--algorithm", "--hold",      "--formulation",
                                     "--cost",   "--budget",  "--integrator",   "--sigma",     "--separator", "--rows",
                                     "--format", "--columns", "--parameters",   "--stage",     "--forces"};

bool is_input(const ProgramOption& option) {
  return option.file && (*option.file == FileRole::input || *option.file == FileRole::sensor_set);
}

/// A file of each kind that a user has, all of them good, on which every command works.
class Files {
 public:
  Files() {
    write("ROBOT", "robot.urdf", pendulum);
    write("--joints", "joints.json", R"({"joints": {"hinge": {"damping": 0.1, "offset": 0.5}}})");
    write("--constraints", "stops.json", R"({"name": "stops", "constraints": [
      {"name": "rub", "type": "dry_friction", "joint": "hinge", "loss": 0.3}]})");
    write("offsets", "offsets.json", R"({"offsets": {"tau.hinge": {"value": 0.25}}})");
    write("included", "inner.json", R"({"sensors": [{"name": "torque", "type": "joint_torque", "joint": "hinge", "sigma": 0.1}],
      "offsets": "offsets.json"})");
    write("--sensors", "set.json", R"({"name": "set", "include": "inner.json", "sensors": [
      {"name": "angle", "type": "joint_acceleration", "joint": "hinge", "sigma": 0.1},
      {"name": "air", "type": "external_wrench", "link": "*", "value": 0}]})");
    std::string log = "time,q.hinge,dq.hinge,ddq.hinge,tau.hinge\n";
    for (int k = 0; k < 40; ++k) {
      const double a = 0.3 * k, v = 2 - 0.1 * k, q = 0.1 * k;
      log += std::to_string(0.01 * k) + "," + std::to_string(q) + "," + std::to_string(v) + "," + std::to_string(a) + "," +
             std::to_string(0.5 * a - 9.81 * std::cos(q)) + "\n";
    }
    write("LOG", "log.csv", log);
    write("--from", "from.csv", "q.hinge\n0.5\n");
    write("--targets", "targets.csv", "time,tau.hinge\n0,0\n1,0\n");
    paths_["--log"] = paths_["--beside"] = paths_["--holdout"] = paths_["--gaps"] = paths_["LOG"];
    paths_["--input"] = paths_["--replay"] = paths_["--control"] = paths_["LOG"];  // of live
    paths_["--log-header"] = paths_["--sensors"];
    REQUIRE(run_program("optimise " + of("ROBOT") + " --sensors " + of("--sensors") + " -o " + (folder / "plan.json")).code ==
            0);
    REQUIRE(run_program("optimise " + of("ROBOT") + " --constraints " + of("--constraints") + " -o " + (folder / "stops.plan"))
                .code == 0);
    paths_["--plan"] = folder / "plan.json";
    entries = folder.entries();
    for (const auto& [option, path] : paths_) before_[path] = text_of(path);
  }

  const std::string& of(const std::string& option) const { return paths_.at(option); }
  bool unchanged() const {
    return std::all_of(before_.begin(), before_.end(), [](const auto& file) { return text_of(file.first) == file.second; });
  }

  TemporaryFolder folder;
  int entries = 0;

 private:
  void write(const std::string& option, const std::string& name, const std::string& text) {
    paths_[option] = folder.file(name, text);
  }
  std::map<std::string, std::string> paths_, before_;
};

/// What a command is told of each option.
using Arguments = std::map<std::string, std::string>;

std::string line(const std::string& command, const Arguments& arguments) {
  std::string text = command;
  for (const char* place : {"ALGORITHM", "ROBOT", "LOG"})
    if (arguments.count(place)) text += " " + arguments.at(place);
  for (const auto& [option, value] : arguments)
    if (option[0] == '-') text += " " + option + " " + value;
  return text;
}

/// With all that the command requires.
Arguments required(const std::string& command, const std::vector<ProgramOption>& table, const Files& files) {
  static const Arguments words{{"ALGORITHM", "rnea"}, {"--name", "made"}};
  Arguments arguments;
  for (const ProgramOption& option : table) {
    if (option.command != command || !option.required) continue;
    if (is_input(option))
      arguments[option.name] = files.of(option.name);
    else
      arguments[option.name] = option.file ? files.folder / "out" : words.at(option.name);
  }
  return arguments;
}

/// The same file under its own name, another spelling of it, a link to it, and another name of it.
std::vector<std::string> names_of(const std::string& path, const Files& files) {
  const std::string link = files.folder / "link", second = files.folder / "second";
  fs::remove(link), fs::remove(second);
  fs::create_symlink(path, link);
  fs::create_hard_link(path, second);
  return {
      path,
      files.folder / ("./../" + fs::path(files.folder.path()).filename().string() + "/" + fs::path(path).filename().string()),
      link, second};
}

void check_refused(const std::string& arguments, const Files& files, const std::string& why) {
  INFO(arguments);
  const Run run = run_program(arguments);
  CHECK(run.code == 2);
  CHECK(run.out.empty());
  CHECK_THAT(run.err, Contains(why));
  CHECK(files.unchanged());
  CHECK(!fs::exists(files.folder / "out"));
}

}  // namespace

TEST_CASE("every option that takes a text names a file, or is known not to") {
  std::set<std::string> seen;
  for (const ProgramOption& option : program_options()) {
    if (option.type != "TEXT" || option.file) continue;
    INFO(option.command << " " << option.name);
    CHECK(no_files.count(option.name) == 1);
    seen.insert(option.name);
  }
  CHECK(seen == no_files);
}

TEST_CASE("no command writes what it reads: each input with each output, by each of its names") {
  const Files files;
  const std::vector<ProgramOption> table = program_options();
  int pairs = 0;
  for (const ProgramOption& in : table)
    for (const ProgramOption& out : table) {
      if (in.command != out.command || !is_input(in) || !out.file || is_input(out)) continue;
      ++pairs;
      for (const std::string& name : names_of(files.of(in.name), files)) {
        Arguments arguments = required(in.command, table, files);
        arguments[in.name] = files.of(in.name), arguments[out.name] = name;
        check_refused(line(in.command, arguments), files, "that file is an input");
        if (in.name == "ROBOT") {  // read under the other name
          arguments[in.name] = name, arguments[out.name] = files.of(in.name);
          check_refused(line(in.command, arguments), files, "that file is an input");
        }
      }
    }
  CHECK(pairs > 60);
}

TEST_CASE("no command writes the offsets or the sets that its sensor set reads") {
  const Files files;
  const std::vector<ProgramOption> table = program_options();
  int pairs = 0;
  for (const ProgramOption& in : table)
    for (const ProgramOption& out : table) {
      if (in.command != out.command || in.file != FileRole::sensor_set || !out.file || is_input(out)) continue;
      for (const char* indirect : {"offsets", "included"})
        for (const std::string& name : names_of(files.of(indirect), files)) {
          ++pairs;
          Arguments arguments = required(in.command, table, files);
          arguments[in.name] = files.of(in.name), arguments[out.name] = name;
          if (in.command == "compute") arguments["ALGORITHM"] = "sensitivities";
          if (in.command == "flops") arguments["ROBOT"] = files.of("ROBOT");
          const bool apart = in.command == "simulate" && out.name == "--report";  // of a robot that is not measured
          check_refused(line(in.command, arguments), files, apart ? "expected --forward" : "that file is an input");
        }
    }
  CHECK(pairs > 60);
}

TEST_CASE("no command writes two outputs to one file") {
  const Files files;
  const std::vector<ProgramOption> table = program_options();
  int pairs = 0;
  for (const ProgramOption& one : table)
    for (const ProgramOption& other : table) {
      if (one.command != other.command || !one.file || !other.file || is_input(one) || is_input(other) ||
          one.name >= other.name)
        continue;
      ++pairs;
      const std::string there = files.folder.file("there", "before");
      for (const std::string& name : names_of(there, files)) {
        Arguments arguments = required(one.command, table, files);
        arguments[one.name] = there, arguments[other.name] = name;
        check_refused(line(one.command, arguments), files, "the same file");
        CHECK(text_of(there) == "before");
      }
      Arguments arguments = required(one.command, table, files);
      arguments[one.name] = files.folder / "new", arguments[other.name] = files.folder / "./new";
      check_refused(line(one.command, arguments), files, "the same file");
      CHECK(!fs::exists(files.folder / "new"));
    }
  CHECK(pairs > 10);
}

TEST_CASE("generate replaces none of its inputs by NAME.c, NAME.h, NAME.json or NAME.hpp") {
  const Files files;
  const std::vector<ProgramOption> table = program_options();
  for (const ProgramOption& in : table) {
    if (in.command != "generate" || !is_input(in)) continue;
    for (const char* ending : {".c", ".h", ".json", ".hpp"}) {
      const std::string made = files.folder / ("made" + std::string(ending));
      fs::remove(made), fs::create_symlink(files.of(in.name), made);
      Arguments arguments = required("generate", table, files);
      arguments[in.name] = files.of(in.name), arguments["-o"] = files.folder.path();
      arguments[in.name == "--sensors" || in.name == "--plan" ? "--sensors" : "--algorithm"] =
          in.name == "--sensors" || in.name == "--plan" ? files.of("--sensors")
          : in.name == "--constraints"                  ? "contact-dynamics"
                                                        : "rnea";
      if (std::string(ending) == ".hpp" && in.name == "--constraints") continue;  // contacts come in C alone
      if (std::string(ending) == ".hpp") arguments["--language"] = "cpp";
      check_refused(line("generate", arguments), files, "that file is an input");
      fs::remove(made);
      CHECK(!fs::exists(files.folder / "made.c"));
    }
  }
  const std::string offsets = files.of("offsets"), set = files.of("--sensors");
  check_refused("generate " + files.of("ROBOT") + " --sensors " + set + " --name offsets -o " + files.folder.path(), files,
                "that file is an input");
  fs::create_symlink(files.folder / "made.h", files.folder / "made.c");
  check_refused("generate " + files.of("ROBOT") + " --algorithm rnea --name made -o " + files.folder.path(), files, "");
}

TEST_CASE("folders of arrays replace no input") {
  const Files files;
  const std::string log = " --log " + files.of("--log") + " --joints " + files.of("--joints") + " -o " + files.folder.path();
  for (const char* input : {"ROBOT", "--joints", "--log", "--sensors", "offsets"}) {
    for (const char* name : {"names.json", "dx_dq.npy", "dx_dv.npy", "dx_dy.npy", "dx_dp.npy"}) {
      fs::create_symlink(files.of(input), files.folder / name);
      check_refused("compute sensitivities " + files.of("ROBOT") + " --sensors " + files.of("--sensors") + log, files,
                    "that file is an input");
      fs::remove(files.folder / name);
    }
    fs::create_symlink(files.of(input), files.folder / "M.npy");
    if (std::string(input) != "--sensors" && std::string(input) != "offsets")
      check_refused("compute crba " + files.of("ROBOT") + " --npy" + log, files, "that file is an input");
    fs::remove(files.folder / "M.npy");
  }
  CHECK(files.folder.entries() == files.entries);
}

TEST_CASE("outputs beside the inputs, to devices, and through the standard streams are written") {
  const Files files;
  const std::string robot = files.of("ROBOT"), log = files.of("--log"), set = files.of("--sensors"), out = files.folder / "out";
  for (const std::string& arguments :
       {"solve " + robot + " --sensors " + set + " --log " + log + " -o " + out + " --report " + out + ".html --corrected " +
            out + ".csv",
        "solve " + robot + " --sensors " + set + " --log - -o - < " + log,
        "solve " + robot + " --sensors " + set + " --log " + log + " -o /dev/null --corrected /dev/null",
        "solve " + robot + " --sensors " + set + " --log " + log + " -o /dev/stdout",
        "compute rnea " + robot + " --joints " + files.of("--joints") + " --log " + log + " -o " + out,
        "compute rnea " + robot + " --log " + log + " -o " + out,  // again
        "compute crba " + robot + " --npy --log " + log + " -o " + out + ".d",
        "compute sensitivities " + robot + " --sensors " + set + " --log " + log + " -o " + out + ".d",
        "generate " + robot + " --sensors " + set + " --name made -o " + files.folder.path(),
        "generate " + robot + " --constraints " + files.of("--constraints") + " --algorithm contact-dynamics --name c -o " +
            files.folder.path(),
        "simulate " + robot + " --constraints " + files.of("--constraints") + " --plan " + (files.folder / "stops.plan") +
            " --from " + files.of("--from") + " --targets " + files.of("--targets") + " --seconds 0.1 --report " + out +
            ".html -o " + out,
        "identify " + robot + " --log " + log + " --holdout " + log + " -o " + out + " --urdf-out " + out + ".urdf"}) {
    INFO(arguments);
    const Run run = run_program(arguments);
    CHECK(run.code == 0);
    CHECK(run.err.find("that file is") == std::string::npos);
    CHECK(files.unchanged());
  }
}

TEST_CASE("standard input and output count as files that are read and written") {
  const Files files;
  const std::string robot = files.of("ROBOT"), log = files.of("--log");
  check_refused("compute rnea " + robot + " --log - -o " + log + " < " + log, files, "that file is an input");
  // The shell has opened the log to be appended to: what is written would be read again.
  const std::string arguments = "compute rnea " + robot + " --log " + log + " -o - --quiet";
  CHECK(run_program(arguments, "exec 9>>" + log + "; ").code == 0);
  CHECK(run_program("compute rnea " + robot + " --log " + log + " -o /dev/fd/9", "exec 9>>" + log + "; ").code == 2);
  CHECK(files.unchanged());
  CHECK_THAT(run_program("compute rnea - --log - -o " + (files.folder / "out")).err, Contains("more than one input is -"));
  CHECK_THAT(run_program("check " + robot + " --joints - --sensors -").err, Contains("more than one input is -"));
}
