//===- MemoryActions.h - what gives time for memory -----------------------===//
//
// Memory actions rewrite a program before it is partitioned, so that a step
// takes less memory and usually more time:
//
//   accumulate   the batch runs in microbatches, one after the other (Temporal)
//   recompute    the backward pass computes values again that it would keep, or
//                keeps what jax.checkpoint would have it recompute (Remat)
//   pad          dims that no axis divides become longer (Padding)
//   pipeline     layers run in stages, on one part of the devices each (Pipeline)
//
// A variant is a program under some of them. Which one is planned is decided
// with the plan (VariantSearch.h).
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_VARIANTS_MEMORYACTIONS_H
#define PARTITA_VARIANTS_MEMORYACTIONS_H

#include "partita/Support/OptionTable.h"
#include "partita/Variants/Rooms.h"

namespace partita::variants {

enum class MemoryAction : uint8_t { Accumulate, Recompute, Pad, Pipeline };

/// `accumulate`, `recompute`, `pad`, `pipeline`: the word in options.
llvm::StringRef getWord(MemoryAction action);

struct MemoryActionOptions {
  /// Words, separated by commas.
  std::string allow = "accumulate,recompute,pad,pipeline", forbid;

  void visitOptions(OptionVisitor &visitor) {
    visitor.text(
        {"allow", "actions",
         "What a search may do to the program where it does not fit, or is faster so: accumulate (microbatches), "
         "recompute (values of the forward pass, or keep what jax.checkpoint recomputes), pad (dims that do not "
         "divide), pipeline (layers in stages)"},
        allow);
    visitor.text({"forbid", "actions", "What it may not do, of these"}, forbid);
  }
};

/// The actions that a search may take.
class AllowedActions {
public:
  bool has(MemoryAction action) const { return (bits >> static_cast<unsigned>(action) & 1) != 0; }
  void add(MemoryAction action) { bits |= 1U << static_cast<unsigned>(action); }
  void remove(MemoryAction action) { bits &= ~(1U << static_cast<unsigned>(action)); }

private:
  uint32_t bits = 0;
};

/// What `allow` names without what `forbid` names. A usage error for a word that is no action.
Result<AllowedActions> parseActions(const MemoryActionOptions &options);

struct PipelineVariant {
  std::string axis;
  int64_t microbatches = 1;

  bool operator==(const PipelineVariant &) const = default;
};

/// A program under memory actions.
struct Variant {
  /// 1: as the program, or the schedule, has it.
  int64_t microbatches = 1;
  /// Names of classes of values (Remat/Rematerialize.h).
  std::vector<std::string> recomputed = {}, kept = {};
  /// Dims that no axis divides are longer (PaddingChoice.h).
  bool isPadded = false;
  std::optional<PipelineVariant> pipeline = std::nullopt;

  bool operator==(const Variant &) const = default;
};

/// `4 microbatches; attention/dot_general recomputed`, or `the program as it is`.
std::string describe(const Variant &variant);

} // namespace partita::variants

#endif
