#include "spatial/snap.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "sparsedyn/model/model.hpp"

using namespace sparsedyn;

namespace {

void check_orthonormal(const Mat3<double>& R) {
  const Mat3<double> RRt = R * transpose(R);
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) CHECK(RRt(i, k) == Approx(i == k ? 1.0 : 0.0).margin(1e-15));
  const Vec3<double> x{{R(0, 0), R(0, 1), R(0, 2)}}, y{{R(1, 0), R(1, 1), R(1, 2)}}, z{{R(2, 0), R(2, 1), R(2, 2)}};
  CHECK(dot(cross(x, y), z) == Approx(1.0).margin(1e-14));
}

double largest_change(const Mat3<double>& a, const Mat3<double>& b) {
  double worst = 0;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) worst = std::max(worst, std::abs(a(i, k) - b(i, k)));
  return worst;
}

}  // namespace

TEST_CASE("the 24 quarter turns become exact, however they were rounded") {
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < 4; ++b)
      for (int c = 0; c < 4; ++c) {
        Mat3<double> R = rotation_from_rpy({{a * 1.5707963268, b * 1.5707963268, c * -1.5707963268}});
        const Mat3<double> before = R;
        snap(R, 1e-9);
        CHECK(largest_change(R, before) < 1e-9);
        for (int i = 0; i < 3; ++i)
          for (int k = 0; k < 3; ++k) CHECK((R(i, k) == 0.0 || R(i, k) == 1.0 || R(i, k) == -1.0));
        check_orthonormal(R);
      }
}

TEST_CASE("a turn about one axis keeps its angle and gets exact zeros and ones") {
  Mat3<double> R = rotation_from_rpy({{1.57079632679, 0.3, 0}});  // rounded quarter turn, then 0.3 about y
  const Mat3<double> before = R;
  CHECK(snap(R, 1e-9) == 3);
  CHECK(largest_change(R, before) < 1e-10);
  CHECK(R(1, 2) == -1.0);
  CHECK(R(1, 0) == 0.0);
  check_orthonormal(R);
}

TEST_CASE("one entry near zero becomes zero in a matrix that stays orthonormal") {
  Mat3<double> R = rotation_from_rpy({{0.4, 1e-11, -0.7}});
  const Mat3<double> before = R;
  CHECK(snap(R, 1e-9) == 1);
  CHECK(R(2, 0) == 0.0);
  CHECK(largest_change(R, before) < 1e-10);
  check_orthonormal(R);
}

TEST_CASE("small turns that are no rounding stay, and so does everything at tolerance 0") {
  Mat3<double> R = rotation_from_rpy({{0, 0, 3e-5}});  // cos = 1 − 4.5e-10
  const Mat3<double> before = R;
  snap(R, 1e-9);
  CHECK(R(1, 0) == Approx(3e-5).epsilon(1e-9));
  Mat3<double> kept = rotation_from_rpy({{1.5707963, 1e-12, 0}});
  const Mat3<double> original = kept;
  CHECK(snap(kept, 0) == 0);
  CHECK(largest_change(kept, original) == 0);
  CHECK(snap(kept, std::nan("")) == 0);
  CHECK(largest_change(before, rotation_from_rpy({{0, 0, 3e-5}})) == 0);
}

TEST_CASE("any rotation and any tolerance leave a rotation") {
  std::mt19937 rng(5);
  std::uniform_real_distribution<double> angle(-3.2, 3.2), exponent(-16, 0);
  for (int k = 0; k < 2000; ++k) {
    Mat3<double> R = rotation_from_rpy(
        {{k % 3 ? angle(rng) : std::pow(10, exponent(rng)), k % 5 ? angle(rng) : std::pow(10, exponent(rng)), angle(rng)}});
    const double tolerance = std::pow(10, exponent(rng));
    const Mat3<double> before = R;
    snap(R, tolerance);
    check_orthonormal(R);
    CHECK(largest_change(R, before) < 4 * tolerance);
  }
}

TEST_CASE("an axis near a coordinate axis becomes it") {
  Vec3<double> axis{{1e-12, -1.0, 2e-10}};
  CHECK(snap(axis, 1e-9) == 2);
  CHECK(axis[0] == 0.0);
  CHECK(axis[1] == -1.0);
  Vec3<double> oblique{{0.6, 0.8, 0}};
  CHECK(snap(oblique, 1e-9) == 0);
}
