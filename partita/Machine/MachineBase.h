//===- MachineBase.h - a machine file that changes a preset ---------------===//
//
//   {"base": "h100-sxm:1x8", "name": "ours",
//    "device": {"memory_bytes": "40 GB"}, "levels": {"nvlink": {"bytes_per_second": "200 GB/s"}}}
//
// Objects are merged member by member; anything else takes the place of what
// the preset has. A figure is one thing, so its source goes with it. `levels`
// as an object changes levels by name; as an array it replaces them.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_MACHINE_MACHINEBASE_H
#define PARTITA_MACHINE_MACHINEBASE_H

#include "partita/Machine/Rooms.h"
#include "partita/Support/Json.h"

namespace partita::machine {

/// The file's object with all that it takes over from its `base`; unchanged if it has none.
Result<JsonValue> mergeWithBase(JsonValue object, llvm::StringRef file);

} // namespace partita::machine

#endif
