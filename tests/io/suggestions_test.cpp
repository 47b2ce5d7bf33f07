#include "io/suggestions.hpp"

#include <catch2/catch.hpp>

using namespace sparsedyn;

TEST_CASE("edits are counted: inserted, deleted, replaced, swapped") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("elbow", "elbow") == 0);
  CHECK(edit_distance("elbow", "Elbow") == 0);
  CHECK(edit_distance("elbow", "ebow") == 1);
  CHECK(edit_distance("elbow", "elboww") == 1);
  CHECK(edit_distance("elbow", "albow") == 1);
  CHECK(edit_distance("elbow", "lebow") == 1);
  CHECK(edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("near names come nearest first, three at most, and far ones not at all") {
  const std::vector<std::string> joints{"panda_joint1", "panda_joint2", "panda_joint3", "panda_joint10", "finger"};
  CHECK(suggestions("panda_jiont2", joints).front() == "panda_joint2");
  CHECK(suggestions("panda_joint", joints).size() == 3);
  CHECK(suggestions("wheel_left_back", joints).empty());
  CHECK(suggestions("ab", {"xy"}).empty());
  CHECK(suggestions_text("fingr", joints) == " (near: finger)");
  CHECK(suggestions_text("nothing_like_it", joints).empty());
}

TEST_CASE("a piece of a name finds the names that hold it: prefixes, suffixes, parts") {
  const std::vector<std::string> joints{"shoulder_pan_joint", "shoulder_link", "RL_calf_joint", "torso_1_joint", "waist"};
  CHECK(suggestions("torso", joints) == std::vector<std::string>{"torso_1_joint"});
  CHECK(suggestions("RL_calf", joints) == std::vector<std::string>{"RL_calf_joint"});
  CHECK(suggestions("RL_claf", joints) == std::vector<std::string>{"RL_calf_joint"});
  CHECK(suggestions("calf_RL", joints) == std::vector<std::string>{"RL_calf_joint"});
  CHECK(suggestions("shoulder_pan", joints).front() == "shoulder_pan_joint");
  CHECK(suggestions("pan_joint", joints).front() == "shoulder_pan_joint");
  CHECK(suggestions("left_waist", joints) == std::vector<std::string>{"waist"});
  const std::vector<std::string> outputs{"tau", "ddq", "tau.left_knee_joint", "ddq.left_knee_joint", "tau.left_hip"};
  CHECK(suggestions("tau.knee", outputs).front() == "tau.left_knee_joint");
  CHECK(suggestions("tau.left_knee", outputs).front() == "tau.left_knee_joint");
}

TEST_CASE("a name is not suggested for itself, nor a single letter for every name that holds it") {
  CHECK(suggestions("tau", {"tau"}).empty());
  CHECK(suggestions("a", {"forearm", "left_hand"}).empty());
  CHECK(suggestions("x_of_something_else", {"x", "of"}).empty());
}

TEST_CASE("lists of names in messages") {
  CHECK(comma_list({}) == "");
  CHECK(comma_list({"a"}) == "a");
  CHECK(comma_list({"a", "b", "c"}) == "a, b, c");
  CHECK(listing({"a", "b", "c"}, 3) == "a, b, c");
  CHECK(listing({"a", "b", "c"}, 1) == "a and 2 more");
}
