// A plan whose parts contradict each other is refused, with the line of the part: each case is a file that an earlier version
// wrote, with one change.
#include <catch2/catch.hpp>

#include "io/text_file.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/json/document.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/system/formulation.hpp"
#include "sparsedyn/system/system.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/robots.hpp"
#include "support/temporary_folder.hpp"

using namespace sparsedyn;
using Catch::Contains;

namespace {

std::string written_plan() { return test::text_of(test::source_folder() + "/tests/json/written/plan-0.1-numbers.json"); }

std::string changed(const std::string& from, const std::string& to) {
  std::string text = written_plan();
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

/// What reading the plan for the arm's forward dynamics ends with; empty where it is taken.
std::string error_of_plan(const std::string& text) {
  static const Model model = load_urdf(test::source_folder() + "/robots/arm.urdf");
  static const System system(model, load_sensor_set("forward-dynamics"));
  const test::TemporaryFolder folder;
  try {
    load_plan(folder.file("plan.json", text), system);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

/// The order of the rows from last to first: the first pivots are then entries that are zero at every state.
std::string with_rows_reversed(const std::string& text) {
  const std::size_t begin = text.find("\"rows\": [") + 9, end = text.find(']', begin);
  std::string reversed;
  std::size_t last = end;
  for (std::size_t comma = text.rfind(',', end); comma != std::string::npos && comma > begin;
       comma = text.rfind(',', comma - 1)) {
    reversed += text.substr(comma + 1, last - comma - 1) + ",";
    last = comma;
  }
  return text.substr(0, begin) + reversed + text.substr(begin, last - begin) + text.substr(end);
}

json::Document parsed(const std::string& text) { return json::Document::parse(text, "plan.json"); }

}  // namespace

TEST_CASE("a plan whose parts contradict each other is refused with its line") {
  REQUIRE(error_of_plan(written_plan()) == "");
  CHECK_THAT(error_of_plan(changed("\"healthy\":true", "\"healthy\":false")),
             Contains("plan.json:12: ") && Contains("expected what states and worst_backward_error say"));
  CHECK_THAT(error_of_plan(changed("\"mul\":910", "\"mul\":911")),
             Contains("plan.json:11: ") && Contains("operations that this order does not cost; expected the order's own cost"));
  CHECK_THAT(error_of_plan(changed("\"fill\": 288", "\"fill\": 287")),
             Contains("plan.json:10: ") && Contains("287; expected 288"));
  CHECK_THAT(error_of_plan(with_rows_reversed(written_plan())),
             Contains("plan.json:13: ") && Contains("expected pivots that can be nonzero"));
}

TEST_CASE("a plan says with which snap and formulation its robot was read, or what it says is refused") {
  CHECK(snap_of_plan(parsed(written_plan())) == 1e-9);  // what was meant before plans recorded it
  CHECK(snap_of_plan(parsed(changed("\"fill\"", "\"snap\": 0,\n\"fill\""))) == 0);
  CHECK_THROWS_WITH(snap_of_plan(parsed(changed("\"fill\"", "\"snap\": -1,\n\"fill\""))),
                    Contains("plan.json:10: snap: -1; expected a number ≥ 0"));
  CHECK(formulation_name(formulation_of_plan(parsed(written_plan()))) == "newton-euler");
  CHECK_THROWS_WITH(formulation_of_plan(parsed(changed("\"fill\"", "\"formulation\": \"newton\",\n\"fill\""))),
                    Contains("plan.json:10: formulation: \"newton\"; expected "));
}
