//===- MachineFile.h - reads and writes machines as JSON ------------------===//
//
// `partita machines h100-sxm:4x8 --json` writes the format that `--machine
// FILE` reads (docs/machines.md). A figure is a number, a text with a unit, or
// an object with `value` and `source`. A file with a `base` says only what
// differs from that preset (MachineBase.h). Unknown keys, missing keys and
// figures that no machine can have are errors with their line and their path.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_MACHINE_MACHINEFILE_H
#define PARTITA_MACHINE_MACHINEFILE_H

#include "partita/Machine/Machine.h"
#include "partita/Machine/Rooms.h"
#include "partita/Support/Error.h"

#include "llvm/Support/raw_ostream.h"

namespace partita::machine {

/// The machine that `text`, the contents of `file`, describes.
Result<Machine> readMachine(llvm::StringRef text, llvm::StringRef file);

/// Writes JSON from which readMachine gives an equal machine.
void writeMachine(const Machine &machine, llvm::raw_ostream &out);

/// A preset (`h100-sxm:4x8`, `v5p-128`), or else the path of a file.
Result<Machine> resolveMachine(llvm::StringRef nameOrFile);

} // namespace partita::machine

#endif
