#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/json/document.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/system/system.hpp"
#include "support/robots.hpp"
#include "support/temporary_folder.hpp"

using namespace sparsedyn;

namespace {

/// What the reader, or the system of a robot with link1, link2, joint1, joint2, says of a set with this sensor on line 3.
std::string error_of(const std::string& sensor, bool floating = false) {
  test::TreeOptions options;
  options.floating = floating;
  options.lumped = false;
  try {
    const SensorSet set = parse_sensor_set("{\"name\": \"s\",\n \"sensors\": [\n" + sensor + "]}", "set.json");
    System(test::random_tree(2, 1, options), set);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a set as it stands in the contract") {
  const SensorSet set = parse_sensor_set(R"({"name": "standing",
 "sensors": [
   {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.1},
   {"name": "air", "type": "external_wrench", "link": "*", "except": ["l_sole", "r_sole"], "value": 0},
   {"name": "sole", "type": "external_wrench", "link": "l_sole", "xyz": [0, 0, -0.01],
    "rpy": [0, 0, 1.5707963267948966], "components": ["fz", "nx"], "sigma": [1, 0.05]}],
 "unknown": ["fx.toe"],
 "prior": {"ddq": 100, "fx": 1000}})",
                                         "set.json");
  CHECK(set.name == "standing");
  REQUIRE(set.sensors.size() == 3);
  CHECK(set.sensors[0].all);
  CHECK(set.sensors[0].sigma == std::vector<double>{0.1});
  CHECK(set.sensors[1].except.size() == 2);
  CHECK(set.sensors[1].except[1].name == "r_sole");
  CHECK(set.sensors[1].value == std::vector<double>{0.0});
  CHECK(set.sensors[2].line == 5);
  CHECK(set.sensors[2].framed);
  CHECK(set.sensors[2].frame.d[2] == -0.01);
  CHECK(set.sensors[2].frame.R(1, 0) == 1.0);
  CHECK(set.sensors[2].frame.R(0, 0) == 0.0);
  CHECK(set.sensors[2].components == std::vector<std::string>{"fz", "nx"});
  CHECK(set.unknown[0].name == "fx.toe");
  CHECK(set.prior.at("fx") == 1000);
}

TEST_CASE("built-in sets fit fixed and floating robots") {
  CHECK(builtin_sensor_sets().size() >= 2);
  for (bool floating : {false, true})
    for (const char* name : {"inverse-dynamics", "forward-dynamics"}) {
      test::TreeOptions options;
      options.floating = floating;
      const System system(test::random_tree(4, 3, options), load_sensor_set(name));
      CHECK(system.pattern().rows == system.pattern().columns);
      for (const Input& input : system.inputs()) {
        const std::string& stand_in = input.columns.back();
        const bool may_lack = stand_in.compare(0, 3, "fx.") == 0 || stand_in.compare(0, 9, "tau.base.") == 0;
        INFO(stand_in);
        CHECK(input.required == !may_lack);
      }
    }
}

TEST_CASE("errors of a sensor set are refused with their line") {
  const std::string torque = "{\"name\": \"t\", \"type\": \"joint_torque\", ";
  CHECK(error_of(torque + "\"joint\": \"*\"}") == "");
  CHECK(error_of("{\"name\": \"t\", \"type\": \"joint_torc\", \"joint\": \"*\"}")
            .find("set.json:3: sensors[0].type: "
                  "\"joint_torc\" (near: joint_torque)") == 0);
  CHECK(error_of(torque + "\"joint\": \"*\", \"sigm\": 1}").find("set.json:3: sensors[0]: key \"sigm\" (near: sigma)") == 0);
  CHECK(error_of(torque + "\"joint\":\n\"jiont1\"}") ==
        "set.json:4: sensor t: joint \"jiont1\" (near: joint1, joint2); expected a moving joint of the robot");
  CHECK(error_of(torque + "\"joint\": \"base\"}").find("whose root link is fixed") != std::string::npos);
  CHECK(error_of(torque + "\"joint\": \"base\"}", true) == "");
  CHECK(error_of(torque + "\"joint\": [\"joint1\", \"joint1\"]}").find("a second time") != std::string::npos);
  CHECK(error_of(torque + "\"joint\": []}").find("an empty list; expected a name") != std::string::npos);
  CHECK(error_of(torque + "\"joint\": \"*\", \"except\": [\"joint1\", \"joint2\"]}").find("names nothing") !=
        std::string::npos);
  CHECK(error_of(torque + "\"joint\": \"joint1\", \"components\": [\"nx\"]}").find("only one") != std::string::npos);
  CHECK(error_of(torque + "\"joint\": \"*\", \"sigma\": -1}").find("sigma: -1") != std::string::npos);
  CHECK(error_of(torque + "\"joint\": \"*\", \"sigma\": [1, 2]}").find("2 numbers in sigma") != std::string::npos);
  for (const std::string key : {"sigma", "value"})
    CHECK_THAT(error_of(torque + "\"joint\": \"*\", \"" + key + "\": []}"),
               Catch::Contains(key + ": an empty list; expected a number or a list of numbers"));
  CHECK(error_of(torque + "\"joint\": \"*\"}, " + torque + "\"joint\": \"*\"}").find("sensors[1].name: \"t\" a second time") !=
        std::string::npos);
  const std::string wrench = "{\"name\": \"w\", \"type\": \"external_wrench\", ";
  CHECK(error_of(wrench + "\"link\": \"root\", \"xyz\": [1, 2]}").find("three numbers") != std::string::npos);
  CHECK(error_of(wrench + "\"link\": \"root\"}") == "");  // fixed to the world: skipped
  CHECK(error_of(wrench + "\"joint\": \"joint1\"}").find("key \"joint\"") != std::string::npos);
}

TEST_CASE("a set that is neither built in nor a file") {
  CHECK_THROWS_WITH(load_sensor_set("forward-dynamic"), Catch::Contains("near: forward-dynamics"));
}

TEST_CASE("two sensors whose names make the same column are refused") {
  CHECK(error_of("{\"name\": \"a\", \"type\": \"external_wrench\", \"link\": [\"link1\", \"link2\"]},\n"
                 "{\"name\": \"a.link1\", \"type\": \"external_wrench\", \"link\": \"link2\"}") ==
        "set.json:4: sensor a.link1: the column y.a.link1.nx; expected columns of its own; sensor a has that one");
}

TEST_CASE("keys of single sensor types are read, and refused for other types") {
  const SensorSet set = parse_sensor_set(R"({"sensors": [
    {"name": "ft", "type": "force_torque", "joint": "weld", "direction": "child_to_parent", "bias": true},
    {"name": "foot", "type": "contact", "link": "sole", "dof": 6},
    {"name": "tendon", "type": "torque_combination", "coefficients": {"hip": 1,
      "knee": -0.5}}]})",
                                         "set.json");
  CHECK(set.sensors[0].child_to_parent);
  CHECK(set.sensors[0].bias);
  CHECK(set.sensors[1].dof == 6);
  REQUIRE(set.sensors[2].coefficients.size() == 2);
  CHECK(set.sensors[2].coefficients[1].first.name == "knee");
  CHECK(set.sensors[2].coefficients[1].first.line == 5);
  CHECK(set.sensors[2].coefficients[1].second == -0.5);

  const std::string ft = "{\"name\": \"s\", \"type\": \"force_torque\", \"joint\": \"joint1\", ";
  CHECK_THAT(error_of(ft + "\"direction\": \"parent_on_child\"}"),
             Catch::StartsWith("set.json:3: sensors[0].direction: \"parent_on_child\" (near: parent_to_child"));
  CHECK_THAT(error_of(ft + "\"dof\": 3}"), Catch::Contains("key \"dof\""));
  const std::string contact = "{\"name\": \"s\", \"type\": \"contact\", \"link\": \"link1\", ";
  CHECK_THAT(error_of(contact + "\"dof\": 5}"), Catch::Contains("sensors[0].dof: 5; expected 3 or 6"));
  CHECK_THAT(error_of(contact + "\"value\": 0}"), Catch::Contains("key \"value\""));
  const std::string tendon = "{\"name\": \"s\", \"type\": \"torque_combination\", \"coefficients\": ";
  CHECK_THAT(error_of(tendon + "{\"joint1\": 1,\n\"jiont2\": 1}}"),
             Catch::StartsWith("set.json:4: sensor s: joint \"jiont2\" (near: joint2"));
  CHECK_THAT(error_of(tendon + "{\"joint1\": 0}}"), Catch::Contains("no coefficient but zeros"));
  CHECK(error_of(tendon + "{\"joint1\": 1}}").empty());
  CHECK_THAT(error_of("{\"name\": \"s\", \"type\": \"force_torque\", \"joint\": \"wold\"}"), Catch::Contains("near: world"));
}

TEST_CASE("the schema knows the types and keys that the reader knows") {
  const json::Document schema = json::Document::load(test::source_folder() + "/sensors/sensor-set.schema.json");
  const json::Node sensor = schema.root().at("$defs").at("sensor").at("properties");
  CHECK(sensor.at("type").at("enum").strings() == sensor_type_names());
  const std::vector<std::string> keys = sensor.keys();
  for (const SensorType& type : sensor_types())
    for (const std::string& key : type.keys) {
      INFO(key);
      CHECK(std::count(keys.begin(), keys.end(), key) == 1);
    }
}

TEST_CASE("a set says how unknown wrenches and accelerations walk, and by which share torques are off") {
  const SensorSet set = parse_sensor_set(R"({"sensors": [
    {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 1, "share": 0.05}],
    "external_wrench": {"sigma": [3, 30], "walk": 50}, "prior": {"ddq": {"sigma": 20, "walk": 0.3}, "fx": 7}})",
                                         "set.json");
  CHECK(set.sensors[0].over_time.share == 0.05);
  CHECK(set.external_wrench.there);
  CHECK(set.external_wrench.moment_sigma == 3);
  CHECK(set.external_wrench.force_sigma == 30);
  CHECK(set.external_wrench.moment_walk == 50);
  CHECK(set.external_wrench.force_walk == 50);
  CHECK(set.prior.at("ddq") == 20);
  CHECK(set.acceleration_walk == 0.3);
  CHECK(set.prior.at("fx") == 7);
  const auto refused = [](const std::string& more) { return parse_sensor_set("{\"sensors\": [], " + more + "}", "set.json"); };
  CHECK_THROWS_WITH(refused(R"("external_wrench": {"sigma": [1, 2, 3]})"), Catch::Contains("[moment, force]"));
  CHECK_THROWS_WITH(refused(R"("external_wrench": {"sigma": 0})"), Catch::Contains("a number > 0"));
  CHECK_THROWS_WITH(refused(R"("prior": {"fx": {"sigma": 1}})"), Catch::Contains("fx"));
}

TEST_CASE("standard deviations whose weights would overflow are refused") {
  for (const char* sigma : {"-1", "1e-320", "1e200"})
    CHECK_THAT(
        error_of("{\"name\": \"a\", \"type\": \"joint_torque\", \"joint\": \"joint1\", \"sigma\": " + std::string(sigma) + "}"),
        Catch::StartsWith("set.json:3: sensors[0].sigma: ") && Catch::Contains("expected 0 (exact), or 1e-100 to 1e100"));
}

TEST_CASE("a set includes others, found from its own folder") {
  test::TemporaryFolder folder;
  std::filesystem::create_directory(folder / "robot");
  folder.file("robot/measured.json",
              R"({"sensors": [{"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.1},
   {"name": "lost", "type": "accelerometer", "link": "lnik1"}], "prior": {"ddq": 10, "fx": 5}, "unknown": ["fx.a"]})");
  const std::string set = folder.file("set.json", R"({"name": "both", "include": "robot/measured.json", "prior": {"fx": 7},
  "sensors": [{"name": "air", "type": "external_wrench", "link": "*", "value": 0}]})");
  const SensorSet both = load_sensor_set(set);
  REQUIRE(both.sensors.size() == 3);
  CHECK(both.sensors[0].name == "motors");
  CHECK(both.sensors[2].name == "air");
  CHECK(both.prior.at("ddq") == 10);
  CHECK(both.prior.at("fx") == 7);
  CHECK(both.unknown.size() == 1);
  test::TreeOptions plain;
  plain.lumped = false;
  try {
    System(test::random_tree(2, 1, plain), both);
    FAIL("accepted");
  } catch (const InputError& error) {  // the file and line where it stands
    CHECK_THAT(error.what(), Catch::Contains("measured.json:") && Catch::Contains("fx.a"));
  }
}

TEST_CASE("sets that include each other, one twice, or one that is missing") {
  test::TemporaryFolder folder;
  const std::string self = folder.file("self.json", R"({"include": "self.json", "sensors": []})");
  CHECK_THROWS_WITH(load_sensor_set(self), Catch::Contains("self.json:1: include") && Catch::Contains("read already"));
  folder.file("a.json", R"({"include": ["./b.json"], "sensors": []})");
  folder.file("b.json", R"({"include": "a.json", "sensors": []})");
  CHECK_THROWS_WITH(load_sensor_set(folder / "a.json"), Catch::Contains("b.json:1: include"));
  const std::string lost = folder.file("lost.json", R"({"include": "nowhere.json", "sensors": []})");
  CHECK_THROWS_WITH(load_sensor_set(lost), Catch::Contains("nowhere.json"));
  const std::string twice = folder.file("twice.json", R"({"include": ["c.json"], "sensors": [
    {"name": "x", "type": "gyroscope", "link": "link1"}]})");
  folder.file("c.json", R"({"sensors": [{"name": "x", "type": "gyroscope", "link": "link1"}]})");
  CHECK_THROWS_WITH(load_sensor_set(twice), Catch::Contains("a second time"));
}

TEST_CASE("a list names its targets in the columns, of one too, a name alone does not") {
  const Model model = test::random_tree(2, 1, {true, false});
  const auto columns = [&](const std::string& sensor) {
    const System system(model, parse_sensor_set("{\"sensors\": [{\"name\": \"s\", " + sensor + "}]}", "set.json"));
    std::vector<std::string> first;
    for (const Input& input : system.inputs()) first.push_back(input.columns.front());
    return first;
  };
  using Names = std::vector<std::string>;
  const std::string on_link = "\"type\": \"accelerometer\", \"link\": ", on_joint = "\"type\": \"joint_torque\", \"joint\": ";
  CHECK(columns(on_link + "\"link1\"") == Names{"y.s.x", "y.s.y", "y.s.z"});
  CHECK(columns(on_link + "[\"link1\"]") == Names{"y.s.link1.x", "y.s.link1.y", "y.s.link1.z"});
  CHECK(columns(on_joint + "\"joint1\"") == Names{"y.s"});
  CHECK(columns(on_joint + "[\"joint1\"]") == Names{"y.s.joint1"});
  CHECK(columns(on_joint + "[\"joint1\", \"joint2\"]") == Names{"y.s.joint1", "y.s.joint2"});
  CHECK(columns(on_joint + "[\"base\"]").front() == "y.s.base.nx");
  CHECK(columns("\"optional\": true, " + on_joint + "[\"joint1\", \"joint9\"]") == Names{"y.s.joint1"});
  CHECK(columns("\"type\": \"force_torque\", \"components\": [\"fz\"], \"joint\": [\"joint1\"]") == Names{"y.s.joint1.fz"});
  CHECK(columns("\"type\": \"load_cell\", \"components\": [\"fz\"], \"link\": [\"link1\"]") == Names{"y.s.link1.fz"});
}

TEST_CASE("a set names covariances, known offsets and deviations of the state, each with its line") {
  const test::TemporaryFolder folder;
  folder.file("offsets.json", "{\"offsets\": {\n \"y.t.joint1\": {\"value\": 0.25, \"sd\": 0.01}}}");
  const std::string sensors = "\"sensors\": [{\"name\": \"t\", \"type\": \"joint_torque\", \"joint\": \"*\"}]";
  const auto read = [&](const std::string& keys) {
    return load_sensor_set(folder.file("set.json", "{" + sensors + keys + "}"));
  };

  const SensorSet set = read(
      ",\n\"cov\": [[\"tau.joint1\", \"tau.joint2\"]],\n\"offsets\": \"offsets.json\",\n"
      "\"state_sigma\": {\"q\": 0.5, \"dq\": {\n\"joint1\": 2}}");
  REQUIRE(set.covariances.size() == 1);
  CHECK(set.covariances[0].first.name == "tau.joint1");
  CHECK(set.covariances[0].second.name == "tau.joint2");
  CHECK(set.covariances[0].second.line == 2);
  REQUIRE(set.offsets.size() == 1);
  CHECK(set.offsets[0].column.name == "y.t.joint1");
  CHECK(set.offsets[0].column.file == folder / "offsets.json");
  CHECK(set.offsets[0].column.line == 2);
  CHECK(set.offsets[0].value == 0.25);
  REQUIRE(set.position_sigma.size() == 1);
  CHECK(set.position_sigma[0].first.name == "*");
  CHECK(set.position_sigma[0].second == 0.5);
  REQUIRE(set.velocity_sigma.size() == 1);
  CHECK(set.velocity_sigma[0].first.name == "joint1");
  CHECK(set.velocity_sigma[0].first.line == 5);
  CHECK(set.velocity_sigma[0].second == 2);

  CHECK_THROWS_WITH(read(",\n\"cov\": [[\"tau.joint1\"]]"),
                    Catch::Contains("set.json:2: cov[0]: ") && Catch::Contains("expected two outputs"));
  CHECK_THROWS_WITH(read(",\n\"state_sigma\": {\"ddq\": 1}"), Catch::Contains("set.json:2: state_sigma: key \"ddq\""));
  folder.file("offsets.json", "{\"offsets\": {\n \"y.t.joint1\": {\"mean\": 0.25}}}");
  CHECK_THROWS_WITH(read(",\n\"offsets\": \"offsets.json\""), Catch::Contains("offsets.json:2: ") && Catch::Contains("mean"));
}

TEST_CASE("a normal without a length has no direction") {
  const std::string wrench = "{\"name\": \"w\", \"type\": \"normal_force\", \"link\": \"link1\", \"normal\": ";
  CHECK_THAT(error_of(wrench + "[0, 0, 0]}"), Catch::Contains("set.json:3: sensors[0].normal: a normal of no length"));
  CHECK_THAT(error_of(wrench + "[0, 1e-200, 0]}"), Catch::Contains("a normal of no length"));
}
