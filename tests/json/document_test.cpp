#include "sparsedyn/json/document.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "sparsedyn/io/input_error.hpp"

using namespace sparsedyn;
using json::Document;

namespace {

/// What the error says when `text` is parsed and `read` then looks at it; empty where nothing is wrong.
template <class Read>
std::string error_reading(const std::string& text, Read read) {
  try {
    const Document document = Document::parse(text, "set.json");
    read(document.root());
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}
std::string error_reading(const std::string& text) {
  return error_reading(text, [](const json::Node&) {});
}

}  // namespace

TEST_CASE("JSON values know their lines") {
  const Document document = Document::parse(
      "{\n"
      "  \"name\": \"a\",\n"
      "  \"numbers\": [1, -2.5e3,\n"
      "    7\n"
      "  ],\n"
      "  \"flag\": true, \"none\": null,\n"
      "  \"inner\":\n"
      "    {\"x\": 12}\n"
      "}\n",
      "set.json");
  const json::Node root = document.root();
  CHECK(root.line() == 1);
  CHECK(root.at("name").string() == "a");
  CHECK(root.at("name").line() == 2);
  CHECK(root.at("numbers").line() == 3);
  CHECK(root.at("numbers").numbers() == std::vector<double>{1, -2500, 7});
  CHECK(root.at("numbers").array()[2].line() == 4);
  CHECK(root.at("numbers").array()[2].element() == "numbers[2]");
  CHECK(root.at("flag").boolean());
  CHECK(root.at("none").kind() == json::Kind::null);
  CHECK(root.at("inner").line() == 8);
  CHECK(root.at("inner").at("x").integer() == 12);
  CHECK(root.at("inner").at("x").element() == "inner.x");
  CHECK(root.keys() == std::vector<std::string>{"name", "numbers", "flag", "none", "inner"});
  CHECK_FALSE(root.has("absent"));
}

TEST_CASE("errors of form have a line") {
  CHECK_THAT(error_reading("{\n\"a\": 1,\n\"a\": 2}"), Catch::StartsWith("set.json:3: key \"a\" a second time; expected "));
  CHECK_THAT(error_reading("{\n\"a\": 1 // no\n}"), Catch::StartsWith("set.json:2: "));
  CHECK_THAT(error_reading("[1,\n2,\n]"), Catch::StartsWith("set.json:3: "));
  CHECK_THAT(error_reading("[1,\n1e999]"), Catch::StartsWith("set.json:2: "));
  CHECK(error_reading("[1,\n1e999]") == "set.json:2: [1]: 1e999; expected a number that a double can hold");
  CHECK(error_reading("{\"joints\": {\"a\": {}, \"b\": {\"armature\": 1,\n\"friction\": -1e999}}}") ==
        "set.json:2: joints.b.friction: -1e999; expected a number that a double can hold");
  CHECK(error_reading("{\"s\": [{}, {\"x\": [1, 2,\n1e400]}]}") ==
        "set.json:2: s[1].x[2]: 1e400; expected a number that a double can hold");
  CHECK_THAT(error_reading(""), Catch::StartsWith("set.json:1: unexpected end of input"));
  CHECK_THAT(error_reading("{} {}"), Catch::StartsWith("set.json:1: "));
  CHECK_THAT(error_reading("[NaN]"), Catch::StartsWith("set.json:1: "));
  CHECK_THAT(error_reading("[\"\xff\"]"), Catch::StartsWith("set.json:1: "));
  CHECK_THAT(error_reading(std::string(100000, '[')), Catch::Contains("nested deeper than 200 levels"));
}

TEST_CASE("errors of meaning have a line, the way to the value, and what was found") {
  using json::Node;
  CHECK(error_reading("{\"s\":\n[1, \"x\"]}", [](const Node& n) { n.at("s").numbers(); }) ==
        "set.json:2: s[1]: \"x\"; expected a number");
  CHECK(error_reading("{\"s\": [1, 2.5]}", [](const Node& n) { n.at("s").integers(); }) ==
        "set.json:1: s: 2.5; expected a whole number");
  CHECK(error_reading("{\"s\": {}}", [](const Node& n) { n.at("s").string(); }) ==
        "set.json:1: s: an object; expected a string");
  CHECK(error_reading("[]", [](const Node& n) { n.at("s"); }) == "set.json:1: an empty list; expected an object");
  CHECK(error_reading("\n{}", [](const Node& n) { n.at("s"); }) == "set.json:2: no \"s\"; expected \"s\" among the keys");
  CHECK(error_reading("{\"s\": {\n\"sigm\": 1}}", [](const Node& n) {
          n.at("s").only_keys({"sigma", "value"});
        }) == "set.json:2: s: key \"sigm\" (near: sigma); expected one of sigma, value");
  CHECK(error_reading("[3e9]", [](const Node& n) { n.integers(); }) != "");
}

TEST_CASE("a file that is not there") {
  CHECK_THROWS_WITH(Document::load("/nowhere/set.json"), Catch::StartsWith("/nowhere/set.json: "));
  CHECK_THROWS_WITH(Document::load("/"), Catch::StartsWith("/: a directory"));
}
