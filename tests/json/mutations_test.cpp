// A valid sensor set, spoilt in a thousand ways: a system or an InputError, never anything else.
#include <catch2/catch.hpp>
#include <random>

#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/system/system.hpp"
#include "support/robots.hpp"

using namespace sparsedyn;

namespace {

const char* const valid_set = R"({"name": "victim", "unknown": ["fx.pad1"], "prior": {"ddq": 100, "fx": 1000},
 "sensors": [
  {"name": "motors", "type": "joint_torque", "joint": "*", "except": ["base", "joint2"], "sigma": 0.1},
  {"name": "free", "type": "joint_torque", "joint": "base", "value": 0},
  {"name": "still", "type": "joint_acceleration", "joint": ["joint2"], "value": [0]},
  {"name": "air", "type": "external_wrench", "link": "*", "except": ["link3"], "value": 0},
  {"name": "hand", "type": "external_wrench", "link": "link3", "xyz": [0, 0, -0.01], "rpy": [0.1, 0, 1.57],
   "components": ["fx", "nz"], "sigma": [1, 0.05]}]}
)";

const char* const tokens[] = {"\"*\"",    "null",        "true",        "-1",        "1e999",         "1e308",
                              "0",        "[]",          "{}",          "[\"\"]",    "\"\"",          "\"base\"",
                              "link3",    "\"joint2\"",  "\"nz\"",      "[1, 2, 3]", "\"load_cell\"", "\"contact\"",
                              "\"name\"", ",",           "\"unknown\"", "\"dof\"",   "[[0]]",         "1e-320",
                              "NaN",      "\"\\u0000\"", "\"\\ud800\""};

/// Where the strings, numbers and brackets of the text begin and end.
std::vector<std::pair<std::size_t, std::size_t>> pieces(const std::string& text) {
  std::vector<std::pair<std::size_t, std::size_t>> out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::size_t end = i + 1;
    if (text[i] == '"') end = text.find('"', i + 1) + 1;
    if (std::isalnum(static_cast<unsigned char>(text[i]))) end = text.find_first_of(",]} \n", i);
    if (text[i] != ' ' && text[i] != '\n') out.push_back({i, end});
    i = end - 1;
  }
  return out;
}

std::string spoilt(std::mt19937& rng) {
  std::string text = valid_set;
  for (unsigned k = 0; k <= rng() % 2; ++k) {
    const auto all = pieces(text);
    const auto [begin, end] = all[rng() % all.size()];
    const auto [other, other_end] = all[rng() % all.size()];
    switch (rng() % 5) {
      case 0: text.erase(begin, end - begin); break;
      case 1: text.insert(other, text.substr(begin, end - begin)); break;
      case 2: text.replace(begin, end - begin, text.substr(other, other_end - other)); break;
      case 3: text[rng() % text.size()] = static_cast<char>(rng()); break;
      default: text.replace(begin, end - begin, tokens[rng() % (sizeof tokens / sizeof *tokens)]);
    }
  }
  return text;
}

}  // namespace

TEST_CASE("sensor sets with random changes are read or refused, never a crash") {
  test::TreeOptions options;
  options.floating = true;
  const Model model = test::random_tree(4, 3, options);
  REQUIRE_NOTHROW(System(model, parse_sensor_set(valid_set, "set.json")));
  int accepted = 0;
  const int mutations = 4000;
  for (unsigned seed = 0; seed < mutations; ++seed) {
    std::mt19937 rng(seed);
    const std::string text = spoilt(rng);
    INFO("seed " << seed << "\n" << text);
    try {
      const System system(model, parse_sensor_set(text, "spoilt.json"));
      CHECK(system.unknowns().size() > 0);
      ++accepted;
    } catch (const InputError& error) {
      CHECK_THAT(error.what(), Catch::StartsWith("spoilt.json:"));
    }
  }
  CHECK(accepted > 20);  // most single changes break a set, too
  CHECK(accepted < mutations);
}
