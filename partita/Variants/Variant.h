//===- Variant.h - a program that a search rewrites before it plans -------===//
//
// A search may rewrite a program before it is partitioned, in several kinds of
// ways, each of which is an action of `--allow` and `--forbid`:
//
//   accumulate   the batch runs in microbatches, one after the other (Temporal)
//   recompute    the backward pass computes values again that it would keep, or
//                keeps what jax.checkpoint would have it recompute (Remat)
//   pad          dims that no axis divides become longer (Padding)
//   reorder      parts that lie side by side in a dim are put into an order in
//                which each device has a piece of every part (Reorder)
//   pipeline     layers run in stages, each on a part of the devices (Pipeline)
//   reductions   collectives run as steps on levels of the machine; this one is
//                chosen for the plan that was found (Cost/ReductionChoice.h)
//   matmul       gathers and scatters run in pieces beside products; this one is
//                chosen for the plan that was found, too (Cost/PieceChoice.h). If
//                nobody names it, on NVIDIA GPUs alone: what XLA makes of it on
//                others is not known (docs/gpu.md)
//   rotate       gathers of a loop are made an iteration ahead, and reductions of
//                gradients one later; this one, too, is chosen for the plan that was
//                found (Cost/RotationChoice.h), and on NVIDIA GPUs alone if nobody
//                names it
//   store        what is padded or reordered is stored so between steps: only who
//                calls the program can say whether it may be
//
// The first two give time for memory, or memory for time. A variant is a program
// under some of them. Which one is planned is decided with the plan
// (VariantSearch.h). Another kind is a value here, the members of Variant that say
// what it does, and a row of the table in VariantRules.h.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_VARIANTS_VARIANT_H
#define PARTITA_VARIANTS_VARIANT_H

#include "partita/Support/OptionTable.h"
#include "partita/Variants/Rooms.h"

namespace partita::variants {

enum class VariantKind : uint8_t { Accumulate, Recompute, Pad, Reorder, Pipeline, Reductions, Matmul, Rotate, Store };

/// `accumulate`, `recompute`, `pad`, `reorder`, `pipeline`, `reductions`, `matmul`, `rotate`, `store`: the word in
/// options.
llvm::StringRef getWord(VariantKind kind);

struct VariantOptions {
  /// Words, separated by commas. Behind a `+` they are added to the default.
  std::string allow = "accumulate,recompute,pad,reorder,pipeline,reductions,matmul,rotate", forbid;

  /// Whether someone said that `matmul` and `rotate` may be, or may not be. Who adds other words says neither.
  bool namesMoves() const;

  void visitOptions(OptionVisitor &visitor) {
    visitor.text(
        {"allow", "actions",
         "What a search may do to the program where it does not fit, or is faster so: accumulate (microbatches), "
         "recompute (values of the forward pass, or keep what jax.checkpoint recomputes), pad (dims that do not "
         "divide), reorder (parts that lie side by side in a dim, such as queries, keys and values), pipeline "
         "(layers in stages), reductions (collectives as steps on levels of the machine), matmul (gathers and scatters "
         "in pieces beside the products that wait for them), rotate (gathers of a loop an iteration ahead, and "
         "reductions of gradients one later; unless you name them, this and matmul only in plans that a search finds "
         "for NVIDIA GPUs); and, which is not allowed unless you say so, store (state keeps between steps the form "
         "that pad and reorder give it). A list that begins with + is added to the default: +store"},
        allow);
    visitor.text({"forbid", "actions", "What it may not do, of these"}, forbid);
  }
};

/// A set of kinds.
class VariantKinds {
public:
  bool isAny() const { return bits != 0; }
  bool has(VariantKind kind) const { return (bits >> static_cast<unsigned>(kind) & 1) != 0; }
  void add(VariantKind kind) { bits |= 1U << static_cast<unsigned>(kind); }
  void remove(VariantKind kind) { bits &= ~(1U << static_cast<unsigned>(kind)); }

private:
  uint32_t bits = 0;
};

/// What `allow` names without what `forbid` names. A usage error for a word that is no action.
Result<VariantKinds> parseKinds(const VariantOptions &options);

/// Layers in stages along an axis.
struct PipelineVariant {
  std::string axis;
  int64_t microbatches = 1;
  /// Blocks of layers of each stage.
  int64_t repeats = 1;

  bool operator==(const PipelineVariant &) const = default;
};

/// What is done to a program.
struct Variant {
  /// 1: as the program, or the schedule, has it.
  int64_t microbatches = 1;
  /// Names of classes of values (Remat/Rematerialize.h).
  std::vector<std::string> recomputed = {}, kept = {};
  /// Names of groups of dims that are longer (PaddingCandidate::name).
  std::vector<std::string> padded = {};
  /// Parts that lie side by side in dims are in another order (ReorderChoice.h).
  bool isReordered = false;
  std::optional<PipelineVariant> pipeline = std::nullopt;

  bool operator==(const Variant &) const = default;
};

/// `4 microbatches; attention/dot_general recomputed`, or `the program as it is`.
std::string describe(const Variant &variant);

} // namespace partita::variants

#endif
