// Files whose size lies in one place: what is read must take time in proportion to it. A step too many for each pair would take
// these tests hours; what can be counted is counted.
#include <tinyxml2.h>

#include <catch2/catch.hpp>

#include "error_of.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/model/coordinate_map.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "urdf/xml/surplus_attributes.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;
using Catch::Contains;
using Catch::StartsWith;

namespace {

/// x0="0" x1="1" …, one a line.
std::string attributes(int count) {
  std::string text;
  for (int k = 0; k < count; ++k) text += "\n x" + std::to_string(k) + "=\"" + std::to_string(k) + "\"";
  return text;
}

std::string with_origin(const std::string& origin) {
  return "<robot name=\"r\">\n<link name=\"a\"/><link name=\"b\"/>\n<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/>"
         "<child link=\"b\"/>\n<origin" +
         origin + "/>\n</joint></robot>\n";
}

/// Joints in a row, each of which follows the one before it with these factors.
std::string chain(int count, const std::string& says) {
  std::string text = "<robot name=\"r\"><link name=\"l0\"/>\n";
  for (int k = 1; k <= count; ++k) {
    const std::string number = std::to_string(k), before = std::to_string(k - 1);
    // the links hang side by side, so that the tree is flat
    text += "<link name=\"l" + number + "\"/><joint name=\"j" + number +
            "\" type=\"prismatic\"><parent link=\"l0\"/><child link=\"l" + number +
            "\"/><limit lower=\"-1\" upper=\"1\"/><dynamics damping=\"0.1\"/>" +
            (k == 1 ? "" : "<mimic joint=\"j" + before + "\" " + says + "/>") + "</joint>\n";
  }
  return text + "</robot>\n";
}

}  // namespace

TEST_CASE("attributes that nobody reads are taken out of elements that have very many, and lines stay") {
  const int many = 200000;
  const std::string text = with_origin(" xyz=\"1 2 3\"" + attributes(many) + "\n rpy=\"0 0 0\"");
  urdf::WrongTag wrong;
  const urdf::LeanText lean = urdf::without_surplus(text, wrong);
  CHECK(wrong.position == std::string::npos);
  REQUIRE(lean.surplus.size() == 1);
  CHECK(lean.surplus[0].line == 4);
  CHECK(lean.surplus[0].element == "origin");
  CHECK(lean.surplus[0].count == many);
  CHECK(lean.text.size() == text.size());
  tinyxml2::XMLDocument document;
  REQUIRE(document.Parse(lean.text.c_str()) == tinyxml2::XML_SUCCESS);
  const tinyxml2::XMLElement* origin = document.RootElement()->FirstChildElement("joint")->FirstChildElement("origin");
  int left = 0;
  for (auto* a = origin->FirstAttribute(); a; a = a->Next()) ++left;
  CHECK(left == 2);
  CHECK(origin->FindAttribute("rpy")->GetLineNum() == 4 + many + 1);

  LoadReport report;
  const Model model = parse_urdf(text, "r.urdf", {}, &report);
  CHECK(model.links[1].pose.d[2] == 3);
  REQUIRE(report.warnings.size() == 1);
  CHECK(report.warnings[0] == "r.urdf:4: <origin>: 200000 attributes are passed over");
}

TEST_CASE("elements with no more attributes than usual are left as they are") {
  const std::string text = with_origin(attributes(static_cast<int>(urdf::most_attributes)));
  urdf::WrongTag wrong;
  const urdf::LeanText lean = urdf::without_surplus(text, wrong);
  CHECK(lean.text == text);
  CHECK(lean.surplus.empty());
}

TEST_CASE("what is no element is not looked into for attributes") {
  const std::string many = "<origin" + attributes(100) + " x0=\"again\"/>";
  for (const std::string& hidden : {"<!--" + many + "-->", "<![CDATA[" + many + "]]>", "<?say " + many + "?>"}) {
    urdf::WrongTag wrong;
    const std::string text = "<robot>" + hidden + "<link name='a>b' x=\"<\"/></robot>";
    const urdf::LeanText lean = urdf::without_surplus(text, wrong);
    CHECK(wrong.position == std::string::npos);
    CHECK(lean.text == text);
  }
}

TEST_CASE("broken and repeated attributes are refused among very many too, on their line") {
  const std::string many = attributes(100000);
  CHECK_THAT(error_of(with_origin(many + "\n x7=\"7\"")), StartsWith("r.urdf:100005: a broken or repeated attribute"));
  CHECK_THAT(error_of(with_origin(many + "\n xyz=\"0 0 0\" xyz=\"0 0 0\"")), Contains("repeated attribute"));
  CHECK_THAT(error_of(with_origin(many + "\n y=7")), StartsWith("r.urdf:100005: a broken or repeated attribute"));
  CHECK_THAT(error_of(with_origin(many + "\n y=\"7")), Contains("a broken or repeated attribute"));
  CHECK_THAT(error_of("<robot" + many), Contains("a broken tag"));
  CHECK_THAT(error_of(with_origin(many + " &")), Contains("a broken tag"));
}

TEST_CASE("a chain of very many joints that follow each other is climbed once") {
  const int many_joints = 30000;
  LoadOptions options;
  options.mimic = options.dynamics = true;
  const Model model = parse_urdf(chain(many_joints, "multiplier=\"-1\" offset=\"0.25\""), "r.urdf", options);
  CHECK(model.nv == 1);
  const std::vector<CoordinateMap::Entry>& q = model.coordinate_map->q;
  REQUIRE(q.size() == many_joints);
  for (int k = 0; k < many_joints; k += 999) {  // q, 0.25 − q, q, …
    CHECK(q[static_cast<std::size_t>(k)].index == 0);
    CHECK(q[static_cast<std::size_t>(k)].multiplier == (k % 2 ? -1 : 1));
    CHECK(q[static_cast<std::size_t>(k)].offset == (k % 2 ? 0.25 : 0));
  }
  options.lock = {{"j1", 0.5}};
  CHECK(parse_urdf(chain(many_joints, "multiplier=\"-1\" offset=\"0.25\""), "r.urdf", options).nv == 0);
}

TEST_CASE("very many joints, each of which follows the next one in the file, are locked in one pass") {
  const int many_joints = 30000;
  std::string text = "<robot name=\"r\"><link name=\"l0\"/>\n";
  for (int k = 1; k <= many_joints; ++k) {
    const std::string number = std::to_string(k), next = std::to_string(k + 1);
    text += "<link name=\"l" + number + "\"/><joint name=\"j" + number +
            "\" type=\"continuous\"><parent link=\"l0\"/><child link=\"l" + number + "\"/>" +
            (k == many_joints ? "" : "<mimic joint=\"j" + next + "\"/>") + "</joint>\n";
  }
  LoadOptions options;
  options.mimic = true;
  options.lock = {{"j" + std::to_string(many_joints), 0.5}};
  const Model model = parse_urdf(text + "</robot>\n", "r.urdf", options);
  CHECK(model.nv == 0);
  CHECK(model.links[1].pose.R(1, 0) == Approx(0).margin(1e-15));  // about x
  CHECK(model.links[1].pose.R(2, 1) == Approx(std::sin(0.5)));
}

TEST_CASE("very many kinds of elements that do not enter are noted once each, sorted") {
  std::string text = "<robot name=\"r\"><link name=\"a\">";
  for (int k = 0; k < 100000; ++k) text += "<e" + std::to_string(k % 50000) + "/>";
  LoadReport report;
  parse_urdf(text + "</link></robot>", "r.urdf", {}, &report);
  CHECK(report.ignored.size() == 50000);
  CHECK(std::is_sorted(report.ignored.begin(), report.ignored.end()));
}

TEST_CASE("very many sensors find their links, and those on links that are cut off go") {
  const int many = 20000;
  std::string text = "<robot name=\"r\"><link name=\"l0\"/>";
  for (int k = 1; k <= many; ++k) {
    const std::string number = std::to_string(k);
    text += "<link name=\"l" + number + "\"/><joint name=\"j" + number +
            "\" type=\"fixed\"><parent link=\"l0\"/><child link=\"l" + number + "\"/></joint><sensor name=\"s" + number +
            "\" type=\"gyroscope\"><parent link=\"l" + number + "\"/></sensor>\n";
  }
  LoadOptions options;
  options.cut = {"l7"};
  CHECK(parse_urdf_sensors(text + "</robot>", "r.urdf", options).sensors.size() == many - 1);
}
