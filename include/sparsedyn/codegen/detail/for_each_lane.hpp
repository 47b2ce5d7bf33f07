// The same work for several things, such as the freedoms of one branch. For an ordinary scalar it is a loop. A scalar that
// records notes each repetition, so that they can become lanes of vectors.
#pragma once

namespace sparsedyn {

/// next() is called before each repetition, end() after the last. Specialised for scalars that record.
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
