// Links that a set excepts from what it knows, and whose wrench is zero all the same.
#include "determinacy/unloaded_links.hpp"

#include <catch2/catch.hpp>

#include "sparsedyn/json/files.hpp"
#include "sparsedyn/system/system.hpp"
#include "support/robots.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

/// root – shin on a hinge – sole and toe, fixed to the shin; stand, fixed to the root.
Model leg(bool floating) {
  std::mt19937 rng(3);
  JointSpec hinge;
  hinge.kind = JointKind::revolute;
  return ModelBuilder("leg")
      .root("root", random_inertia(rng), floating)
      .link("shin", random_inertia(rng), "root", "knee", hinge, random_pose(rng))
      .link("sole", random_inertia(rng), "shin", "glue", {}, random_pose(rng))
      .link("toe", random_inertia(rng), "sole", "screw", {}, random_pose(rng))
      .link("stand", random_inertia(rng), "root", "bolt", {}, random_pose(rng))
      .build();
}

using Sentences = std::vector<std::string>;

/// `more`: what follows the sensor on "*".
Sentences sentences(const std::string& except, const std::string& more, bool floating = false) {
  const SensorSet set = parse_sensor_set(
      "{\"sensors\": [\n{\"name\": \"air\", \"type\": \"external_wrench\", \"link\": \"*\",\n "
      "\"except\": " +
          except + ", \"value\": 0}" + more + "}",
      "set.json");
  const Model model = leg(floating);
  const System system(model, set);  // the set fits the robot
  for (const std::string& sentence : unloaded_links(model, set)) {
    // what is said is so: the link has no wrench of its own
    const std::string link =
        sentence.substr(sentence.find('"') + 1, sentence.find('"', sentence.find('"') + 1) - sentence.find('"') - 1);
    CHECK(system.fx_column(model.link(link)) < 0);
  }
  return unloaded_links(model, set);
}

const std::string zero = "\" is excepted from \"air\", but no sensor and no \"unknown\" names its wrench: it is zero";

}  // namespace

TEST_CASE("a link on a fixed joint that is excepted and not named is told") {
  CHECK(sentences("[\"sole\"]", "]") == Sentences{"set.json:3: \"sole" + zero});
  CHECK(sentences("[\"sole\", \"toe\"]", "]") == Sentences{"set.json:3: \"sole" + zero, "set.json:3: \"toe" + zero});
  CHECK(sentences("[\"sole\", \"toe\"]", "], \"unknown\": [\"fx.toe\"]") == Sentences{"set.json:3: \"sole" + zero});
  // a sensor that measures no wrench on the link does not name its wrench
  CHECK(sentences("[\"sole\"]", ", {\"name\": \"imu\", \"type\": \"accelerometer\", \"link\": \"sole\"}]").size() == 1);
  CHECK(sentences("[\"sole\"]", ", {\"name\": \"ft\", \"type\": \"force_torque\", \"joint\": \"glue\"}]").size() == 1);
  CHECK(sentences("[\"sole\"]", ", {\"name\": \"others\", \"type\": \"load_cell\", \"link\": \"*\", \"except\": [\"sole\"]}]")
            .size() == 1);
}

TEST_CASE("a link whose wrench is named, or unknown by itself, is not told") {
  for (const char* type : {"external_wrench", "load_cell", "centre_of_pressure", "contact"})
    CHECK(
        sentences("[\"sole\"]", std::string(", {\"name\": \"s\", \"type\": \"") + type + "\", \"link\": [\"sole\"]}]").empty());
  CHECK(sentences("[\"sole\"]", "], \"unknown\": [\"fx.sole\"]").empty());
  CHECK(sentences("[\"shin\"]", "]").empty());             // it leads its body
  CHECK(sentences("[\"stand\", \"root\"]", "]").empty());  // fixed to the world
  CHECK(sentences("[\"stand\"]", "]", true).size() == 1);  // on a root that floats
}
