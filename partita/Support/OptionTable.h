//===- OptionTable.h - declares every option once -------------------------===//
//
// A struct of options gives each field's default in its declaration, and its
// flag, unit, range and help in one `visitOptions` function. A visitor makes
// the flags, the help and the documentation from that.
//
//   struct Limits {
//     int64_t maxOps = 4'000'000;
//     void visitOptions(OptionVisitor &visitor) {
//       visitor.integer({"max-ops", "ops", "Programs with more ops are refused"}, maxOps, 1, INT64_MAX);
//     }
//   };
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SUPPORT_OPTIONTABLE_H
#define PARTITA_SUPPORT_OPTIONTABLE_H

#include "partita/Support/Error.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <vector>

namespace partita {

struct OptionInfo {
  llvm::StringRef flag;
  llvm::StringRef unit;
  llvm::StringRef help;
};

class OptionVisitor {
public:
  virtual ~OptionVisitor() = default;
  virtual void integer(OptionInfo info, int64_t &field, int64_t min, int64_t max) = 0;
  virtual void toggle(OptionInfo info, bool &field) = 0;
  virtual void text(OptionInfo info, std::string &field) = 0;
  /// May be given several times; each time adds an entry.
  virtual void list(OptionInfo info, std::vector<std::string> &field) = 0;
  /// One of several words.
  virtual void choice(OptionInfo info, std::string &field, llvm::ArrayRef<llvm::StringRef> words) = 0;
};

/// Visits all options of a command: calls `visitOptions` of each of its structs.
using VisitOptions = llvm::function_ref<void(OptionVisitor &)>;

/// Reads `--flag value`, `--flag=value` and `--toggle` into the visited fields. Appends other arguments to
/// `positional`.
/// `--` ends the flags.
Status parseFlags(llvm::ArrayRef<std::string> arguments, VisitOptions visit, std::vector<std::string> &positional);

/// One line for each option: flag, unit, range and default, help.
void printOptions(llvm::raw_ostream &out, VisitOptions visit);

} // namespace partita

#endif
