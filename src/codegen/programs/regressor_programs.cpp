#include "regressor_programs.hpp"

#include <string>
#include <vector>

#include "sparsedyn/dynamics/regressor.hpp"

namespace sparsedyn {
namespace {

using Expressions = std::vector<Expr>;

struct RecordedState {
  RecordedState(Recorder& recorder, const Model& model)
      : q(recorder.coordinates(model)),
        v(recorder.input("dq", prefixed("dq.", velocity_names(model)))),
        a(recorder.input("ddq", prefixed("ddq.", velocity_names(model)))) {}
  Expressions q, v, a;
};

}  // namespace

void record_regressor_times(Recorder& recorder, const Model& model, const MinimalFormulation&, bool) {
  const RecordedState s(recorder, model);
  const Expressions pi = recorder.input("pi", prefixed("pi.", parameter_names(model)));
  RegressorWorkspace<Expr> work(model);
  Expressions tau(static_cast<std::size_t>(model.nv));
  regressor_times(model, work, s.q.data(), s.v.data(), s.a.data(), pi.data(), tau.data());
  recorder.output("tau", prefixed("tau.", force_names(model)), tau);
}

void record_regressor_transposed_times(Recorder& recorder, const Model& model, const MinimalFormulation&, bool) {
  const RecordedState s(recorder, model);
  const Expressions lambda = recorder.input("lambda", prefixed("lambda.", velocity_names(model)));
  RegressorWorkspace<Expr> work(model);
  Expressions out(static_cast<std::size_t>(work.index.count));
  regressor_transposed_times(model, work, s.q.data(), s.v.data(), s.a.data(), lambda.data(), out.data());
  recorder.output("Yt_lambda", prefixed("Yt_lambda.", parameter_names(model)), out);
}

}  // namespace sparsedyn
