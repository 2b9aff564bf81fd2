//===- PaddingValidator.h - what padded ops compute, by execution ---------===//
//
// For an op in a program of its own, every dim is padded for 2, 3, ... 16
// devices that do not divide it (Padding/PadProgram.h): once with zeros, which
// saves masks, and once with NaN and the largest integers. Two things are run on
// adversarial inputs:
//
//   the padded program      must give what the program gives. Beside the op's
//                           results it gives the product of each with itself,
//                           which shows what is wrongly known of their padding
//   the padded op, split    must be the padded op: devices have their pieces
//                           of the longer dim (RuleValidator.h)
//
// Together: what devices compute of padded pieces is what one device computes.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_VALIDATERULES_PADDINGVALIDATOR_H
#define PARTITA_VALIDATERULES_PADDINGVALIDATOR_H

#include "partita/Padding/PadProgram.h"
#include "partita/ValidateRules/RuleValidator.h"

namespace partita::validate {

/// A dim of an op and a number of devices that does not divide it.
struct PaddingCase {
  /// `operand 0, dim 1`
  std::string dim;
  int64_t size = 1, parts = 1;
  /// Whether the op has a longer dim then. Otherwise it takes the dim whole.
  bool isPadded = false;
  /// Whether `parts` devices can have a piece of it each.
  bool isSplit = false;
};

struct WrongPadding {
  std::string dim;
  int64_t parts = 1;
  /// `zeros`, `poison`, or the split of the padded op.
  std::string what;
  std::string inputs;
  Difference difference;
};

struct PaddedOpReport {
  std::string op;
  std::string function;
  std::string rule;
  std::vector<PaddingCase> cases;
  std::vector<WrongPadding> wrong;
  /// Why nothing was tried. Empty otherwise.
  std::string skipped;
};

/// `padding::padProgram`, or what a test puts in its place.
using PadRewrite = Result<padding::PaddedProgram> (*)(mlir::ModuleOp, const Flattened &,
                                                      const padding::PaddingRequest &, const UserRules &);

/// Checks one op.
PaddedOpReport validatePadding(mlir::Operation *op, const ValidatorSetting &setting,
                               PadRewrite rewrite = padding::padProgram);

/// The report as one line of JSON.
std::string printReport(const PaddedOpReport &report);

/// Checks every op of the program. `text` gets one report per line. An error with exit code 1 if something is wrong.
Status validatePaddings(mlir::ModuleOp module, llvm::ArrayRef<std::string> rules, const ValidatorOptions &options,
                        std::string &text);

} // namespace partita::validate

#endif
