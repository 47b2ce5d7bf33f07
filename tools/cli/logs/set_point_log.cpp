#include "set_point_log.hpp"

#include <limits>

#include "io/csv_reader.hpp"
#include "io/text/how_many.hpp"
#include "log_columns.hpp"
#include "sparsedyn/io/input_error.hpp"

namespace sparsedyn::cli {
namespace {

/// Where a joint's columns stand among those that are read, or -1.
struct JointColumns {
  int v, q, dq, tau;
};

std::vector<JointColumns> ask_for_joints(const Model& model, LogColumns& columns) {
  std::vector<JointColumns> found;
  int entries = 1;  // after the time
  for (const Joint& joint : model.joints) {
    if (joint.nv != 1) continue;
    const auto ask = [&](const char* kind) {
      const bool there = columns.need_one_of({kind + joint.name}, false, 0.0) != nullptr;
      return ++entries, there ? entries - 1 : -1;
    };
    const int q = ask("q."), dq = ask("dq."), tau = ask("tau.");
    if (q >= 0 || dq >= 0 || tau >= 0) found.push_back({joint.v, q, dq, tau});
  }
  return found;
}

}  // namespace

SetPoints read_set_points(const Model& model, const std::string& path, bool repeat) {
  CsvReader log(path);
  LogColumns columns(log);
  columns.need("time");
  const std::vector<JointColumns> joints = ask_for_joints(model, columns);
  columns.check(model);
  if (joints.empty())
    throw InputError(path, log.header_line(), "header", "no set point of a joint",
                     "q.JOINT, dq.JOINT or tau.JOINT of joints with one freedom");
  SetPoints points;
  points.repeat = repeat;
  for (const JointColumns& joint : joints) points.positions = points.positions || joint.q >= 0 || joint.dq >= 0;
  const std::size_t nv = static_cast<std::size_t>(model.nv);
  double first = 0;
  for (std::size_t row = 0; log.next(); ++row) {
    if (!columns.read()) throw InputError(path, log.line(), "", columns.why(), "numbers, or no such column");
    const std::vector<double>& x = columns.values();
    if (row == 0) first = x[0];
    if (row > 0 && !(x[0] - first > points.time.back()))
      throw InputError(path, log.line(), "time", "not later than the row before", "times that grow");
    points.time.push_back(x[0] - first);
    points.q.resize((row + 1) * nv, std::numeric_limits<double>::quiet_NaN());
    points.v.resize((row + 1) * nv, 0.0), points.tau.resize((row + 1) * nv, 0.0);
    for (const JointColumns& joint : joints) {
      const std::size_t at = row * nv + static_cast<std::size_t>(joint.v);
      if (joint.q >= 0) points.q[at] = x[static_cast<std::size_t>(joint.q)];
      if (joint.dq >= 0) points.v[at] = x[static_cast<std::size_t>(joint.dq)];
      if (joint.tau >= 0) points.tau[at] = x[static_cast<std::size_t>(joint.tau)];
    }
  }
  if (points.time.size() < (repeat ? 2U : 1U))
    throw InputError(path, 0, "", how_many(static_cast<long>(points.time.size()), "row", "rows"),
                     repeat ? "two rows or more, to be repeated" : "a row of set points");
  return points;
}

}  // namespace sparsedyn::cli
