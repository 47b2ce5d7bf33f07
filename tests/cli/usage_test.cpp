#include <catch2/catch.hpp>

#include "program.hpp"

using namespace sparsedyn::test;
using Catch::Contains;

TEST_CASE("help and version succeed on stdout") {
  CHECK(run_program("--version").out.rfind("sparsedyn ", 0) == 0);
  CHECK(run_program("--help").code == 0);
  for (const char* command : {"info", "compute", "sensors"}) {
    const Run help = run_program(std::string(command) + " --help");
    CHECK(help.code == 0);
    CHECK_THAT(help.out, Contains("Example:\n  sparsedyn " + std::string(command)));
    CHECK(help.err.empty());
    CHECK_THAT(help.out, !Contains("\n\n\n"));
  }
}

TEST_CASE("help of simulate tells what belongs to forward simulation from what belongs to the robot") {
  const std::string help = run_program("simulate --help").out;
  const auto at = [&](const std::string& text) {
    INFO(text);
    REQUIRE(help.find(text) != std::string::npos);
    return help.find(text);
  };
  CHECK(at("\nOptions:\n") < at("--seconds"));
  CHECK(at("-o,--output") < at("\n\nForward simulation:\n"));
  CHECK(at("\n\nForward simulation:\n") < at("--forward  "));
  CHECK(at("--effort-limits") < at("\n\nPage of a forward simulation:\n"));
  CHECK(at("--no-meshes") < at("\n\nRobot:\n"));
  CHECK(at("\n\nRobot:\n") < at("--gravity"));
  CHECK(at("--urdf-transmissions") < at("\n\nMessages:\n"));
}

TEST_CASE("without a command its list is shown, as an error") {
  const Run bare = run_program(""), help = run_program("--help");
  CHECK(bare.code == 2);
  CHECK(bare.out.empty());
  CHECK_THAT(bare.err, Contains(help.out));
}

TEST_CASE("a mistyped option is named before what is missing for it, with near ones of that command") {
  const auto error = [](const std::string& arguments) {
    const Run run = run_program(arguments);
    CHECK(run.code == 2);
    CHECK(run.out.empty());
    return run.err;
  };
  const std::string list = "; expected one of those that solve --help lists\n";
  CHECK(error("solve r.urdf --sensor x") == "--sensor: not an option of solve (near: --sensors)" + list);
  CHECK(error("solve r.urdf --sensor=x --log l") == "--sensor: not an option of solve (near: --sensors)" + list);
  CHECK(error("solve r.urdf --qwertz") == "--qwertz: not an option of solve" + list);
  CHECK(error("--versoin") ==
        "--versoin: not an option of sparsedyn (near: --version); expected one of those that --help lists\n");
  CHECK_THAT(error("solve r.urdf"), Contains("--sensors is required"));
}

TEST_CASE("usage errors exit 2 and leave stdout empty") {
  TemporaryFolder folder;
  const std::string log = folder.file("log.csv", "time\n");
  for (const std::string& arguments : std::vector<std::string>{
           std::string(""), std::string("nonsense"), std::string("info"), "info --nonsense " + robot("arm"),
           "info --json --gravity 0 0 " + robot("arm"), "info --gravity 0 0 nan " + robot("arm"),
           "info --snap -1 " + robot("arm"), "info --lock joint1=x " + robot("arm"), "info --lock jiont1 " + robot("arm"),
           "info --cut pedestal " + robot("arm"), "compute rneaa " + robot("arm") + " --log " + log + " -o -",
           "compute rnea " + robot("arm") + " --log " + log + " -o - --json",
           "compute rnea " + robot("arm") + " --log " + log + " -o " + log,
           "compute rnea " + robot("arm") + " --log " + log + " -o ''", "compute rnea '' --log " + log + " -o -",
           "generate " + robot("arm") + " --algorithm rnea --name f -o ''"}) {
    INFO(arguments);
    const Run run = run_program(arguments);
    CHECK(run.code == 2);
    CHECK(run.out.empty());
    CHECK(!run.err.empty());
  }
  CHECK(text_of(log) == "time\n");
  CHECK_THAT(run_program("slove " + robot("arm")).err, Contains("slove: not a command (near: solve"));
  CHECK_THAT(run_program("info --lock jiont1 " + robot("arm")).err, Contains("joint1"));
  CHECK_THAT(run_program("compute rneaa " + robot("arm") + " --log " + log + " -o -").err, Contains("(near: rnea"));
}

TEST_CASE("an output that is an input through another name is refused") {
  TemporaryFolder folder;
  const std::string log = folder.file("log.csv", "time\n");
  std::filesystem::create_symlink(log, folder / "link.csv");
  CHECK(run_program("compute rnea " + robot("arm") + " --log " + log + " -o " + (folder / "link.csv")).code == 2);
}

TEST_CASE("numbers without a digit before the point, locks and cuts several times") {
  const Run run =
      run_program("info " + robot("arm") +
                  " --json --gravity -.5 0 -9 --lock joint1=-.5 --lock joint2 --cut left_finger --cut right_finger");
  REQUIRE(run.code == 0);
  CHECK_THAT(run.out, Contains("\"nv\": 5"));
  CHECK_THAT(run.out, Contains("-0.5"));
}
