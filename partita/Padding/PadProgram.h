//===- PadProgram.h - makes dims of a program longer ----------------------===//
//
//   {"name": "pad", "pad": [["params/wte", 0, 8]]}
//
// A dim of 50257 elements does not divide by 8 devices; one of 50264 does. The
// rewrite makes dims longer, and with them all dims that belong to them
// (PaddingReach.h): 7 rows of the embedding, 7 columns of the logits. What lies
// behind the elements is unspecified, and no result depends on it:
//
//   PaddableFactors.h   which factors of which ops may be longer
//   PaddedOps.h         what each family of ops computes then
//   PaddingFills.h      what is known of the padding, which saves masks
//
// Everywhere else values are cut back to their elements before an op and padded
// behind it, so any program can be padded. The rewritten program is made before
// the flat program that propagation, search, prices, lowering and checks see.
//
// Its arguments and results are those of the original: arguments are padded
// behind the border, results cut before it. State that comes back may be *stored*
// padded instead. Then its padding is +0 between steps: whoever makes the first
// state writes it, and the program ends with a select of zeros.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PADDING_PADPROGRAM_H
#define PARTITA_PADDING_PADPROGRAM_H

#include "partita/Padding/PaddingReach.h"
#include "partita/Program/Flatten.h"

#include "mlir/IR/BuiltinOps.h"

namespace partita::padding {

/// An argument and the result that is its next state, by number.
struct StoredState {
  unsigned argument = 0, result = 0;
};

struct PaddingRequest {
  std::vector<PaddingRoot> roots;
  /// State that is stored padded, if it is padded at all: argument and result have the longer shape, and between steps
  /// the padding is +0.
  std::vector<StoredState> stored;
  /// For tests: what is put behind the elements is NaN and the largest integer, and not zero.
  bool isPoisoned = false;
};

/// What a rewrite did, for reports.
struct PaddingCounts {
  /// Ops on longer operands, masks before them, values that are padded and values that are cut back.
  int64_t numOps = 0, numMasks = 0, numPads = 0, numCuts = 0;
};

/// Values that have padding, and the sizes of their elements. Only looked up.
using PaddedElements = llvm::DenseMap<mlir::Value, llvm::SmallVector<int64_t>>;

struct PaddedProgram {
  std::vector<PaddingGroup> groups;
  /// For each root of the request.
  std::vector<uint32_t> groupOfRoot;
  PaddingCounts counts;
  PaddedElements elements;
};

/// Pads @main of `module`, which is in normal form and of which `flattened` is the flat program. `flattened` refers to
/// ops that are changed then.
Result<PaddedProgram> padProgram(mlir::ModuleOp module, const Flattened &flattened, const PaddingRequest &request,
                                 const UserRules &userRules);

/// The name of the locations of values that are cut back to their elements.
inline constexpr llvm::StringLiteral unpaddedName = "unpad";
/// Of values that became longer; arguments are called pad(NAME).
inline constexpr llvm::StringLiteral paddedName = "pad";

/// `pad(params/wte)`: the name of the location of what `params['wte']` is padded to.
std::string namePadded(llvm::StringRef argument);

} // namespace partita::padding

#endif
