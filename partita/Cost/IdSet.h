//===- IdSet.h - ids that are still to be looked at, each once ------------===//
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
  /// Of ids below `size`.
  explicit IdSet(size_t size) : flags(size, Flag::Out), list(size + 1) {}

  /// Writes the id in any case, and counts it if it is new: there is no branch to foresee.
  void add(IdT id) {
    list[count] = id;
    count += std::exchange(flags[id], Flag::In) == Flag::Out;
  }
  /// Holds until something is added.
  llvm::ArrayRef<IdT> get() const { return {list.data(), count}; }
  void clear() {
    for (IdT id : get())
      flags[id] = Flag::Out;
    count = 0;
  }

private:
  /// A type of its own: a byte could be part of anything, and all else would be read again behind it.
  enum class Flag : uint8_t { Out, In };

  IdVector<IdT, Flag> flags;
  /// One more than there are ids.
  std::vector<IdT> list;
  size_t count = 0;
};

} // namespace partita::cost

#endif
