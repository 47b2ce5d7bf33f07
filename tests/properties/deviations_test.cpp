// Deviations of an Estimator beside 34 digits, on robots and sets that are drawn to be awkward
// (bench/awkward/deviation_errors.cpp draws a hundred thousand samples).
#include <catch2/catch.hpp>

#include "support/awkward_deviations.hpp"

using namespace sparsedyn::test;

TEST_CASE("deviations of awkward robots and sets have the digits that solves have") {
  constexpr double good = 1e-8;
  long compared = 0, samples = 0, failed = 0, unsure = 0, swept_twice = 0;
  for (const double robot : {2., 6., 12.})
    for (const double sigmas : {0., 6., 12.})
      for (unsigned seed = 0; seed < 6; ++seed) {
        const DeviationErrors errors = deviation_errors(seed, {robot, sigmas}, 5);
        samples += errors.samples, failed += errors.failed, swept_twice += errors.swept_twice;
        unsure += errors.unsure;
        for (const DeviationError& e : errors.all) {
          if (e.solves_error() > good) continue;
          CAPTURE(seed, robot, sigmas, e.name, e.truth, e.found, e.solved);
          CHECK(e.error() <= good);
          ++compared;
        }
      }
  CHECK(compared > 20000);
  CHECK(failed < samples / 4);
  CHECK(unsure < samples / 50);
  CHECK(swept_twice > 0);
}

TEST_CASE("a sweep that moves at a few states, though by little, is looked at in each sample") {
  const int samples = 8;
  const DeviationErrors errors = deviation_errors(1050, {6, 12}, samples);
  CHECK(errors.swept_twice == samples);
  for (const DeviationError& e : errors.all) {
    CAPTURE(e.name, e.truth, e.found, e.solved);
    if (e.solves_error() <= 1e-8) CHECK(e.error() <= 1e-8);
  }
}
