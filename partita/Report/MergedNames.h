//===- MergedNames.h - one name for values that differ in numbers ---------===//

#ifndef PARTITA_REPORT_MERGEDNAMES_H
#define PARTITA_REPORT_MERGEDNAMES_H

#include "partita/Report/Rooms.h"

#include "llvm/ADT/ArrayRef.h"

#include <string>

namespace partita::report {

/// One name for names that differ only in numbers, which must be at least one. The entries of one list are written as
/// Python would: `layers[0:24].w`, `trainable[1:8:2]`, `trainable[0, 3, 5]`. Other numbers that differ become `*`:
/// `Block_*.Dense_1` of `Block_0.Dense_1` and `Block_1.Dense_1`.
std::string mergeNames(llvm::ArrayRef<std::string> names);

} // namespace partita::report

#endif
