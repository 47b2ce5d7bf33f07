#include "io/text/aligned.hpp"

#include <catch2/catch.hpp>

using namespace sparsedyn;

TEST_CASE("cells stand below each other, letters counted, not bytes") {
  CHECK(aligned({{"joint", "rms", "unit"}, {"Gelenkö", "12.5", ""}, {"β", "7"}}, "lr", "  ", " ") ==
        "  joint    rms unit\n"
        "  Gelenkö 12.5\n"
        "  β          7\n");
  CHECK(letters("β√x") == 3);
  CHECK(aligned({}, "").empty());
  CHECK(aligned({{}, {"", "b"}}, "") == "\n  b\n");
}
