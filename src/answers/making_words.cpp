#include "making_words.hpp"

#include <algorithm>

#include "io/suggestions.hpp"

namespace sparsedyn {

std::vector<std::string> in_words(const SolverMaking& making, const std::string& plan) {
  std::vector<std::string> sentences;
  if (making.plan_solves_only)
    sentences.push_back(plan + ": an order that solves, where deviations or innovations are asked for; another is searched");
  if (making.plan_of_other_numbers)
    sentences.push_back(plan + ": made for a robot of the same structure with other numbers; its health is sampled anew");
  if (making.plan_is_weak)
    sentences.push_back(plan + ": the order is not healthy for this robot's numbers; solutions are checked");
  if (making.search_is_weak) sentences.push_back("no order is healthy at every sampled state; solutions are checked");
  if (!making.left_out.empty()) sentences.push_back(left_out_in_words(making.left_out));
  return sentences;
}

std::vector<std::string> exact_offsets(const System& system) {
  std::vector<std::string> sentences;
  for (const Sensor& s : system.sensors().sensors)
    if (s.bias && std::none_of(s.sigma.begin(), s.sigma.end(), [](double sigma) { return sigma > 0; }))
      sentences.push_back("sensor " + s.name + ": \"bias\" passed over: an offset is estimated where the sensor has a sigma");
  return sentences;
}

std::string left_out_in_words(const std::vector<std::string>& outputs) {
  return "left out, for the sensors do not determine it: " + listing(outputs);
}

}  // namespace sparsedyn
