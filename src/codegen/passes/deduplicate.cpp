#include "deduplicate.hpp"

namespace sparsedyn {

DeduplicatedProgram deduplicated(const Program& program) {
  struct Written {
    const std::string* name = nullptr;
    bool negative = false;
  };
  std::vector<Written> written(program.nodes().size());
  std::vector<Port> ports;
  std::vector<std::vector<Ref>> results;
  std::vector<std::string> equal;
  for (std::size_t k = 0; k < program.outputs().size(); ++k) {
    const Port& port = program.outputs()[k];
    ports.push_back({port.name, {}});
    results.emplace_back();
    for (std::size_t e = 0; e < port.elements.size(); ++e) {
      const Ref value = program.results()[k][e];
      Written& first = written[static_cast<std::size_t>(value.node)];
      if (first.name) {
        equal.push_back(port.elements[e] + (first.negative == value.negative ? " = " : " = -") + *first.name);
        continue;
      }
      first = {&port.elements[e], value.negative};
      ports.back().elements.push_back(port.elements[e]);
      results.back().push_back(value);
    }
  }
  return {Program(program.nodes(), program.body(), program.angles(), program.inputs(), std::move(ports), std::move(results)),
          std::move(equal)};
}

}  // namespace sparsedyn
