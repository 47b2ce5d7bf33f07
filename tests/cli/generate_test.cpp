#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "pendulum.hpp"
#include "program.hpp"

using namespace sparsedyn::test;
using Catch::Contains;

TEST_CASE("generate writes code and manifest of algorithms and sensor sets") {
  TemporaryFolder folder;
  const std::string out = " -o " + (folder / "code");
  const Run id = run_program("generate " + robot("arm") + " --algorithm rnea --name arm_id --cpp --json" + out);
  CHECK(id.code == 0);
  CHECK_THAT(id.out, Contains("\"flops\""));
  for (const char* ending : {".c", ".h", ".json", ".hpp"})
    CHECK(std::filesystem::exists(folder / ("code/arm_id" + std::string(ending))));
  CHECK_THAT(text_of(folder / "code/arm_id.json"), Contains("\"function\": \"arm_id\""));
  CHECK_THAT(text_of(folder / "code/arm_id.c"), Contains("int arm_id(const double **arg"));

  CHECK(run_program("generate " + robot("arm") + " --sensors forward-dynamics --outputs ddq,acc --name fd" + out).code == 0);
  CHECK_THAT(text_of(folder / "code/fd.json"), Contains("\"name\": \"acc\"") && Contains("\"name\": \"ddq\""));
}

TEST_CASE(
    "generate knows every algorithm that compute knows, and the other way round, but for those that are no functions of a "
    "state") {
  TemporaryFolder folder;
  const std::set<std::string> iterate{"ik", "sensitivities"};
  std::set<std::string> computed, generated;
  const std::string help = run_program("compute --help").out;
  std::istringstream lines(help.substr(help.find("Algorithms:\n") + 12));
  for (std::string line; std::getline(lines, line) && line.rfind("  ", 0) == 0;)
    computed.insert(line.substr(2, line.find(':') - 2));
  CHECK(computed.size() >= 30);
  const std::string unknown = run_program("generate " + robot("arm") + " --algorithm ceara --name f -o " + (folder / "x")).err;
  std::istringstream names(unknown.substr(unknown.find("expected one of ") + 16));
  for (std::string name; std::getline(names, name, ',');) {
    name.erase(0, name.find_first_not_of(" \n"));
    name.erase(name.find_last_not_of(" \n") + 1);
    generated.insert(name);
  }
  for (const std::string& name : computed) {
    INFO(name);
    CHECK(generated.count(name) != iterate.count(name));
  }
  CHECK(generated.size() + iterate.size() == computed.size());
  for (const std::string& name : generated) {
    INFO(name);
    if (name.rfind("contact", 0) == 0) continue;  // of constraints
    CHECK(
        run_program("generate " + robot("arm") + " --algorithm " + name + " --no-batch --name f -o " + (folder / name)).code ==
        0);
  }
  const Run misfit =
      run_program("generate " + robot("quadruped") + " --floating --algorithm christoffel --name f -o " + (folder / "x"));
  CHECK(misfit.code == 3);
  CHECK_THAT(misfit.err, Contains("several freedoms in one; expected a fixed base and joints of one freedom"));
  for (const char* name : {"ik", "sensitivities"}) {
    const Run refused = run_program("generate " + robot("arm") + " --algorithm " + name + " --name f -o " + (folder / "x"));
    CHECK(refused.code == 2);
    CHECK_THAT(refused.err, Contains("compute " + std::string(name)));
  }
}

TEST_CASE("generate --stage writes a step of time, and says what does not go with it") {
  TemporaryFolder folder;
  const std::string begin = "generate " + robot("arm") + " --name step -o " + (folder / "code") + " --stage ";
  REQUIRE(run_program(begin + "rk4 --parameters joints").code == 0);
  const nlohmann::json manifest = nlohmann::json::parse(text_of(folder / "code/step.json"));
  std::string ports;
  for (const char* side : {"inputs", "outputs"})
    for (const nlohmann::json& port : manifest[side]) ports += port["name"].get<std::string>() + " ";
  CHECK(ports == "x u dt pi x_next A B ");
  const std::string by_rk4 = text_of(folder / "code/step.h");
  CHECK_THAT(by_rk4, Contains("then dq (rad/s, m/s)") && Contains("dt[1], s:"));
  REQUIRE(run_program(begin + "runge-kutta --parameters joints").code == 0);  // another name of it
  const std::string other = text_of(folder / "code/step.h");                  // behind the first line, which names the method
  CHECK(other.substr(other.find('\n')) == by_rk4.substr(by_rk4.find('\n')));
  const std::string casadi = "semi-implicit --casadi-derivatives --no-batch";
  for (const char* outputs : {"", " --outputs x_next"}) {
    REQUIRE(run_program(begin + casadi + outputs).code == 0);
    CHECK_THAT(text_of(folder / "code/step.c"), Contains("int jac_step(") && Contains("int jac_adj1_step("));
  }
  REQUIRE(run_program(begin + "semi-implicit --outputs x_next --health").code == 0);
  CHECK_THAT(text_of(folder / "code/step.h"), Contains("health[1]"));
  REQUIRE(run_program(begin + "rate --acados --no-batch --parameters joints").code == 0);
  CHECK_THAT(text_of(folder / "code/step.c"), Contains("int step_expl_vde_forw(") && Contains("int step_expl_ode_hess("));
  CHECK_THAT(text_of(folder / "code/step.h"), Contains("#define casadi_int int"));
  for (const char* stage : {"rate", "rate --acados", "semi-implicit --acados"}) {
    const Run floats = run_program(begin + stage + " --floating");
    CHECK(floats.code == 3);
    CHECK_THAT(floats.err, Contains("a free base, or a joint of several freedoms; expected a robot on the ground"));
  }
  REQUIRE(run_program(begin + casadi + " --floating --forces link6,link7").code == 0);
  CHECK_THAT(text_of(folder / "code/step.h"), Contains("force.link7.z"));
  CHECK_THAT(text_of(folder / "code/step.c"), Contains("int jac_adj1_step(") && Contains("1.0 / sqrt((x_3 * x_3"));
  for (const auto& [options, why] :
       {std::pair("semi-implict", "near: semi-implicit"),
        {"semi-implicit --algorithm aba", "not with --algorithm and --sensors"},
        {"semi-implicit --all-inputs", "wrenches on links are zero"},
        {"semi-implicit --outputs x_next,C", "expected x_next, A, B, T, g, H"},
        {"rk4 --outputs K", "expected x_next, A, B, T, g, H"},
        {"rk4 --outputs A.0.0", "whole vectors and matrices alone; expected A"},
        {"euler", "expected semi-implicit, rk4"},
        {"rk4 --forces link6", "--forces: of --stage semi-implicit"},
        {"semi-implicit --forces lnk6", "near: link6"},
        {"semi-implicit --forces link6,link6", "named twice"},
        {"semi-implicit --acados --forces link6", "--casadi-derivatives, --dtype float, --forces"},
        {"semi-implicit --casadi-derivatives --outputs A", "of all outputs as they are"},
        {"rk4 --constraints no.json", "a step solves for the forces once; expected semi-implicit"},
        {"rate --constraints no.json", "a step solves for the forces once; expected semi-implicit"},
        {"semi-implict --constraints no.json", "near: semi-implicit"},
        {"semi-implicit --constraints no.json --outputs x_next,K", "expected x_next, A, B, T, g, H, force, gap"},
        {"semi-implicit --constraints no.json --parameters base", "has constant parameters"},
        {"semi-implicit --constraints no.json --all-inputs", "--all-inputs does not go with it"},
        {"semi-implicit --constraints no.json --casadi-derivatives", "--outputs, --plan and --no-batch do"},
        {"semi-implicit --constraints no.json --algorithm contact-dynamics", "--stage does not go with it"},
        {"rk4 --casadi-derivatives", "of semi-implicit steps"},
        {"rk4 --acados", "expected --stage rate"},
        {"rate --outputs T", "expected xdot, A, B, g, H"},
        {"rate --acados --health", "not with --outputs, --health"}}) {
    const Run refused = run_program(begin + options);
    INFO(options);
    CHECK(refused.code == 2);
    CHECK_THAT(refused.err, Contains(why));
  }
}

TEST_CASE("generate --language writes what is asked for besides C, each once, and names all languages where one is unknown") {
  TemporaryFolder folder;
  const std::string begin = "generate " + robot("arm") + " --algorithm rnea --name f -o ";
  REQUIRE(run_program(begin + (folder / "a") + " --cpp").code == 0);
  REQUIRE(run_program(begin + (folder / "b") + " --language cpp,c,cpp").code == 0);
  for (const char* ending : {".c", ".h", ".json", ".hpp"}) {
    const std::string file = "/f" + std::string(ending);
    CHECK_FALSE(text_of(folder / ("a" + file)).empty());
    CHECK(text_of(folder / ("a" + file)) == text_of(folder / ("b" + file)));
  }
  const Run unknown = run_program(begin + (folder / "c") + " --language klingon");
  CHECK(unknown.code == 2);
  CHECK_THAT(unknown.err, Contains("--language klingon: unknown") && Contains("expected one of c, cpp"));
  CHECK_FALSE(std::filesystem::exists(folder / "c"));
}

TEST_CASE("generate --algorithm reads external wrenches on links with --all-inputs") {
  TemporaryFolder folder;
  const std::string urdf = folder.file("pendulum.urdf", pendulum),
                    begin = "generate " + urdf + " --algorithm rnea-with-derivatives";
  REQUIRE(run_program(begin + " --all-inputs --name f -o " + (folder / "code")).code == 0);
  const nlohmann::json inputs = nlohmann::json::parse(text_of(folder / "code/f.json"))["inputs"];
  REQUIRE(inputs.size() == 4);
  CHECK(inputs[3] == nlohmann::json::parse(R"({"name": "fx", "elements": ["fx.rod.nx", "fx.rod.ny", "fx.rod.nz", "fx.rod.fx",
    "fx.rod.fy", "fx.rod.fz"]})"));
}

TEST_CASE("generate --distinct writes equal results once and names the others") {
  TemporaryFolder folder;
  CHECK(run_program("generate " + robot("arm") + " --algorithm crba --distinct --name M -o " + (folder / "code")).code == 0);
  CHECK_THAT(text_of(folder / "code/M.json"), Contains("\"equal\": [") && Contains(" = M."));
}

TEST_CASE("generate: NAME.h says how NAME is called, without batches the text is shorter and compiles alone") {
  TemporaryFolder folder;
  const std::string request = "generate " + robot("arm") + " --algorithm crba --json -o " + (folder / "code");
  const Run whole = run_program(request + " --name both"), single = run_program(request + " --name single --no-batch");
  REQUIRE(whole.code == 0);
  REQUIRE(single.code == 0);
  const nlohmann::json expected = nlohmann::json::parse(whole.out), found = nlohmann::json::parse(single.out);
  CHECK(found["flops"] == expected["flops"]);
  CHECK(found["compile_seconds"] <= expected["compile_seconds"]);
  const std::string header = text_of(folder / "code/single.h");
  CHECK_THAT(header, Contains("q[9], rad, m") && Contains("q.joint1 q.joint2") && !Contains("single_batch"));
  CHECK_THAT(header, Contains("9 x 9, row by row: entry r, c is element r * 9 + c"));
  CHECK_THAT(header, Contains("double q[9], M[81];") && Contains("if (single(arg, res, 0, 0, 0)) return 1;"));
  CHECK_THAT(text_of(folder / "code/both.h"), Contains("void both_batch("));
  CHECK(3 * text_of(folder / "code/single.c").size() < 2 * text_of(folder / "code/both.c").size());
  if (std::system("cc --version > /dev/null 2>&1") != 0) {
    WARN("skipped: no C compiler");
    return;
  }
  const std::string compile = "cc -std=c99 -Wall -Wextra -Werror -O1 -c " + (folder / "code/single.c") + " -o ";
  CHECK(std::system((compile + (folder / "single.o")).c_str()) == 0);
}

TEST_CASE("generate --casadi-derivatives writes what CasADi looks for, and says of which programs there is none") {
  TemporaryFolder folder;
  const std::string out = " --casadi-derivatives --no-batch --name f -o " + (folder / "code");
  REQUIRE(run_program("generate " + robot("arm") + " --algorithm aba" + out).code == 0);
  const std::string text = text_of(folder / "code/f.c");
  for (const char* name : {"int jac_f(", "int adj1_f(", "int jac_adj1_f(", "jac_adj1_f_sparsity_out("})
    CHECK_THAT(text, Contains(name));
  REQUIRE(run_program("generate " + robot("quadruped") + " --floating --algorithm rnea" + out).code == 0);
  CHECK_THAT(text_of(folder / "code/f.c"),
             Contains("f_curvature(") && Contains("1.0 / sqrt((q_3 * q_3") && Contains("f_out_of_range(in_q + 3)"));
  CHECK(run_program("generate " + robot("arm") + " --algorithm crba" + out).code == 2);
  CHECK(run_program("generate " + robot("arm") + " --algorithm rnea --health" + out).code == 2);
}

TEST_CASE("generate --dtype float writes floats, says so, and refuses what takes doubles") {
  TemporaryFolder folder;
  const std::string begin = "generate " + robot("arm") + " --algorithm aba --name f -o " + (folder / "code");
  REQUIRE(run_program(begin + " --dtype float").code == 0);
  CHECK(nlohmann::json::parse(text_of(folder / "code/f.json"))["dtype"] == "float32");
  CHECK_THAT(text_of(folder / "code/f.h"), Contains("float q[") && Contains("int f(const float **arg, float **res"));
  CHECK_THAT(text_of(folder / "code/f.c"), !Contains("double "));
  REQUIRE(run_program(begin).code == 0);
  CHECK(nlohmann::json::parse(text_of(folder / "code/f.json"))["dtype"] == "float64");
  const Run other = run_program(begin + " --dtype half");
  CHECK(other.code == 2);
  CHECK_THAT(other.err, Contains("--dtype half") && Contains("double or float"));
  CHECK(run_program(begin + " --dtype float --casadi-derivatives").code == 2);
}

TEST_CASE("generate: a program gives all that `compute` does") {
  TemporaryFolder folder;
  const std::string log = folder.file("log.csv", "q.hinge,dq.hinge,ddq.hinge,tau.hinge\n0.1,0.2,0.3,0.4\n");
  const std::string urdf = folder.file("pendulum.urdf", pendulum);
  for (const std::string algorithm : {"rnea", "aba", "crba", "minverse", "energy", "rnea-derivatives", "aba-derivatives"}) {
    CAPTURE(algorithm);
    const Run computed = run_program("compute " + algorithm + " " + urdf + " --log " + log + " -o -");
    REQUIRE(run_program("generate " + urdf + " --algorithm " + algorithm + " --name f -o " + (folder / "code")).code == 0);
    const nlohmann::json manifest = nlohmann::json::parse(text_of(folder / "code/f.json"));
    std::string columns;
    for (const auto& port : manifest["outputs"])
      for (const std::string name : port["elements"]) columns += (columns.empty() ? "" : ",") + name;
    CHECK(computed.out.substr(0, computed.out.find('\n')) == columns);
  }
}

TEST_CASE("generate: outputs of an algorithm by kind, by kind and name, by column") {
  TemporaryFolder folder;
  const std::string begin = "generate " + robot("quadruped") + " --floating --name f -o " + (folder / "code");
  const auto outputs = [&] { return nlohmann::json::parse(text_of(folder / "code/f.json"))["outputs"]; };
  REQUIRE(run_program(begin + " --algorithm aba --outputs ddq.lf_knee,ddq.base").code == 0);
  CHECK(outputs() == nlohmann::json::parse(R"([{"name": "ddq", "elements": ["ddq.base.wx", "ddq.base.wy", "ddq.base.wz",
    "ddq.base.vx", "ddq.base.vy", "ddq.base.vz", "ddq.lf_knee"]}])"));
  REQUIRE(run_program(begin + " --algorithm rnea-derivatives --outputs dtau_dv.7.8,dtau_dq.7").code == 0);
  CHECK(outputs().size() == 2);
  CHECK(outputs()[0] == nlohmann::json::parse(R"({"name": "dtau_dv", "elements": ["dtau_dv.7.8"]})"));
  CHECK(outputs()[1]["elements"].size() == 18);  // the row of a joint
  const Run none = run_program(begin + " --algorithm aba --outputs ddq.lf_kne");
  CHECK(none.code == 2);
  CHECK_THAT(none.err, Contains("ddq.lf_knee"));
}

TEST_CASE("generate: noisy readings have names of their own in the manifest") {
  TemporaryFolder folder;
  const std::string set = folder.file("set.json", R"({"sensors": [
    {"name": "ddq", "type": "joint_acceleration", "joint": "*"},
    {"name": "a", "type": "joint_torque", "joint": "joint1", "sigma": 1},
    {"name": "b", "type": "joint_torque", "joint": "joint1", "sigma": 2},
    {"name": "air", "type": "external_wrench", "link": "*", "value": 0}]})");
  REQUIRE(
      run_program("generate " + robot("arm") + " --sensors " + set + " --outputs tau.joint1 --name f -o " + (folder / "code"))
          .code == 0);
  const auto y = nlohmann::json::parse(text_of(folder / "code/f.json"))["inputs"][2]["elements"];
  REQUIRE(y.size() == 11);
  CHECK(y[0] == "ddq.joint1");
  CHECK((y[9] == "y.a" && y[10] == "y.b"));
}

TEST_CASE("generate refines estimates, names the columns that lose digits all the same, and refuses state_sigma with --sd") {
  TemporaryFolder folder;
  const auto of_sigmas = [](const std::string& motors, const std::string& momentum) {
    return R"({"sensors": [
      {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 0.3},
      {"name": "com", "type": "com_acceleration", "sigma": 2e-4},
      {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": )" +
           motors + R"(},
      {"name": "momentum", "type": "momentum_rate", "components": ["nz", "fx", "fy", "fz"], "sigma": )" +
           momentum + R"(},
      {"name": "grip", "type": "external_wrench", "link": "tool_tip", "sigma": [3e-7, 80, 1e4, 0.03, 900, 7e-5]},
      {"name": "air", "type": "external_wrench", "link": "*", "except": "tool_tip", "value": 0}])";
  };
  const std::string set = of_sigmas("7e-6", "80");
  const auto generated = [&](const std::string& text, const std::string& more = "") {
    return run_program("generate " + robot("arm") + " --sensors " + folder.file("set.json", text) +
                       " --sd --outputs tau.joint1,tau.joint7 --name f -o " + (folder / "code") + more);
  };
  const auto manifest = [&] { return nlohmann::json::parse(text_of(folder / "code/f.json")); };
  const Run wide = generated(set + "}");
  REQUIRE(wide.code == 0);
  CHECK(wide.err.empty());
  CHECK(manifest().count("loses_digits") == 0);
  CHECK(manifest().at("refined") == nlohmann::json{"sd.tau.joint1", "sd.tau.joint7"});
  const Run single = generated(of_sigmas("70", "8e-6") + "}", " --dtype float");
  REQUIRE(single.code == 0);
  CHECK_THAT(single.err,
             Contains("warning: generated code: ") && Contains(" loses digits at ") && Contains("solve and sd.Solver"));
  CHECK(!manifest().at("loses_digits").empty());
  CHECK(manifest().at("refined") == nlohmann::json{"tau.joint1", "tau.joint7"});  // of one solve
  const Run refused = generated(set + R"(, "state_sigma": {"q": 0.001}})");
  CHECK(refused.code == 1);
  CHECK_THAT(refused.err, Contains("no program adds the deviations of \"state_sigma\" to those of outputs"));
}

TEST_CASE("generate: sets with constant offsets or covariances have no program") {
  TemporaryFolder folder;
  const auto generated = [&](const std::string& motors, const std::string& set) {
    const std::string text = R"({"sensors": [
      {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 0.3},
      {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.1)" +
                             motors + R"(},
      {"name": "air", "type": "external_wrench", "link": "*", "value": 0}])" +
                             set + "}";
    return run_program("generate " + robot("arm") + " --sensors " + folder.file("set.json", text) +
                       " --sd --outputs tau --name f -o " + (folder / "code"));
  };
  const Run offsets = generated(R"(, "bias": true)", ""),
            covariances = generated("", R"(, "cov": [["tau.joint1", "tau.joint2"]])");
  CHECK(offsets.code == 1);
  CHECK_THAT(offsets.err, Contains("set.json: no program estimates constant offsets"));
  CHECK(covariances.code == 1);
  CHECK_THAT(covariances.err, Contains("set.json: no program gives the covariances of \"cov\""));
}

TEST_CASE("generate: the same request gives the same text") {
  TemporaryFolder folder;
  for (const char* copy : {"a", "b"})
    CHECK(run_program("generate " + robot("quadruped") + " --floating --algorithm aba --name f -o " + (folder / copy)).code ==
          0);
  CHECK(text_of(folder / "a/f.c") == text_of(folder / "b/f.c"));
}

TEST_CASE("generate refuses wrong options with exit 2") {
  TemporaryFolder folder;
  const std::string begin = "generate " + robot("arm") + " ", end = " -o " + (folder / "code");
  CHECK(run_program(begin + "--algorithm rnea" + end).code == 2);
  CHECK(run_program(begin + "--name f" + end).code == 2);
  CHECK(run_program(begin + "--algorithm rnea --sensors inverse-dynamics --name f" + end).code == 2);
  CHECK(run_program(begin + "--algorithm rnea --name 1f" + end).code == 2);
  for (const std::string taken :
       {"for", "class", "main", "sin", "sqrtf", "y1", "memcpy", "abs", "M_PI", "linux", "arg", "in", "out0"}) {
    const Run refused = run_program(begin + "--algorithm rnea --name " + taken + end);
    CHECK(refused.code == 2);
    CHECK_THAT(refused.err, Contains("--name " + taken + ": taken in C, in C++ or in the code written; expected another name"));
  }
  for (const std::string free : {"info", "in_arm", "sins", "F"})
    CHECK(run_program(begin + "--algorithm crba --name " + free + " -o " + (folder / "named")).code == 0);
  CHECK(run_program(begin + "--algorithm rnea --outputs ddq --name f" + end).code == 2);
  CHECK(run_program(begin + "--sensors inverse-dynamics --outputs tau.nobody --name f" + end).code == 2);
  CHECK(run_program(begin + "--sensors nowhere.json --name f" + end).code == 3);
  const Run unknown = run_program(begin + "--algorithm rna --name f" + end);
  CHECK(unknown.code == 2);
  CHECK_THAT(unknown.err, Contains("rnea"));
  CHECK(!std::filesystem::exists(folder / "code"));
}

TEST_CASE("generate --derivatives adds derivatives of a sensor set's outputs") {
  TemporaryFolder folder;
  const std::string begin = "generate " + robot("arm") + " ", end = " --no-batch --name f -o " + (folder / "code");
  const Run run = run_program(begin + "--sensors inverse-dynamics --outputs tau --derivatives q,p" + end);
  INFO(run.err);
  REQUIRE(run.code == 0);
  const nlohmann::json outputs = nlohmann::json::parse(text_of(folder / "code/f.json"))["outputs"];
  REQUIRE(outputs.size() == 3);
  CHECK(outputs[0]["name"] == "tau");
  CHECK(outputs[1]["name"] == "dx_dq");
  CHECK(outputs[1]["elements"].size() == outputs[0]["elements"].size() * outputs[0]["elements"].size());
  CHECK(outputs[2]["name"] == "dx_dp");
  REQUIRE(run_program(begin + "--sensors inverse-dynamics --outputs tau --derivatives q,v,second" + end).code == 0);
  const nlohmann::json twice = nlohmann::json::parse(text_of(folder / "code/f.json"));
  CHECK(twice["inputs"].back()["name"] == "lambda");
  CHECK(twice["outputs"][1]["name"] == "g");
  CHECK(twice["outputs"][1]["elements"].size() == 2 * outputs[0]["elements"].size());
  CHECK(twice["outputs"][2]["name"] == "H");
  CHECK(run_program(begin + "--sensors inverse-dynamics --outputs tau --derivatives second" + end).code == 2);
  const Run unknown = run_program(begin + "--sensors inverse-dynamics --outputs tau --derivatives q,z" + end);
  CHECK(unknown.code == 2);
  CHECK_THAT(unknown.err, Contains("--derivatives z: expected q, v, y or p"));
  const Run algorithm = run_program(begin + "--algorithm rnea --derivatives q" + end);
  CHECK(algorithm.code == 2);
  CHECK_THAT(algorithm.err, Contains("--derivatives goes with --sensors"));
  const std::string sums = folder.file("com.json", R"({"name": "com", "sensors": [
    {"name": "a", "type": "joint_acceleration", "joint": "*"}, {"name": "air", "type": "external_wrench", "link": "*", "value": 0},
    {"name": "c", "type": "com_acceleration", "sigma": 0.1}]})");
  const Run refused = run_program(begin + "--sensors " + sums + " --outputs tau --derivatives p" + end);
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Contains("--derivatives p: ") && Contains("com_acceleration"));
}

TEST_CASE("generate --parameters makes parameters a last input, and writes the robot's own values") {
  TemporaryFolder folder;
  const std::string begin = "generate " + robot("arm") + " ", end = " --no-batch --name f -o " + (folder / "code");
  const auto manifest = [&] { return nlohmann::json::parse(text_of(folder / "code/f.json")); };
  const Run info = run_program("info " + robot("arm") + " --json");
  const nlohmann::json names = nlohmann::json::parse(info.out)["parameter_names"];

  REQUIRE(run_program(begin + "--algorithm rnea --parameters inertial,joints" + end).code == 0);
  const nlohmann::json all = manifest();
  CHECK(all["inputs"].back()["name"] == "pi");
  REQUIRE(all["inputs"].back()["elements"].size() == names.size());
  REQUIRE(all["pi_nominal"].size() == names.size());
  for (std::size_t k = 0; k < names.size(); ++k)
    CHECK(all["inputs"].back()["elements"][k] == "pi." + names[k].get<std::string>());
  CHECK_THAT(text_of(folder / "code/f.h"),
             Contains("static const double f_pi_nominal[" + std::to_string(names.size()) + "] = {"));

  const std::string parameter = names.back().get<std::string>(),
                    link = names[0].get<std::string>().substr(0, names[0].get<std::string>().rfind('.'));
  REQUIRE(run_program(begin + "--algorithm aba-derivatives --parameters " + link + "," + parameter + end).code == 0);
  const nlohmann::json few = manifest();
  CHECK(few["inputs"].back()["elements"].size() == 11);
  CHECK(few["outputs"].back()["name"] == "dddq_dpi");
  CHECK(few["outputs"].back()["elements"].size() == 11 * few["velocity_names"].size());

  REQUIRE(run_program(begin + "--algorithm crba --parameters base --dtype float --health" + end).code == 0);
  CHECK(manifest()["inputs"].back()["elements"].size() < names.size() / 2);

  REQUIRE(run_program(begin + "--sensors inverse-dynamics --outputs tau --parameters " + link + end).code == 0);
  CHECK(manifest()["inputs"].back()["elements"].size() == 10);

  const std::string set = begin + "--sensors forward-dynamics --outputs ddq,acc --parameters ";
  REQUIRE(run_program(set + link + " --derivatives p" + end).code == 0);
  CHECK(manifest()["inputs"].back()["name"] == "pi");
  CHECK(manifest()["outputs"].back()["name"] == "dx_dpi");
  const std::string plan = folder / "plan.json";
  REQUIRE(run_program("optimise " + robot("arm") + " --sensors forward-dynamics -o " + plan).code == 0);
  REQUIRE(run_program(set + "inertial --plan " + plan + end).code == 0);
  CHECK(manifest()["pi_nominal"].size() == manifest()["inputs"].back()["elements"].size());

  for (const auto& [options, why] :
       {std::pair("--algorithm rnea --parameters nobody", "--parameters nobody: unknown"),
        {"--algorithm rnea --parameters base,inertial", "--parameters base: the base parameters contain all numbers of bodies"},
        {"--algorithm energy --parameters base", "--parameters base: energy is no function of the base parameters"},
        {"--algorithm regressor-times --parameters inertial", "--parameters: regressor-times"},
        {"--sensors inverse-dynamics --outputs f --parameters base", "is no function of the base parameters"}}) {
    const Run refused = run_program(begin + options + end);
    CHECK(refused.code == 2);
    CHECK_THAT(refused.err, Contains(why));
  }
}

/// An order for drawn numbers divides by zero at the robot's own: another one is found, and a plan for the robot does as well.
TEST_CASE("generate --parameters finds an order that serves the robot's own values") {
  TemporaryFolder folder;
  const std::string set = folder.file("set.json", R"({"sensors": [
    {"name": "free", "type": "joint_torque", "joint": "base", "value": 0},
    {"name": "motors", "type": "joint_torque", "joint": "*"},
    {"name": "sum", "type": "momentum_rate"},
    {"name": "air", "type": "external_wrench", "link": "*", "except": "right_finger", "value": 0}]})");
  const std::string arm = robot("arm") + " --floating --sensors " + set,
                    generate = "generate " + arm + " --outputs ddq,tau --name f -o " + (folder / "code") + " ";
  CHECK(run_program(generate).code == 0);
  const Run found = run_program(generate + "--parameters inertial");
  CHECK(found.code == 0);
  CHECK_THAT(found.err, !Contains("divides by zero"));
  REQUIRE(run_program("optimise " + arm + " -o " + (folder / "plan.json")).code == 0);
  CHECK(run_program(generate + "--parameters inertial --plan " + (folder / "plan.json")).code == 0);
}

TEST_CASE("generate --algorithm regressor writes the normal equations beside it") {
  TemporaryFolder folder;
  const std::string begin = "generate " + robot("arm") + " --algorithm regressor --no-batch --name f -o " + (folder / "code");
  REQUIRE(run_program(begin).code == 0);
  for (const char* ending : {".c", ".h"}) CHECK_THAT(text_of(folder / ("code/f" + std::string(ending))), Contains("f_normal("));
  REQUIRE(run_program(begin + " --distinct").code == 0);  // the text then lacks elements that the sum needs
  CHECK_THAT(text_of(folder / "code/f.h"), !Contains("f_normal("));
}

TEST_CASE("generate --algorithm regressor --base-parameters writes the columns that info names") {
  TemporaryFolder folder;
  const std::string begin = "generate " + robot("arm") + " --no-batch --name f -o " + (folder / "code") + " --base-parameters";
  REQUIRE(run_program(begin + " --algorithm regressor").code == 0);
  const nlohmann::json written = nlohmann::json::parse(text_of(folder / "code/f.json"));
  const nlohmann::json named = nlohmann::json::parse(run_program("info " + robot("arm") + " --base-parameters --json").out);
  CHECK(written["base_parameters"] == named["base_parameters"]);
  const nlohmann::json parameters =
      nlohmann::json::parse(run_program("info " + robot("arm") + " --json").out)["parameter_names"];
  std::set<std::string> columns, expected;
  for (const nlohmann::json& name : written["outputs"][0]["elements"]) {
    const std::string text = name;
    columns.insert(parameters[std::stoul(text.substr(text.find('.', 2) + 1))]);
  }
  for (const nlohmann::json& name : written["base_columns"]) expected.insert(std::string(name));
  CHECK(columns == expected);
  CHECK(columns.size() == named["base_parameters"].size());
  CHECK_THAT(text_of(folder / "code/f.h"), Contains("f_normal("));
  const Run other = run_program(begin + " --algorithm rnea");
  CHECK(other.code == 2);
  CHECK_THAT(other.err, Contains("--base-parameters: of --algorithm regressor"));
}
