#include "contact_layout.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "constraints/inertia_factor.hpp"
#include "sparsedyn/model/coordinate_map.hpp"
#include "sparsedyn/model/detail/joint.hpp"

namespace sparsedyn {
namespace {

/// The distance to a stop, sign (q_t − limit) with q_t = m q + o, in the coordinate q that is left.
JointRow joint_row(const Model& model, const RowBlock& block, double sign, double limit) {
  const int k = block.coordinate[0];
  const CoordinateMap::Entry e =
      model.coordinate_map ? model.coordinate_map->q[static_cast<std::size_t>(k)] : CoordinateMap::Entry{k, 1, 0};
  return {&block, block.freedom[0], sign, sign * block.ratio[0], sign * (e.offset - limit), e.index};
}

void sort_block(const Model& model, const RowBlock& block, ContactLayout& layout) {
  switch (block.type) {
    case ConstraintType::contact: layout.contacts.push_back(&block); return;
    case ConstraintType::limit:
      for (int side = 0; side < 2; ++side) {
        const double limit = side == 0 ? block.lower : block.upper;
        if (std::isfinite(limit)) layout.joint_rows.push_back(joint_row(model, block, side == 0 ? 1.0 : -1.0, limit));
      }
      return;
    case ConstraintType::dry_friction: layout.joint_rows.push_back(joint_row(model, block, 1, 0)); return;
    case ConstraintType::connect:
    case ConstraintType::weld:
    case ConstraintType::joint: layout.loops.push_back(&block); return;
    default: break;
  }
  throw std::invalid_argument("constraint \"" + block.name + "\": of a type that generated contact dynamics do not know");
}

template <class T, class Same>
int place_of(std::vector<T>& all, const T& x, Same same) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const T& y) { return same(x, y); });
  if (found != all.end()) return static_cast<int>(found - all.begin());
  all.push_back(x);
  return static_cast<int>(all.size()) - 1;
}

bool equal_axes(const Mat3<double>& a, const Mat3<double>& b) {
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c)
      if (a(r, c) != b(r, c)) return false;
  return true;
}

/// Elimination from the last on ties together all that a freedom meets.
std::vector<std::vector<int>> met_before(const Model& model, const ContactLayout& layout) {
  std::vector<std::vector<int>> coupled;
  for (const RowBlock* loop : layout.loops) coupled.push_back(loop->freedoms);
  const std::vector<std::vector<int>> tied = tied_freedoms(model, coupled);
  std::vector<std::set<int>> near(tied.size());
  for (std::size_t k = 0; k < tied.size(); ++k)
    for (int i : tied[k])
      if (i < static_cast<int>(k)) near[k].insert(i);
  std::vector<std::vector<int>> before(tied.size());
  for (std::size_t k = tied.size(); k-- > 0;) {
    before[k].assign(near[k].rbegin(), near[k].rend());
    for (int i : before[k])
      for (int j : before[k])
        if (j < i) near[static_cast<std::size_t>(i)].insert(j);
  }
  return before;
}

void find_moved(const Model& model, const std::vector<RowBlock>& blocks, ContactLayout& layout) {
  std::set<int> moved;
  for (const RowBlock& block : blocks) moved.insert(block.freedoms.begin(), block.freedoms.end());
  // With what these meet, what those meet and so on: a follower ties branches, so that a leader's way is met by steps alone.
  for (auto i = moved.rbegin(); i != moved.rend(); ++i) {
    const std::vector<int>& way = layout.before[static_cast<std::size_t>(*i)];
    moved.insert(way.begin(), way.end());
  }
  layout.moved.assign(moved.begin(), moved.end());
  layout.place.assign(static_cast<std::size_t>(model.nv), -1);
  for (std::size_t k = 0; k < layout.moved.size(); ++k)
    layout.place[static_cast<std::size_t>(layout.moved[k])] = static_cast<int>(k);
  for (int k = 0; k < model.nv; ++k)
    if (layout.place[static_cast<std::size_t>(k)] < 0) layout.others.push_back(k);
  for (int t = 0; t < model.tree().nv; ++t)
    if (layout.place[static_cast<std::size_t>(entry_of(model, t).index)] >= 0) layout.columns.push_back(t);
}

}  // namespace

ContactLayout contact_layout(const Model& model, const std::vector<RowBlock>& blocks) {
  ContactLayout layout;
  for (const RowBlock& block : blocks) sort_block(model, block, layout);
  layout.before = met_before(model, layout);
  find_moved(model, blocks, layout);
  std::set<int> joint_freedoms;
  for (const JointRow& row : layout.joint_rows) joint_freedoms.insert(row.freedom);
  layout.joint_freedoms.assign(joint_freedoms.begin(), joint_freedoms.end());
  for (const RowBlock* contact : layout.contacts) {
    layout.damping = layout.contacts[0]->pull.B;
    layout.one_damping = layout.one_damping && contact->pull.B == layout.damping;
    const int body = model.links[static_cast<std::size_t>(contact->link[0])].body;
    layout.contact_body.push_back(place_of(layout.bodies, body, [](int a, int b) { return a == b; }));
    layout.contact_plane.push_back(place_of(layout.planes, contact->plane, equal_axes));
    layout.directions = std::max(layout.directions, contact->directions());
  }
  return layout;
}

}  // namespace sparsedyn
