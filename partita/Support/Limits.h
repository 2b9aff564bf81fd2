//===- Limits.h - how large an input may be -------------------------------===//

#ifndef PARTITA_SUPPORT_LIMITS_H
#define PARTITA_SUPPORT_LIMITS_H

#include "partita/Support/OptionTable.h"

namespace partita {

/// An input beyond a limit is refused with an error that names the flag, and exit code 75.
struct Limits {
  int64_t maxFileBytes = int64_t(2) << 30;
  int64_t maxOps = 4'000'000;
  int64_t maxDepth = 1'024;
  int64_t maxRank = 64;
  int64_t maxElements = int64_t(1) << 48;
  int64_t maxConstantBytes = int64_t(4) << 30;

  void visitOptions(OptionVisitor &visitor) {
    visitor.integer({"max-file-bytes", "bytes", "Files that are larger are refused"}, maxFileBytes, 1, INT64_MAX);
    visitor.integer({"max-ops", "ops", "Programs with more ops are refused, before and after calls are inlined"},
                    maxOps, 1, INT64_MAX);
    visitor.integer({"max-depth", "levels", "Programs with brackets or regions nested deeper are refused"}, maxDepth, 1,
                    10'000);
    visitor.integer({"max-rank", "dims", "Programs with a tensor of more dims are refused"}, maxRank, 0, 1'000'000);
    visitor.integer({"max-elements", "elements", "Programs with a tensor of more elements are refused"}, maxElements, 1,
                    INT64_MAX);
    visitor.integer({"max-constant-bytes", "bytes", "Programs whose constants take more in all are refused"},
                    maxConstantBytes, 1, INT64_MAX);
  }
};

/// The error for an input beyond the limit `flag`, whose value is `limit`.
inline Error beyondLimit(SourceLocation location, const std::string &what, llvm::StringRef flag, int64_t limit) {
  return Error::limit(std::move(location), what + ", more than the limit of " + std::to_string(limit))
      .withRemedy("if the input is meant so, raise it with --" + flag.str());
}

} // namespace partita

#endif
