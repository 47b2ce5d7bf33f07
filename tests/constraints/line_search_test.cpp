// How far Newton's step goes: to where the cost's slope vanishes, and where slopes are rounding, its own length.
#include <catch2/catch.hpp>

#include "constraints/contact_law.hpp"

namespace sparsedyn {
namespace {

/// Slopes along a step that are linear: at its end, and how they grow.
struct LinearSlopes {
  double at_end, growth;
};

using law_rows = LinearSlopes;
#undef LAW_SLOPE
#define LAW_SLOPE(rows, ahead, alpha, first, second) \
  (*(first) = (rows)->at_end + ((alpha)-1) * (rows)->growth, *(second) = (rows)->growth)
#include "constraints/line_search.h"
#undef LAW_SLOPE

double length_of(const LinearSlopes& slopes, const double (&ahead)[4]) {
  double length = 1;
  law_length(&slopes, ahead, 1, 1e-10, &length);
  return length;
}

}  // namespace

TEST_CASE("Newton's step ends where the slope along it vanishes") {
  CHECK(length_of({-0.5, 0.5}, {-1, 0.25, -1, 1}) == Approx(2));
  CHECK(length_of({0.5, 1.5}, {-1, 0, -1, 1}) == Approx(2 / 3.0));  // of what M does not tell of
}

TEST_CASE("Newton's step has its own length where it does not descend, since what it does then is rounding") {
  // of a robot at rest, whose hard loop is held to 1e-12 by then: far along such a step a, j and λ are lost
  CHECK(length_of({-8.68e-27, -1.13559e-22}, {-1.87673e-11, -5.18821e-22, 1.13567e-22, 1.13423e-10}) == 1);
  CHECK(length_of({-8.68e-27, -1e-24}, {-1.87673e-11, -1e-24, -1.13567e-22, 1.13423e-10}) == 1);
}

}  // namespace sparsedyn
