// Work that is done in the same way for several things, such as freedoms of one branch: to an ordinary scalar a loop; to one
// that records, lanes of vectors.
#pragma once

namespace sparsedyn {

/// Told before each repetition and after the last. Specialised for scalars that record.
template <class S>
class LaneLoop {
 public:
  /// How many repetitions can be lanes of one vector.
  static int width() { return 1; }
  void next() {}
  void end() {}
};

/// work(item) for each item: the same operations, whatever the item.
template <class S, class Items, class Work>
void for_each_lane(Items& items, Work work) {
  LaneLoop<S> marks;
  for (auto& item : items) marks.next(), work(item);
  marks.end();
}

}  // namespace sparsedyn
