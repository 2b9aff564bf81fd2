//===- IdSet.h - a work list of ids, each at most once --------------------===//
//
//   IdSet<UnitId> touched(numUnits);
//   touched.add(unit);                       // any number of times
//   for (UnitId unit : touched.get()) ...    // in the order in which they came
//   touched.clear();
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_IDSET_H
#define PARTITA_COST_IDSET_H

#include "partita/Cost/Rooms.h"
#include "partita/Support/Id.h"

#include "llvm/ADT/ArrayRef.h"

#include <utility>

namespace partita::cost {

template <typename IdT> class IdSet {
public:
  /// For ids below `size`.
  explicit IdSet(size_t size) : flags(size, Flag::Out), list(size + 1) {}

  /// Always writes the id and counts it if it is new: no branch to predict.
  void add(IdT id) {
    list[count] = id;
    count += std::exchange(flags[id], Flag::In) == Flag::Out;
  }
  /// Valid until the next add.
  llvm::ArrayRef<IdT> get() const { return {list.data(), count}; }
  void clear() {
    for (IdT id : get())
      flags[id] = Flag::Out;
    count = 0;
  }

private:
  /// Its own type: a plain byte may alias anything, and the compiler would reload everything after each store.
  enum class Flag : uint8_t { Out, In };

  IdVector<IdT, Flag> flags;
  /// One more than there are ids.
  std::vector<IdT> list;
  size_t count = 0;
};

} // namespace partita::cost

#endif
