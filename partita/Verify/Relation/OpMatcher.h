//===- OpMatcher.h - finds the original of a local op ---------------------===//
//
// Candidates are the ops of the original on the same values. For each, the
// layouts of the operands tell which factors are split (FactorSplits.h). What
// the op's rule emits for these splits must equal, op by op, what the local
// program has (EmittedOp.h). Then the device's value is a piece of the op's
// result, and the rule gives its layout.
//
// A local form may consist of many ops (masks, offsets). Only the last one
// stands for the original op.
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
  /// Relations of an op's results; nothing for a result that is no piece of an original value.
  using Relations = llvm::SmallVector<std::optional<Relation>, 1>;

  OpMatcher(const Numbering &numbering, const LocalFacts &facts, const UserRules &userRules)
      : numbering(numbering), facts(facts), userRules(userRules) {}

  /// The relations of the results of `local`. Nothing, with the reason if known, if it stands for no op of the
  /// original.
  std::optional<Relations> match(mlir::Operation *local, std::string &why);

private:
  /// Values from which a local form may be computed.
  struct Leaves {
    llvm::SmallVector<mlir::Value> related;
    /// The op may be the last of several ops of one local form.
    bool isLastOfSeveral = false;
  };

  Leaves collectLeaves(mlir::Operation *local, bool isLastOfSeveral) const;
  /// Ops of the original that `local` may stand for.
  llvm::SmallVector<mlir::Operation *> findCandidates(mlir::Operation *local, const Leaves &leaves) const;
  /// Tries the candidates that have the location of `local` (`isAtSameLocation`), or all others.
  std::optional<Relations> tryAll(mlir::Operation *local, const Leaves &leaves, bool isAtSameLocation,
                                  std::string &why);
  /// The number of local values that are known to be pieces of its first result, for each of its copies.
  unsigned countFound(mlir::Operation *original) const;
  std::optional<Relations> tryCandidate(mlir::Operation *local, mlir::Operation *original, const Leaves &leaves,
                                        std::string &why);
  /// The same for known operands: local values, some of them null.
  std::optional<Relations> tryOperands(mlir::Operation *local, mlir::Operation *original, const Rule &rule,
                                       llvm::ArrayRef<mlir::Value> operands, std::string &why);

  const Numbering &numbering;
  const LocalFacts &facts;
  const UserRules &userRules;
  /// For each number, the first local value that is known to be a piece of it.
  llvm::DenseMap<ValueNumber, mlir::Value> owners;
  /// For each number, how many local values are.
  llvm::DenseMap<ValueNumber, unsigned> numFound;
  /// For each local op that was matched, the numbers that count it.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<ValueNumber, 1>> counted;
};

} // namespace partita::verify

#endif
