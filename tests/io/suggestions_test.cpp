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
