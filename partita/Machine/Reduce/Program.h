//===- Program.h - a collective as steps on parts of its group ------------===//
//
// The devices of a collective differ along factors: the parts of its axes on
// each level of the machine, outermost first. A program runs steps over some of
// the factors in place of one collective over all of them:
//
//   all_reduce over node, nvlink       reduce_scatter over nvlink,
//                                      all_reduce over node, all_gather over nvlink
//
// What a program does is defined by what each device holds. A tensor is as many
// chunks as there are devices; a piece is a chunk and the devices whose values
// were summed into it. Every step has a condition: a sum adds nothing twice, a
// gather concatenates different chunks, a slice takes part of what all have. A
// program is proven if running it on these sets gives what the collective gives.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_MACHINE_REDUCE_PROGRAM_H
#define PARTITA_MACHINE_REDUCE_PROGRAM_H

#include "partita/Machine/CollectivePrice.h"
#include "partita/Machine/Rooms.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace partita::machine {

enum class StepKind : uint8_t { AllReduce, ReduceScatter, AllGather, AllToAll, Slice };

/// `reduce_scatter`, `slice`.
llvm::StringRef getName(StepKind kind);
std::optional<StepKind> findStepKind(llvm::StringRef name);

/// The collective that a step is; none for a slice, which sends nothing.
std::optional<Collective> findCollective(StepKind kind);
/// Its inverse; none for a permute, which is no step.
std::optional<StepKind> findStepKind(Collective kind);

struct ReductionStep {
  StepKind kind = StepKind::AllReduce;
  /// Numbers of factors, ascending. Devices of a group are ordered by them, the first one major.
  llvm::SmallVector<uint32_t, 4> factors;
  bool operator==(const ReductionStep &) const = default;
};

struct ReductionProgram {
  std::vector<ReductionStep> steps;
  /// Whether chunks have to change places in each device's memory: before a reduce_scatter, behind an all_gather, and
  /// between the steps of an all_to_all.
  bool isReordered = false;
  bool operator==(const ReductionProgram &) const = default;
};

/// A chunk, and the devices whose values are in it, as bits.
struct ReductionPiece {
  uint32_t chunk = 0;
  uint64_t from = 0;
  auto operator<=>(const ReductionPiece &) const = default;
};

/// For each device what it holds, in the order of its memory.
using State = std::vector<std::vector<ReductionPiece>>;

/// The most devices for which states are written out.
inline constexpr int64_t mostProvenDevices = 64;

/// What the devices hold before the collective `goal`. The product of `sizes` is at most mostProvenDevices.
State makeStart(StepKind goal, llvm::ArrayRef<int64_t> sizes);

/// What they hold after a step; nothing if its condition does not hold.
std::optional<State> apply(const ReductionStep &step, const State &state, llvm::ArrayRef<int64_t> sizes);

/// Whether this is what `goal` gives. `isReordered` is set if it is, but for the order of chunks.
bool isGoal(StepKind goal, const State &state, llvm::ArrayRef<int64_t> sizes, bool &isReordered);

/// Whether the program does what `goal` over all factors does. Groups of more than mostProvenDevices are proven with
/// different primes as the sizes of their factors, which stand for all sizes.
bool isProven(const ReductionProgram &program, StepKind goal, llvm::ArrayRef<int64_t> sizes);

} // namespace partita::machine

#endif
