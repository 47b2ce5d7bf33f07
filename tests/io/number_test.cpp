#include "io/number.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>

using namespace sparsedyn;

TEST_CASE("decimal numbers of every form are read") {
  const std::pair<const char*, double> forms[] = {{"0", 0},
                                                  {"-0", 0},
                                                  {"+1.5", 1.5},
                                                  {"1.", 1},
                                                  {".5", 0.5},
                                                  {"-.5e1", -5},
                                                  {"1e3", 1000},
                                                  {"1E+3", 1000},
                                                  {"1e-3", 1e-3},
                                                  {"00012", 12},
                                                  {"1e-400", 0},
                                                  {"-1e-400", 0},
                                                  {"0e999", 0},
                                                  {"5e-324", 5e-324},
                                                  {"1.7976931348623157e308", 1.7976931348623157e308},
                                                  {"0.000e99999999999999999999", 0},
                                                  {"0.0000000001e310", 1e300},
                                                  {"123456789012345678901234567890", 1.2345678901234568e29}};
  for (const auto& [text, expected] : forms) {
    INFO(text);
    double value = 7;
    CHECK(read_number(text, value) == NumberText::number);
    CHECK(value == expected);
  }
}

TEST_CASE("other text is no number and leaves the value alone") {
  for (const char* text : {"",     "+",   "-",  ".",  "e5", "1e",    "1e+", "nan", "NaN",   "inf", "INF", "-INF",
                           "0x10", "1,5", "1 ", " 1", "1f", "1e5.0", "--1", "+-1", "1_000", "1d0", "one"}) {
    INFO(text);
    double value = 7;
    CHECK(read_number(text, value) == NumberText::not_a_number);
    CHECK(value == 7);
  }
}

TEST_CASE("what overflows is told apart from what underflows") {
  double value = 7;
  for (const char* text : {"1e999", "-1e309", "1e99999999999999999999", "1000000000000e300", "0.001e312"})
    CHECK(read_number(text, value) == NumberText::too_large);
  CHECK(value == 7);
  CHECK(read_number("0.0000000000001e-320", value) == NumberText::number);
  CHECK(value == 0);
}

TEST_CASE("numbers are written so that they read back exactly") {
  std::mt19937_64 rng(3);
  for (int k = 0; k < 10000; ++k) {
    const std::uint64_t bits = rng();
    double x;
    std::memcpy(&x, &bits, sizeof x);
    if (!std::isfinite(x)) continue;
    double back = 0;
    REQUIRE(read_number(number_text(x), back) == NumberText::number);
    REQUIRE(back == x);
    REQUIRE(std::strtod(number_text(x).c_str(), nullptr) == x);
  }
}
