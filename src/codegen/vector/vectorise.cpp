#include "vectorise.hpp"

#include <algorithm>
#include <utility>

#include "isomorphic_subtrees.hpp"
#include "superword_program.hpp"

namespace sparsedyn {
namespace {

int& body_of(int& body) { return body; }
int& body_of(AxisShare& share) { return share.body; }

/// All of equal branches as the first of them.
MinimalFormulation alike(MinimalFormulation f, const std::vector<IsomorphicSubtrees>& branches) {
  const MinimalOptions chosen = f.tree;
  const auto copy = [](const auto& first, auto& list, int from, int to) {
    list.erase(std::remove_if(list.begin(), list.end(), [&](auto x) { return body_of(x) == to; }), list.end());
    for (auto x : first)
      if (body_of(x) == from) body_of(x) = to, list.push_back(x);
  };
  for (const IsomorphicSubtrees& e : branches)
    for (int i = 0; i < e.bodies; ++i)
      for (int first : e.first) {
        copy(chosen.apart, f.tree.apart, e.first.front() + i, first + i);
        copy(chosen.other_shift, f.tree.other_shift, e.first.front() + i, first + i);
        copy(chosen.shares, f.tree.shares, e.first.front() + i, first + i);
        f.eliminate[first + i] = f.eliminate[e.first.front() + i];
      }
  return f;
}

std::shared_ptr<const SuperwordProgram> superwords_of(Recorder& recorder, int lanes, const Program& program) {
  return superword_program(recorder.graph(), recorder.calls(), recorder.results(), recorder.any_order(), lanes, program);
}

/// Where as many equal branches are lanes: each cyclic change of their places is a recording.
std::shared_ptr<const SuperwordProgram> branches_in_lanes(const Model& model, const MinimalFormulation& f,
                                                          const RecordMinimal& record, int lanes, const Program& program) {
  const std::vector<IsomorphicSubtrees> branches = isomorphic_subtrees(model, lanes);
  if (branches.empty()) return nullptr;
  Recorder recorder;
  recorder.tolerate(1e-14);  // sums over branches in other orders are one
  recorder.keep_calls(1);
  std::vector<std::size_t> begins;
  for (int l = 0; l < lanes; ++l) {
    begins.push_back(recorder.calls().all.size());
    record(recorder, changed_places(model, branches, l), alike(f, branches));
    recorder.again();
  }
  recorder.calls().add_lane_loop(begins);
  return superwords_of(recorder, lanes, program);
}

/// Where what the algorithm does side by side is lanes.
std::shared_ptr<const SuperwordProgram> freedoms_in_lanes(const Model& model, const MinimalFormulation& f,
                                                          const RecordMinimal& record, const Program& program) {
  constexpr int lanes = 8;
  Recorder recorder;
  recorder.keep_calls(lanes);
  record(recorder, model, f);
  return recorder.calls().for_each_lane.empty() ? nullptr : superwords_of(recorder, lanes, program);
}

/// The same with the elements of its outputs as the vectors have them.
Program in_order_of(const SuperwordProgram& superwords, const Program& program) {
  std::vector<Port> outputs = program.outputs();
  std::vector<std::vector<Ref>> results = program.results();
  for (std::size_t k = 0; k < outputs.size(); ++k)
    for (std::size_t e = 0; e < superwords.elements[k].size(); ++e) {
      const auto from = static_cast<std::size_t>(superwords.elements[k][e]);
      outputs[k].elements[e] = program.outputs()[k].elements[from], results[k][e] = program.results()[k][from];
    }
  return Program(program.nodes(), program.body(), program.angles(), program.inputs(), std::move(outputs), std::move(results));
}

}  // namespace

VectorisedProgram vectorised(const Model& model, const MinimalFormulation& f, const RecordMinimal& record,
                             const Program& program) {
  std::shared_ptr<const SuperwordProgram> best = freedoms_in_lanes(model, f, record, program);
  for (int lanes : {8, 4, 2})
    if (auto found = branches_in_lanes(model, f, record, lanes, program); found && (!best || cost(*found) < cost(*best)))
      best = std::move(found);
  if (!best) return {program, nullptr};
  Program ordered = in_order_of(*best, program);
  return {std::move(ordered), std::move(best)};
}

}  // namespace sparsedyn
