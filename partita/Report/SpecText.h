//===- SpecText.h - shardings as JAX writes them --------------------------===//

#ifndef PARTITA_REPORT_SPECTEXT_H
#define PARTITA_REPORT_SPECTEXT_H

#include "partita/Report/Rooms.h"

#include "llvm/ADT/StringRef.h"

#include <string>

namespace partita::report {

/// A printed sharding (Propagate/Sharding.h) as a PartitionSpec: `[{}, {data, model}, {}]` becomes
/// `P(None, ('data', 'model'))`, `[{}] partial(add) {model}` becomes `P() of partial sums over model`.
std::string printSpec(llvm::StringRef sharding);

/// Printed steps of a reshard (Cost/ReshardPlan.h): `all_gather {data} 0` becomes `all_gather over data`.
std::string printStepWords(llvm::StringRef steps);

} // namespace partita::report

#endif
