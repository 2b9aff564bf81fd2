//===- OpMatcher.h - which op of the original a device's op stands for ----===//
//
// For each op of the original on the same values: the layouts of the operands say
// which of its factors are split (FactorSplits.h); what the op's rule emits for
// these splits must be, op by op, what stands in the local program. Then the
// device's value is the op's piece, and the rule gives its layout.
//
// A local layout may be made of many ops (masks, offsets). Those in its middle stand
// for nothing; the last one does.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_VERIFY_RELATION_OPMATCHER_H
#define PARTITA_VERIFY_RELATION_OPMATCHER_H

#include "partita/Program/Rules/Rules.h"
#include "partita/Verify/Relation/LocalFacts.h"
#include "partita/Verify/Relation/Numbering.h"
#include "partita/Verify/Rooms.h"

namespace partita::verify {

class OpMatcher {
public:
  /// Of the results of an op; nothing for one that stands for nothing.
  using Relations = llvm::SmallVector<std::optional<Relation>, 1>;

  OpMatcher(const Numbering &numbering, const LocalFacts &facts, const UserRules &userRules)
      : numbering(numbering), facts(facts), userRules(userRules) {}

  /// The relations of the results of `local`; nothing, with the reason if there is one, if it stands for no op of the
  /// original.
  std::optional<Relations> match(mlir::Operation *local, std::string &why);

private:
  /// Values that a local layout may be made of.
  struct Leaves {
    llvm::SmallVector<mlir::Value> related;
    /// The op may be the last of several that are one op's local layout.
    bool isLastOfSeveral = false;
  };

  Leaves collectLeaves(mlir::Operation *local, bool isLastOfSeveral) const;
  /// Ops of the original that `local` may stand for.
  llvm::SmallVector<mlir::Operation *> findCandidates(mlir::Operation *local, const Leaves &leaves) const;
  /// Tries the candidates that are at the place of `local`, or all others.
  std::optional<Relations> tryAll(mlir::Operation *local, const Leaves &leaves, bool isAtPlace, std::string &why);
  /// How many local values were found to be pieces of its first result.
  unsigned countFound(mlir::Operation *original) const;
  std::optional<Relations> tryCandidate(mlir::Operation *local, mlir::Operation *original, const Leaves &leaves,
                                        std::string &why);
  /// The same where it is known which local values, some of them null, are the operands.
  std::optional<Relations> tryOperands(mlir::Operation *local, mlir::Operation *original, const Rule &rule,
                                       llvm::ArrayRef<mlir::Value> operands, std::string &why);

  const Numbering &numbering;
  const LocalFacts &facts;
  const UserRules &userRules;
  /// The first value of the local program that is known to be a piece of it.
  llvm::DenseMap<ValueNumber, mlir::Value> owners;
  /// How many values of the local program are.
  llvm::DenseMap<ValueNumber, unsigned> numFound;
};

} // namespace partita::verify

#endif
