//===- ArgumentKinds.h - tells parameters, state and inputs apart ---------===//

#ifndef PARTITA_SCHEDULE_ARGUMENTKINDS_H
#define PARTITA_SCHEDULE_ARGUMENTKINDS_H

#include "partita/Propagate/Topology.h"
#include "partita/Schedule/Rooms.h"

namespace partita::schedule {

enum class GroupKind : uint8_t {
  /// An argument that is none of the following: tokens, a mask, a learning rate.
  Input,
  /// A weight. In training: used by the forward pass and tied to a result that is computed outside of it. Otherwise, or
  /// if it is frozen: floats without a dim of the batch.
  Parameter,
  /// Tied to a result, not used by the forward pass: moments, averages of parameters.
  OptimizerState,
  /// Tied to a result that the forward pass computes: a KV cache, statistics of a norm.
  State,
  /// A step, a count, a key: tied integers of at most one dim, and keys.
  Counter,
  /// Not an argument but an op's result: a point to tile inside the program.
  Inner,
};

/// `input`, `parameter`, `optimizer_state`, `state`, `counter`, `inner`.
llvm::StringRef getWord(GroupKind kind);

struct ArgumentKinds {
  /// `Inner` for cells that are not arguments.
  IdVector<CellId, GroupKind> kinds;
  /// For optimizer state, the parameter of the same shape that is updated with it; invalid if there is none.
  IdVector<CellId, CellId> parameters;
};

/// Decides by structure alone: ties, phases and how the program uses an argument (GroupKind), never by names.
/// `isRepeated` tells which arguments repeat layer by layer; without it no argument does.
ArgumentKinds findArgumentKinds(const Topology &topology, llvm::function_ref<bool(CellId)> isRepeated = nullptr);

} // namespace partita::schedule

#endif
