//===- BatchClasses.h - which dims are the batch's ------------------------===//
//
// Weights and inputs that are no state look alike: only the batch tells them
// apart. Classes of dims (LinkedDims.h) that are the batch's:
//
//   training   those that no trained argument has and that the sums of gradients
//              run over: ops outside of the forward pass, with such dims in their
//              operands and none in their results
//   inference  the first dims of integers that are fed (tokens); otherwise the
//              first dim that most results have, next states only if
//              nothing else is returned, and caches never
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SCHEDULE_BATCHCLASSES_H
#define PARTITA_SCHEDULE_BATCHCLASSES_H

#include "partita/Graph/LinkedDims.h"
#include "partita/Schedule/ArgumentKinds.h"
#include "partita/Schedule/Rooms.h"

namespace partita::schedule {

class BatchClasses {
public:
  /// `kinds` are those of tied arguments; `fed` are state, and arguments that are not tied or come back unchanged.
  BatchClasses(const Graph &graph, const IdVector<CellId, GroupKind> &kinds, llvm::ArrayRef<CellId> fed);

  bool isKnown() const { return llvm::is_contained(isBatch, 1); }
  bool hasBatch(CellId cell) const { return classes.anyIn(cell, isBatch); }

private:
  void addSummed(const IdVector<CellId, GroupKind> &kinds);
  void addFed(llvm::ArrayRef<CellId> fed);
  void addReturned(llvm::ArrayRef<CellId> fed);
  IdVector<CellId, uint8_t> findWritten() const;
  std::vector<uint8_t> findInnerClasses(llvm::ArrayRef<CellId> fed) const;
  std::optional<DimClass> findFirst(CellId cell) const;
  /// Only classes that one of these cells has.
  void keepClassesOf(llvm::ArrayRef<CellId> cells);

  const Graph &graph;
  LinkedDims classes;
  /// By class.
  std::vector<uint8_t> isBatch;
};

} // namespace partita::schedule

#endif
