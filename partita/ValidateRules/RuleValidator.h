//===- RuleValidator.h - every rule, checked by execution -----------------===//
//
// For an op and its rule, the validator splits every factor and every small set
// of factors over small meshes, (2) (3) (4) (2,2) (2,3) (2,4) (2,2,2). It runs
// the rule's local form on each device and puts the results together. They must
// equal the result of the whole op on adversarial inputs (AdversarialInputs.h).
// SplitRun.h runs a split; MissingSplits.h finds splits that the rule could
// offer but does not.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_VALIDATERULES_RULEVALIDATOR_H
#define PARTITA_VALIDATERULES_RULEVALIDATOR_H

#include "partita/Program/Rules/RuleTable.h"
#include "partita/Support/OptionTable.h"
#include "partita/ValidateRules/InputRuns.h"
#include "partita/ValidateRules/Rooms.h"
#include "partita/ValidateRules/SplitRun.h"

namespace partita::validate {

struct ValidatorOptions {
  int64_t seed = 0;
  int64_t maxSplits = 64;
  int64_t maxCandidates = 128;
  int64_t maxPaddings = 24;
  int64_t maxInstanceElements = 1 << 16;
  /// Checks what padded ops compute, in place of the rules.
  bool padding = false;

  void visitOptions(OptionVisitor &visitor) {
    visitor.integer({"seed", "number", "Chooses the inputs that rules are validated with"}, seed, 0, INT64_MAX);
    visitor.integer({"max-splits", "splits", "Of an op that can be split in more ways, so many are tried"}, maxSplits,
                    1, INT64_MAX);
    visitor.integer({"max-candidates", "splits", "Splits that are tried to see whether a rule lacks them"},
                    maxCandidates, 0, INT64_MAX);
    visitor.integer({"max-paddings", "cases", "With --padding: so many dims and numbers of devices are tried"},
                    maxPaddings, 1, INT64_MAX);
    visitor.toggle({"padding", "", "Checks what ops compute on padded dims, in place of their rules"}, padding);
    visitor.integer({"max-instance-elements", "elements", "Ops with a larger operand or result are not validated"},
                    maxInstanceElements, 1, INT64_MAX);
  }
};

/// A split whose parts do not make up the whole.
struct WrongSplit {
  /// `a/2 b/3`, and on which inputs it showed.
  std::string splits;
  std::string inputs;
  Difference difference;
};

struct InstanceReport {
  std::string op;
  /// The function that contains it.
  std::string function;
  std::string rule;
  /// Why some dims are never split, as the rule says.
  std::string whole;
  /// Splits that were tried; those that are not in `wrong` are right.
  int64_t splits = 0;
  /// The kinds of inputs that the op was evaluated on.
  std::vector<std::string> inputs;
  std::vector<WrongSplit> wrong;
  std::vector<std::string> missing;
  /// Why no split was tried although the rule has factors to split. Empty otherwise.
  std::string skipped;
};

/// The rules to check, and the options.
struct ValidatorSetting {
  const rules::RuleTable &table;
  const UserRules &userRules;
  ValidatorOptions options;
};

/// The sets of splits to try: none twice, all valid.
std::vector<llvm::SmallVector<Split>> enumerateSplits(const Rule &rule, int64_t maxSplits);

/// Tries one set of splits of an instance on all its runs.
std::optional<WrongSplit> trySplits(const OpInstance &instance, const Rule &rule, llvm::ArrayRef<Split> splits,
                                    llvm::ArrayRef<NamedRun> runs, const ValidatorSetting &setting);

/// Whether an operand or a result has more than `maxElements`.
bool isTooLarge(mlir::Operation *op, int64_t maxElements);

/// Checks the rule of one op.
InstanceReport validateOp(mlir::Operation *op, const ValidatorSetting &setting);

/// The report as one line of JSON.
std::string printReport(const InstanceReport &report);

/// Of how many ops of a program `isRight` is false. An error if a rule of --rule cannot be read.
Result<int64_t> countWrongOps(mlir::ModuleOp module, llvm::ArrayRef<std::string> rules, const ValidatorOptions &options,
                              llvm::function_ref<bool(mlir::Operation *, const ValidatorSetting &)> isRight);

/// Checks the rule of every op of the program by execution. `text` gets one report per line. An error with exit code 1
/// if a rule is wrong. `rules` come from --rule.
Status validateRules(mlir::ModuleOp module, llvm::ArrayRef<std::string> rules, const ValidatorOptions &options,
                     std::string &text);

} // namespace partita::validate

#endif
