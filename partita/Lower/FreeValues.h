//===- FreeValues.h - reuses copies of values without arguments -----------===//
//
// The flat program has a constant, an iota and the like once for each use,
// because each use may need another piece. Equal copies are emitted once, where
// the first is needed, and serve all uses that this op dominates.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LOWER_FREEVALUES_H
#define PARTITA_LOWER_FREEVALUES_H

#include "partita/Lower/Rooms.h"
#include "partita/Program/Rules/Rules.h"

#include <unordered_map>

namespace partita::lower {

class FreeValues {
public:
  /// The value of `op` on `operands` when it is split by `splits`; null if none is known here. The caller assigns it
  /// then, and it is known until the scope ends.
  mlir::Value &find(mlir::Operation *op, mlir::ValueRange operands, llvm::ArrayRef<Split> splits);

  /// Values that become known while it lives are known in one block and the regions below.
  class Scope {
  public:
    explicit Scope(FreeValues &values) : values(values), begin(values.known.size()) {}
    ~Scope() { values.forgetFrom(begin); }
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;

  private:
    FreeValues &values;
    size_t begin;
  };

private:
  struct Entry {
    size_t hash;
    mlir::Operation *op;
    llvm::SmallVector<mlir::Value, 2> operands;
    llvm::SmallVector<Split, 2> splits;
    mlir::Value value;
  };

  void forgetFrom(size_t begin);

  /// In the order in which they became known.
  std::vector<Entry> known;
  /// Hash to position in `known`: looked up, never iterated.
  std::unordered_multimap<size_t, size_t> index;
};

} // namespace partita::lower

#endif
