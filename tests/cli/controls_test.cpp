// What arguments and files bring in reaches no terminal as a command.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "pendulum.hpp"
#include "program.hpp"

using namespace sparsedyn::test;
using Catch::Contains;

namespace {

bool has_controls(const std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte < 0x20 && byte != '\n') || byte == 0x7f) return true;
    if (byte == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0) return true;
  }
  return false;
}

/// ESC, DEL, CSI as UTF-8 has it, a bell, and a line end, as the shell's printf writes them.
const std::string nasty = "\"$(printf 'a\\033[31m\\177\\302\\23331m\\007\\nb')\"";

}  // namespace

TEST_CASE("wrong arguments are quoted without their controls") {
  TemporaryFolder folder;
  const std::string urdf = folder.file("pendulum.urdf", pendulum),
                    log = folder.file("log.csv", "q.hinge,dq.hinge,ddq.hinge\n0,0,0\n");
  for (const std::string& arguments :
       {nasty, "info " + nasty, "info " + urdf + " --lock " + nasty, "info " + urdf + " --cut " + nasty,
        "info " + urdf + " --snap " + nasty, "info " + urdf + " " + nasty, "info " + urdf + " --" + nasty,
        "compute " + nasty + " " + urdf + " --log " + log + " -o -", "compute rnea " + urdf + " --log " + nasty + " -o -",
        "compute rnea " + urdf + " --log " + log + " -o " + nasty + "/" + nasty, "check " + urdf + " --sensors " + nasty,
        "solve " + urdf + " --sensors inverse-dynamics --log " + log + " -o - --outputs " + nasty,
        "generate " + urdf + " --algorithm rnea --name " + nasty + " -o " + (folder / "code")}) {
    INFO(arguments);
    const Run run = run_program(arguments);
    CHECK((run.code == 2 || run.code == 3));
    CHECK_THAT(run.err, Contains("\\x1b[31m\\x7f\\xc2\\x9b31m\\x07"));
    CHECK(!has_controls(run.err));
    CHECK(run.out.empty());
  }
}

TEST_CASE("what files hold is quoted without its controls") {
  TemporaryFolder folder;
  const std::string urdf = folder.file("pendulum.urdf", pendulum);
  const std::string esc = "\x1b[31m";
  const auto all_quiet = [](const Run& run) {
    INFO(run.err << run.out);
    CHECK(!has_controls(run.err));
    CHECK(!has_controls(run.out));
    return run;
  };
  const std::string log = folder.file("log.csv", "q.hinge,dq.hinge,ddq.hinge,\"x" + esc + "\x7f\"\n0,0,0,1\n");
  CHECK_THAT(all_quiet(run_program("compute rnea " + urdf + " --log " + log + " -o /dev/null")).err,
             Contains("x\\x1b[31m\\x7f"));
  const std::string text = folder.file("text.csv", "q.hinge,dq.hinge,ddq.hinge\n0,0," + esc + "\n");
  CHECK(all_quiet(run_program("compute rnea " + urdf + " --log " + text + " -o /dev/null")).code == 3);
  for (const char* set : {"{\"name\": \"\\u001b[31m\", \"sensors\": [{\"name\": \"\\u001b\\u009b\", \"type\": \"\\u001b\"}]}",
                          "{\"\\u001b[31m\\u007f\": 1}",
                          "{\"sensors\": [{\"name\": \"x\", \"type\": \"joint_torque\", \"joint\": \"\\u001b\"}]}"})
    CHECK(all_quiet(run_program("check " + urdf + " --sensors " + folder.file("set.json", set))).code == 3);
  const std::string name = folder.file("name.urdf",
                                       "<robot name=\"a\xC2\x9B"
                                       "31m\x7F\xE9\"><link name=\"b\"/><gaz\xC2\x9B/><transm\xC2\x9Bission a=\"\"/></robot>");
  all_quiet(run_program("info " + name));
  const Run listed = all_quiet(run_program("info --json " + name));
  CHECK(listed.code == 0);
  CHECK(nlohmann::json::parse(listed.out)["name"].get<std::string>().substr(0, 6) ==
        "a\xC2\x9B"
        "31m");
}

TEST_CASE("a robot's name may hold any bytes: a plan is written and read") {
  TemporaryFolder folder;
  std::string text = pendulum;
  text.replace(text.find("pendulum"), 8, "caf\xE9\xC2\x9B");
  const std::string urdf = folder.file("r.urdf", text), plan = folder / "plan.json";
  CHECK(run_program("optimise " + urdf + " --sensors inverse-dynamics -o " + plan).code == 0);
  const std::string log = folder.file("log.csv", "q.hinge,dq.hinge,ddq.hinge\n0,0,0\n");
  CHECK(run_program("solve " + urdf + " --sensors inverse-dynamics --plan " + plan + " --log " + log + " -o /dev/null").code ==
        0);
}
