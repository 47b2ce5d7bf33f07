#include "emit_batch.hpp"

#include <map>
#include <utility>

#include "emit_statements.hpp"

namespace sparsedyn {
namespace {

bool any_repeated(const ResultSources& sources) {
  for (const auto& port : sources)
    for (std::size_t e = 0; e < port.size(); ++e)
      if (port[e] != static_cast<int>(e)) return true;
  return false;
}

/// Rows of samples first … first + count - 1 that are not computed in lanes: element and source of each, port by port.
std::string repeat_function(const ResultSources& sources) {
  std::string text = R"(#if defined(@_VECTORS)
static void @_copies(double *x, const int (*rows)[2], int many, long n, long count) {
  for (int i = 0; i < many; ++i) {
    if (rows[i][1] < 0)
      memset(x + rows[i][0] * n, 0, (size_t)count * sizeof *x);
    else
      memcpy(x + rows[i][0] * n, x + rows[i][1] * n, (size_t)count * sizeof *x);
  }
}

static void @_repeat(double *const *res, long n, long first, long count) {
)";
  for (std::size_t k = 0; k < sources.size(); ++k) {
    std::string rows;
    int many = 0;
    for (std::size_t e = 0; e < sources[k].size(); ++e) {
      if (sources[k][e] == static_cast<int>(e)) continue;
      rows += (many % 16 ? ", {" : many ? ",\n    {" : "{") + std::to_string(e) + ", " + std::to_string(sources[k][e]) + "}";
      ++many;
    }
    if (many == 0) continue;
    const std::string name = "rows" + std::to_string(k);
    text += "  static const int " + name + "[][2] = {" + rows + "};\n  @_copies(res[" + std::to_string(k) + "] + first, " +
            name + ", " + std::to_string(many) + ", n, count);\n";
  }
  return text + "}\n#endif\n\n";
}

std::string one_function(const Program& program) {
  std::string text =
      "static @_APART void @_one(const double *const *arg, double *const *res, long n, long s) {\n"
      "  const double *in[" +
      std::to_string(program.inputs().size() + 1) +
      "];\n"
      "  double *out[" +
      std::to_string(program.outputs().size() + 1) + "];\n";
  const auto gather = [&](const std::vector<Port>& ports, const std::string& from, const std::string& to, bool inwards) {
    for (std::size_t k = 0; k < ports.size(); ++k) {
      const std::string i = std::to_string(k), count = std::to_string(ports[k].elements.size()), local = to + i + "[e]";
      const std::string given = from + "[" + i + "]", element = given + "[e * n + s]";
      text += "  if (" + given + ")\n    for (long e = 0; e < " + count + "; ++e) " +
              (inwards ? local + " = " + element : element + " = " + local) + ";\n";
    }
  };
  const auto declare = [&](const std::vector<Port>& ports, const std::string& list, const std::string& from) {
    for (std::size_t k = 0; k < ports.size(); ++k) {
      const std::string i = "[" + std::to_string(k) + "]", local = list + std::to_string(k);
      text += array("double", local, ports[k].elements.size()) + "  " + list + i + " = " + from + i + " ? " + local + " : 0;\n";
    }
  };
  declare(program.inputs(), "in", "arg");
  declare(program.outputs(), "out", "res");
  gather(program.inputs(), "arg", "in", true);
  text += "  if (@(in, out, 0, 0, 0)) {\n";
  for (std::size_t k = 0; k < program.outputs().size(); ++k)
    text += "    for (long e = 0; e < " + std::to_string(program.outputs()[k].elements.size()) + "; ++e) out" +
            std::to_string(k) + "[e] = NAN;\n";
  text += "  }\n";
  gather(program.outputs(), "res", "out", false);
  return text + "}\n\n";
}

/// Whether every vector that has elements is given, in C.
std::string all_given(const Program& program) {
  std::string text = "1";
  const auto add = [&](const std::vector<Port>& ports, const std::string& from) {
    for (std::size_t k = 0; k < ports.size(); ++k)
      if (!ports[k].elements.empty()) text += " && " + from + "[" + std::to_string(k) + "]";
  };
  add(program.inputs(), "arg");
  add(program.outputs(), "res");
  return text;
}

const char* const kBatch = R"(void @_batch(const double *const *arg, double *const *res, long n) {
  long s = 0;
#if defined(@_VECTORS)
  const int given = $GIVEN;
  while (given && n >= @_LANES && s < n) {
    const long first = s + @_LANES <= n ? s : n - @_LANES; /* at the end some lanes again: the same results, written twice */
    s = first + @_LANES;
    if (!@_lanes(arg, res, n, first))
      for (long k = first; k < s; ++k) @_one(arg, res, n, k);
$REPEAT  }
#endif
  for (; s < n; ++s) @_one(arg, res, n, s);
}
)";

/// After as many samples as fill a page of each row.
const char* const kRepeat = R"(    if (s % 512 == 0 || s == n) {
      const long start = (s - 1) / 512 * 512;
      @_repeat(res, n, start, s - start);
    }
)";

}  // namespace

ResultSources result_sources(const Program& program) {
  ResultSources sources;
  for (const std::vector<Ref>& results : program.results()) {
    std::vector<int> from(results.size());
    std::map<std::pair<int, bool>, int> first;
    for (std::size_t e = 0; e < results.size(); ++e) {
      const Node& n = program.nodes()[results[e].node];
      const bool zero = n.op == Op::constant && n.value == 0;
      from[e] =
          zero ? -1 : first.emplace(std::make_pair(results[e].node, results[e].negative), static_cast<int>(e)).first->second;
    }
    sources.push_back(from);
  }
  return sources;
}

std::string emit_batch(const Program& program, const ResultSources& sources) {
  const bool repeated = any_repeated(sources);
  std::string batch = kBatch;
  batch.replace(batch.find("$REPEAT"), 7, repeated ? kRepeat : "");
  batch.replace(batch.find("$GIVEN"), 6, all_given(program));
  return one_function(program) + (repeated ? repeat_function(sources) : "") + batch;
}

}  // namespace sparsedyn
