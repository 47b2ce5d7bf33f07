// How often `inspect` finds each fault, and how often it finds one where there is none.
//
//   inspection_detection [SEEDS] [PAIRS] [--robot NAME] [--fault NAME] [--first SEED]
// For each of three robots that ship: SEEDS (200) logs without a fault; each with every fault by itself: found where the first
// finding is of the right kind and names the right column; PAIRS (20) logs for each pair of faults on one robot: found where
// both are among the findings. Misses go to the error stream.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

#include "inspection/faults.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

struct Count {
  int found = 0, tried = 0;
};

/// What the sensor meets comes before what is made of its readings: of two faults, the one of the lower stage is put first.
int stage(const Fault& fault) {
  for (const char* name : {"accelerometer without gravity", "tool's weight", "drift of a torque", "drift of a force", "noise"})
    if (fault.name == name) return 0;
  return fault.kind == FindingKind::gap || fault.kind == FindingKind::stuck || fault.kind == FindingKind::saturated ? 2 : 1;
}

bool applies(const Fault& fault, const SensedRobot& robot) { return !fault.base || robot.floating; }

void tell_miss(const SensedRobot& robot, unsigned seed, const std::string& fault, const std::vector<std::string>& columns,
               const Inspection& found) {
  std::fprintf(stderr, "%s %u %s [%s]:", robot.name.c_str(), seed, fault.c_str(),
               columns.empty() ? "" : columns.front().c_str());
  for (const Finding& f : found.findings) std::fprintf(stderr, " %s(%s)", finding_name(f.kind), f.columns.front().c_str());
  for (const Unjudged& u : found.unjudged) std::fprintf(stderr, " unjudged(%s: %s)", u.columns.front().c_str(), u.why.c_str());
  std::fprintf(stderr, "\n");
}

}  // namespace

int main(int argc, char** argv) {
  int numbers[] = {200, 20}, given = 0, first_seed = 1;
  std::string only, only_fault;
  for (int k = 1; k < argc; ++k) {
    if (std::strcmp(argv[k], "--robot") == 0 && k + 1 < argc)
      only = argv[++k];
    else if (std::strcmp(argv[k], "--fault") == 0 && k + 1 < argc)
      only_fault = argv[++k];
    else if (std::strcmp(argv[k], "--first") == 0 && k + 1 < argc)
      first_seed = std::atoi(argv[++k]);
    else if (given < 2)
      numbers[given++] = std::atoi(argv[k]);
  }
  std::map<std::string, std::map<std::string, Count>> table;
  int clean = 0, alarms = 0;
  Count pairs;
  std::map<std::string, Count> worst_pairs;
  for (const char* name : {"arm", "quadruped", "humanoid"}) {
    if (!only.empty() && only != name) continue;
    const SensedRobot robot = sensed_robot(name);
    const System system(robot.model, robot.set);
    for (int seed = first_seed; seed < first_seed + numbers[0]; ++seed) {
      const RecordedLog log = made_log(robot, static_cast<unsigned>(seed));
      const Inspection none = inspect(robot.model, log, &system);
      ++clean;
      if (!none.findings.empty()) ++alarms, tell_miss(robot, static_cast<unsigned>(seed), "clean", {}, none);
      for (const Fault& fault : all_faults()) {
        if (!applies(fault, robot) || (!only_fault.empty() && fault.name != only_fault)) continue;
        RecordedLog faulty = log;
        std::mt19937 rng(static_cast<unsigned>(seed));
        const std::vector<std::string> columns = fault.put(faulty, robot, rng);
        const Inspection found = inspect(robot.model, faulty, &system);
        Count& count = table[fault.name][name];
        ++count.tried;
        if (place_of(found, fault.kind, columns) == 0)
          ++count.found;
        else
          tell_miss(robot, static_cast<unsigned>(seed), fault.name, columns, found);
      }
    }
    if (std::strcmp(name, "quadruped") != 0) continue;
    const std::vector<Fault>& faults = all_faults();
    std::vector<RecordedLog> logs;
    for (int k = 0; k < numbers[1]; ++k) logs.push_back(made_log(robot, static_cast<unsigned>(first_seed + k)));
    for (std::size_t a = 0; a < faults.size(); ++a)
      for (std::size_t b = a + 1; b < faults.size(); ++b) {
        if (faults[a].kind == faults[b].kind) continue;
        Count& count = worst_pairs[faults[a].name + " + " + faults[b].name];
        for (int k = 0; k < numbers[1]; ++k) {
          const int seed = first_seed + k;
          RecordedLog faulty = logs[static_cast<std::size_t>(k)];
          std::mt19937 rng(static_cast<unsigned>(seed) + 1000);
          const bool in_order = stage(faults[a]) < stage(faults[b]);
          const Fault &earlier = faults[in_order ? a : b], &later = faults[in_order ? b : a];
          const std::vector<std::string> first = earlier.put(faulty, robot, rng), second = later.put(faulty, robot, rng);
          const Inspection found = inspect(robot.model, faulty, &system);
          ++count.tried, ++pairs.tried;
          if (place_of(found, earlier.kind, first) >= 0 && place_of(found, later.kind, second) >= 0)
            ++count.found, ++pairs.found;
          else
            tell_miss(robot, static_cast<unsigned>(seed), faults[a].name + " + " + faults[b].name, second, found);
        }
      }
  }
  std::printf("%-28s %-40s %10s %10s %10s\n", "fault", "size", "arm", "quadruped", "humanoid");
  for (const Fault& fault : all_faults()) {
    std::printf("%-28s %-40s", fault.name.c_str(), fault.size.c_str());
    for (const char* name : {"arm", "quadruped", "humanoid"}) {
      const Count& c = table[fault.name][name];
      if (c.tried > 0)
        std::printf(" %4d / %-4d", c.found, c.tried);
      else
        std::printf(" %10s ", "");
    }
    std::printf("\n");
  }
  std::printf("clean logs: %d, with a finding: %d\npairs: %d of %d found\n", clean, alarms, pairs.found, pairs.tried);
  for (const auto& [name, count] : worst_pairs)
    if (count.found * 10 < count.tried * 9) std::printf("  %s: %d / %d\n", name.c_str(), count.found, count.tried);
  return 0;
}
