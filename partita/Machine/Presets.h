//===- Presets.h - machines known by name ---------------------------------===//
//
//   h100-sxm:4x8       4 nodes of 8 GPUs; h100-sxm:8 is one node
//   tpu-v5p:4x4x8      a torus of chips
//   tpu-v5e:2*16x16    two slices with the data-center network between them
//   v5p-128            a cloud name; it counts cores, which Machine::notes says
//
// A preset is a table of figures, each with its source. With a shape it is a
// machine. Shapes that cannot be bought or built are usage errors.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_MACHINE_PRESETS_H
#define PARTITA_MACHINE_PRESETS_H

#include "partita/Machine/Machine.h"
#include "partita/Machine/Rooms.h"
#include "partita/Support/Error.h"

namespace partita::machine {

/// A line of `partita machines`.
struct PresetInfo {
  llvm::StringRef name;
  /// A shape to start from: `1x8`, `4x4`.
  llvm::StringRef exampleShape;
  llvm::StringRef description;
};

/// All presets, ordered by family and generation.
std::vector<PresetInfo> listPresets();

/// Whether the text before `:` is a preset's name or a cloud name such as v5p-128.
bool isPresetName(llvm::StringRef text);

/// The machine that `NAME:SHAPE` or a cloud name stands for.
Result<Machine> buildPreset(llvm::StringRef text);

} // namespace partita::machine

#endif
