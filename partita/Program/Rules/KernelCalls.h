//===- KernelCalls.h - custom calls of kernels whose meaning is known -----===//
//
// Attention kernels of cuDNN, Transformer Engine and Mosaic: one table from
// the call's target to how its operands lie, what it computes, and what it
// costs. The labels of a value's dims:
//
//   b  batch    n  query heads    k  key and value heads    .  stays whole
//
// With B, N, T, S, D, V for batch, query heads, queries, keys and the widths
// of keys and values, the forward kernel takes 2 B N p (D + V) flops, the
// backward one 2.5 times as many. p is T S, half of it under a causal mask,
// T w in a window of w keys.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_RULES_KERNELCALLS_H
#define PARTITA_PROGRAM_RULES_KERNELCALLS_H

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Rooms.h"
#include "partita/Program/Rules/RuleTable.h"

namespace partita::program::rules {

struct AttentionSizes {
  int64_t batch = 1, heads = 1, keyHeads = 1, queries = 1, keys = 1, width = 1, valueWidth = 1;
};

/// A kernel call as the table knows it.
struct KernelCall {
  AttentionSizes sizes;
  bool isBackward = false, isCausal = false;
  /// Keys that each query sees; 0 for all.
  int64_t window = 0;
  /// What the call says of its work itself, in place of the formula.
  std::optional<int64_t> statedFlops;
  /// Whether pieces can be computed by the same call with other sizes.
  bool splitsBatch = false, splitsHeads = false;
  /// Why other dims, or all, stay whole.
  llvm::StringRef whole;
  /// Labels of the dims; values without an entry, or with an empty one, stay whole.
  llvm::SmallVector<llvm::StringRef> operands, results;

  int64_t countFlops() const;
};

/// The call of a known kernel; nothing for others, and where operands do not lie as the table says.
std::optional<KernelCall> findKernelCall(stablehlo::CustomCallOp op);

/// Its rule and price. Nothing if the shapes are not those of the labels.
std::optional<OpRule> makeKernelRule(stablehlo::CustomCallOp op, const KernelCall &call);

/// Writes the sizes of the pieces into the configuration of `piece`, the call on pieces of the operands.
void adaptKernelSizes(stablehlo::CustomCallOp piece, const KernelCall &whole);

} // namespace partita::program::rules

#endif
