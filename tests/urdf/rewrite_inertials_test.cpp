// A URDF whose inertias are replaced, and nothing else.
#include "urdf/rewrite_inertials.hpp"

#include <catch2/catch.hpp>

#include "sparsedyn/urdf/load.hpp"

using namespace sparsedyn;

namespace {

const std::string robot_text = R"(<?xml version="1.0"?>
<!-- <link name="arm"><inertial/></link> a comment -->
<robot name="r"	>
  <link name='base'/>
  <link   name = "arm" >
    <visual><geometry><box size="1 1 1"/></geometry></visual><!-- <inertial> -->
    <inertial>
      <origin xyz="0 0 1"/> <!-- drawn -->
      <mass value="1"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>
    </inertial>
    <sensor name="a>b"/>
  </link>
  <joint name="j" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/><limit effort="1" velocity="1" lower="-1" upper="1"/></joint>
  <link name="tip"><visual/></link>
  <joint name="k" type="continuous"><parent link="arm"/><child link="tip"/></joint>
  <link name="end" />
  <joint name="l" type="continuous"><parent link="tip"/><child link="end"/></joint>
</robot>
)";

Inertia<double> heavy(double mass) { return inertia_about_com(mass, {{0.1, -0.2, 0.3}}, {0.5, 0.01, -0.02, 0.6, 0.03, 0.7}); }

void check_equal(const Inertia<double>& x, const Inertia<double>& y) {
  CHECK(x.m == Approx(y.m));
  for (int k = 0; k < 3; ++k) CHECK(x.h[k] == Approx(y.h[k]));
  CHECK(x.moments.xx == Approx(y.moments.xx));
  CHECK(x.moments.xy == Approx(y.moments.xy).margin(1e-15));
  CHECK(x.moments.xz == Approx(y.moments.xz));
  CHECK(x.moments.yy == Approx(y.moments.yy));
  CHECK(x.moments.yz == Approx(y.moments.yz));
  CHECK(x.moments.zz == Approx(y.moments.zz));
}

}  // namespace

TEST_CASE("rewrite_inertials: replaced, added to open and empty links, taken away") {
  const std::string changed = rewrite_inertials(robot_text, {{"arm", heavy(2)}, {"tip", heavy(3)}, {"end", heavy(4)}});
  const Model model = parse_urdf(changed, "changed");
  check_equal(model.links[1].inertia, heavy(2));
  check_equal(model.links[2].inertia, heavy(3));
  check_equal(model.links[3].inertia, heavy(4));
  const std::string removed = rewrite_inertials(changed, {{"arm", std::nullopt}});
  CHECK(parse_urdf(removed, "removed").links[1].inertia.m == 0);
  CHECK(removed.find("<!-- drawn -->") == std::string::npos);
}

TEST_CASE("rewrite_inertials: what is not named stays, to the byte") {
  CHECK(rewrite_inertials(robot_text, {}) == robot_text);
  CHECK(rewrite_inertials(robot_text, {{"nobody", heavy(1)}}) == robot_text);
  const std::string changed = rewrite_inertials(robot_text, {{"arm", heavy(2)}});
  const std::size_t begin = robot_text.find("    <inertial>\n"), end = robot_text.find("    <sensor");
  CHECK(changed.substr(0, begin) == robot_text.substr(0, begin));
  CHECK(changed.substr(changed.find("    <sensor")) == robot_text.substr(end));
}
