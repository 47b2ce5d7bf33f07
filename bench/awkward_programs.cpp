// How exact generated programs are on robots and states drawn to be awkward (tests/support/awkward_robots.hpp), beside the
// algorithms' templates on the same robots: errors over the largest entry of each result, against 113 bits.
//   bench_awkward_programs [ROBOTS [STATES [FIRST_SEED [DECADES]]]]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>

#include "sparsedyn/codegen/programs.hpp"
#include "support/program_accuracy.hpp"

namespace {

using namespace sparsedyn;
using namespace sparsedyn::test;

struct Worst {
  double error = 0, beside = 0;  // of the program, and Accuracy::floor() at the same state
  unsigned robot = 0, state = 0;
};

struct Row {
  long evaluations = 0, singular = 0, lossy = 0;  // lossy: error over 100 times Accuracy::floor()
  double algorithm = 0;                           // the template's worst
  Worst absolute, relative, constants;
};

void add(Row& row, const Accuracy& a, unsigned robot, unsigned state) {
  if (a.singular) return static_cast<void>(++row.singular);
  ++row.evaluations;
  const double floor = a.floor();
  row.lossy += a.program > 100 * floor;
  row.algorithm = std::max(row.algorithm, a.algorithm);
  if (a.program > row.absolute.error) row.absolute = {a.program, floor, robot, state};
  if (a.constants > row.constants.error) row.constants = {a.constants, floor, robot, state};
  if (a.program / floor > row.relative.error) row.relative = {a.program / floor, a.program, robot, state};
}

unsigned argument(int argc, char** argv, int k, unsigned otherwise) {
  return argc > k ? static_cast<unsigned>(std::strtoul(argv[k], nullptr, 10)) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned robots = argument(argc, argv, 1, 100), states = argument(argc, argv, 2, 50),
                 first = argument(argc, argv, 3, 0);
  AwkwardOptions options;
  options.kinds = {JointKind::revolute, JointKind::continuous, JointKind::prismatic, JointKind::universal, JointKind::fixed};
  options.decades = argument(argc, argv, 4, 12);
  std::map<std::string, Row> rows;
  for (unsigned r = first; r < first + robots; ++r) {
    const AwkwardRobot robot = awkward_robot(r, options);
    for (const std::string& algorithm : judged_algorithms()) {
      try {
        const Program program = algorithm_program(robot.model, algorithm);
        for (unsigned s = 0; s < states; ++s)
          add(rows[algorithm], accuracy(robot.model, algorithm, program, awkward_state(robot, s)), r, s);
      } catch (const std::exception& e) {
        std::printf("%s, robot %u: %s\n", algorithm.c_str(), r, e.what());
      }
    }
  }
  std::printf("%-17s %8s %8s | %8s %8s robot state | %8s robot state | %8s %8s robot state | %s\n", "algorithm", "states",
              "singular", "program", "floor", "constants", "ratio", "error", "over 100");
  for (const std::string& algorithm : judged_algorithms()) {
    const Row& x = rows[algorithm];
    std::printf("%-17s %8ld %8ld | %8.1e %8.1e %5u %5u | %8.1e  %5u %5u | %8.1e %8.1e %5u %5u | %ld\n", algorithm.c_str(),
                x.evaluations, x.singular, x.absolute.error, x.absolute.beside, x.absolute.robot, x.absolute.state,
                x.constants.error, x.constants.robot, x.constants.state, x.relative.error, x.relative.beside, x.relative.robot,
                x.relative.state, x.lossy);
  }
}
