// One bad file a line: where the error must point and which words it must hold.
#include <catch2/catch.hpp>

#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/robots.hpp"

using namespace sparsedyn;

namespace {

struct Bad {
  const char* what;
  const char* text;
  long line;
  std::vector<const char*> words;
};

const char* two_links = R"(<robot name="r"><link name="a"/><link name="b"/>)";

/// The message for the text, called "bad.urdf".
std::string message(const std::string& text, bool floating = false) {
  LoadOptions options;
  options.floating = floating;
  try {
    parse_urdf(text, "bad.urdf", options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

void check(const Bad& bad, const std::string& text) {
  INFO(bad.what);
  const std::string found = message(text);
  CHECK_THAT(found, Catch::StartsWith("bad.urdf:" + std::to_string(bad.line) + ": "));
  for (const char* word : bad.words) CHECK_THAT(found, Catch::Contains(word));
}

const std::vector<Bad> whole_files = {
    {"empty", "", 1, {"empty"}},
    {"blanks", "\n \n", 1, {"empty"}},
    {"not XML", "q.a,q.b\n1,2\n", 1, {"XML"}},
    {"unclosed", "<robot name=\"r\">\n<link name=\"a\">\n</robot>", 2, {"closed"}},
    {"CDATA without end", "<robot name=\"r\">\n<![CDATA[ text\n</robot>", 2, {"a CDATA section without end", "well-formed"}},
    {"declaration without end", "<robot name=\"r\">\n<!ELEMENT robot", 2, {"a <! … without end", "well-formed"}},
    {"broken tag", "<robot>\n<link name=\"a\"/\n</robot>", 2, {"tag", "well-formed"}},
    {"broken attribute", "<robot>\n<link name=a/>\n</robot>", 2, {"attribute"}},
    {"attribute twice", "<robot>\n<link name=\"a\"\n name=\"b\"/></robot>", 3, {"repeated attribute"}},
    {"two outermost elements", "<robot><link name=\"a\"/></robot>\n<robot/>", 2, {"second"}},
    {"text behind", "<robot><link name=\"a\"/></robot>\nrest", 2, {"text"}},
    {"comment alone", "<!-- nothing -->", 1, {"<robot>"}},
    {"comment without end", "<robot>\n<!-- <link name=\"a\"/></robot>", 2, {"comment"}},
    {"another format", "<?xml version=\"1.0\"?>\n<sdf version=\"1.9\"/>", 2, {"<sdf>", "expected <robot>"}},
    {"no links", "<robot name=\"r\">\n</robot>", 1, {"no <link>"}},
    {"macros", "<robot>\n<xacro:arm side=\"l\"/></robot>", 2, {"xacro"}},
    {"a macro in a link",
     "<robot><link name=\"a\">\n<xacro:box m=\"1\"/></link></robot>",
     2,
     {"link \"a\" <xacro:box>", "xacro"}},
    {"macros of another prefix",
     "<robot xmlns:x=\"http://www.ros.org/wiki/xacro\"><link name=\"a\"/>\n<x:arm/></robot>",
     2,
     {"<x:arm>", "a macro"}},
    {"a joint of Drake's",
     "<robot><link name=\"a\"/><link name=\"b\"/>\n<drake:joint name=\"j\" type=\"ball\"/></robot>",
     2,
     {"<drake:joint>", "Drake alone"}},
    {"macro in a name", "<robot>\n<link name=\"${side}_arm\"/></robot>", 2, {"${side}_arm", "xacro"}},
    {"nameless link", "<robot>\n<link/></robot>", 2, {"<link>", "no name"}},
    {"empty name", "<robot>\n<link name=\"\"/></robot>", 2, {"<link>", "not empty"}},
    {"line break in a name", "<robot>\n<link name=\"a&#10;b\"/></robot>", 2, {"control character"}},
    {"Latin-1 in a name", "<robot>\n<link name=\"caf\xE9\"/></robot>", 2, {"UTF-8"}},
    {"link twice", "<robot>\n<link name=\"a\"/>\n<link name=\"a\"/></robot>", 3, {"link \"a\"", "line 2"}},
    {"two roots", "<robot>\n<link name=\"a\"/>\n<link name=\"b\"/></robot>", 3, {"link \"b\"", "second root", "line 2"}},
};

/// The contents of a link; the file's second line.
const std::vector<Bad> links = {
    {"no mass", "<inertial/>", 2, {"no <mass>"}},
    {"no inertia", "<inertial>\n<mass value=\"1\"/></inertial>", 2, {"no <inertia>"}},
    {"mass without value", "<inertial>\n<mass/><inertia/></inertial>", 3, {"<mass>", "no value"}},
    {"negative mass",
     "<inertial>\n<mass value=\"-1\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial>",
     3,
     {"link \"a\"", "-1", "not negative"}},
    {"inertia incomplete",
     "<inertial><mass value=\"1\"/>\n<inertia ixx=\"1\" ixy=\"2\" ixz=\"0\" iyy=\"1\" iyz=\"0\"/></inertial>",
     3,
     {"no izz"}},
    {"NaN", "<inertial><mass\n value=\"NaN\"/><inertia/></inertial>", 3, {"value=\"NaN\"", "decimal"}},
    {"infinity", "<inertial><mass value=\"INF\"/><inertia/></inertial>", 2, {"INF"}},
    {"hexadecimal", "<inertial><mass value=\"0x10\"/><inertia/></inertial>", 2, {"0x10"}},
    {"decimal comma", "<inertial><mass value=\"1,5\"/><inertia/></inertial>", 2, {"1,5"}},
    {"unit", "<inertial><mass value=\"1 kg\"/><inertia/></inertial>", 2, {"1 kg"}},
    {"overflow", "<inertial><mass value=\"1e999\"/><inertia/></inertial>", 2, {"1e999", "below"}},
    {"huge",
     "<inertial><mass value=\"1e200\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial>",
     2,
     {"1e100"}},
    {"two numbers in xyz", "<inertial>\n<origin xyz=\"0 1\"/></inertial>", 3, {"<origin>", "xyz=\"0 1\"", "three"}},
    {"four numbers in rpy", "<inertial>\n<origin rpy=\"0 1 2 3\"/></inertial>", 3, {"rpy", "three"}},
    {"two origins", "<inertial>\n<origin/>\n<origin/></inertial>", 4, {"<origin>", "second"}},
};

/// What stands behind two links; the file's second line.
const std::vector<Bad> joints = {
    {"nameless joint", "<joint type=\"fixed\"/>", 2, {"<joint>", "no name"}},
    {"no type", "<joint name=\"j\"/>", 2, {"joint \"j\"", "no type"}},
    {"unknown type", "<joint name=\"j\"\n type=\"revolut\"/>", 3, {"revolut", "near: revolute"}},
    {"spherical", "<joint name=\"j\" type=\"spherical\"/>", 2, {"type=\"spherical\"", "planar or floating"}},
    {"no parent", "<joint name=\"j\" type=\"fixed\"><child link=\"b\"/></joint>", 2, {"no <parent>"}},
    {"no child", "<joint name=\"j\" type=\"fixed\">\n<parent link=\"a\"/></joint>", 2, {"no <child>"}},
    {"parent without link", "<joint name=\"j\" type=\"fixed\">\n<parent/></joint>", 3, {"<parent>", "no link"}},
    {"two parents in a joint",
     "<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/>\n<parent link=\"b\"/></joint>",
     3,
     {"second"}},
    {"unknown link",
     "<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/>\n<child link=\"bb\"/></joint>",
     3,
     {"\"bb\"", "near: b"}},
    {"own child", "<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child link=\"a\"/></joint>", 2, {"loop"}},
    {"zero axis",
     "<joint name=\"j\" type=\"revolute\"><parent link=\"a\"/><child link=\"b\"/>\n<axis xyz=\"0 0 0\"/></joint>",
     3,
     {"<axis>", "length"}},
    {"another axis",
     "<joint name=\"j\" type=\"revolute\"><parent link=\"a\"/><child link=\"b\"/><axis xyz=\"0 0 1\"/>\n<axis xyz=\"0 0 "
     "-1\"/></joint>",
     3,
     {"<axis>", "a second one", "line 2"}},
    {"axis without xyz",
     "<joint name=\"j\" type=\"revolute\"><parent link=\"a\"/><child link=\"b\"/>\n<axis/></joint>",
     3,
     {"<axis>", "no xyz"}},
    {"planar without axis",
     "<joint name=\"j\" type=\"planar\"><parent link=\"a\"/><child link=\"b\"/></joint>",
     2,
     {"joint \"j\"", "no <axis>"}},
    {"joint twice",
     "<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint>\n<joint name=\"j\" "
     "type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint>",
     3,
     {"joint \"j\"", "line 2"}},
    {"two parents",
     "<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint>\n<joint name=\"k\" "
     "type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint>",
     3,
     {"joint \"k\"", "link \"b\"", "line 2"}},
    {"cycle",
     "<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint>\n<joint name=\"k\" "
     "type=\"fixed\"><parent link=\"b\"/><child link=\"a\"/></joint>",
     3,
     {"joint \"k\"", "loop"}},
    {"joint called world",
     "<joint name=\"world\" type=\"revolute\"><parent link=\"a\"/><child link=\"b\"/></joint>",
     2,
     {"joint \"world\"", "another name"}},
    {"negative principal moment of what moves",
     "<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint><joint name=\"k\" "
     "type=\"revolute\"><parent link=\"b\"/><child link=\"c\"/></joint><link name=\"c\"><inertial><mass "
     "value=\"1\"/>\n<inertia ixx=\"1\" ixy=\"2\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial></link>",
     3,
     {"link \"c\"", "principal", "-1"}},
};

}  // namespace

TEST_CASE("bad files are refused with file and line") {
  for (const Bad& bad : whole_files) check(bad, bad.text);
  for (const Bad& bad : links) check(bad, "<robot name=\"r\"><link name=\"a\">\n" + std::string(bad.text) + "</link></robot>");
  for (const Bad& bad : joints) check(bad, std::string(two_links) + "\n" + bad.text + "</robot>");
}

TEST_CASE("a zero byte and deep nesting are refused") {
  CHECK_THAT(message(std::string("<robot>\n<link name=\"a\0b\"/></robot>", 33)), Catch::StartsWith("bad.urdf:2: a zero byte"));
  std::string deep;
  for (int k = 0; k < 100000; ++k) deep += "<a>\n";
  CHECK_THAT(message(deep), Catch::Contains("nested deeper"));
}

TEST_CASE("names of joints must not collide with the base's") {
  const std::string joint = R"(<parent link="a"/><child link="b"/></joint></robot>)";
  const std::string base = std::string(two_links) + "\n<joint name=\"base\" type=\"revolute\">" + joint;
  CHECK(message(base, false) == "accepted");
  CHECK_THAT(message(base, true), Catch::StartsWith("bad.urdf:2: joint \"base\""));
  const std::string column = std::string(two_links) + "\n<joint name=\"base.x\" type=\"revolute\">" + joint;
  CHECK(message(column, false) == "accepted");
  CHECK_THAT(message(column, true), Catch::StartsWith("bad.urdf:2: joint \"base.x\": the column base.x"));
}

TEST_CASE("files that cannot be read are named") {
  CHECK_THROWS_WITH(load_urdf("/nowhere/robot.urdf"), Catch::StartsWith("/nowhere/robot.urdf: cannot be read (No such file"));
  CHECK_THROWS_WITH(load_urdf(test::source_folder()), Catch::Contains("a directory"));
}
