//===- LegacyShardingsText.h - shardings in XLA's own notation ------------===//
//
// XLA writes a sharding as text: an array of device numbers, with one dim for
// each dim of the tensor, and further ones for groups of devices that hold the
// same piece or see it by hand.
//
//   {replicated}   {maximal device=3}   {manual}   {unknown}
//   {devices=[2,2]0,1,2,3}
//   {devices=[2,1,4]<=[8] last_tile_dim_replicate}
//   {devices=[4,2]<=[2,4]T(1,0)}
//   {devices=[1,2,4]<=[8] last_tile_dims={manual, replicated}}
//
// A tuple's shardings stand in braces of their own: {{replicated}, {manual}}.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_IMPORT_LEGACYSHARDINGSTEXT_H
#define PARTITA_PROGRAM_IMPORT_LEGACYSHARDINGSTEXT_H

#include "partita/Program/Rooms.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace partita::program::import {

struct HloSharding {
  enum Kind { Replicated, Maximal, Manual, Unknown, Tiled };
  /// What the devices of a trailing dim of the array have in common.
  enum Group { ReplicatedGroup, ManualGroup, UnreducedGroup };

  Kind kind = Replicated;
  /// Maximal: the one device.
  int64_t device = 0;
  /// Tiled: sizes of the array, the last `groups.size()` of them those of groups.
  llvm::SmallVector<int64_t> dims;
  llvm::SmallVector<Group> groups;
  /// Tiled: the numbers in the array, row by row.
  llvm::SmallVector<int64_t> devices;

  /// The number of the array's dims that are those of the tensor.
  size_t getRank() const { return dims.size() - groups.size(); }
};

/// The shardings in `text`: one, or those of a tuple. Nothing if it cannot be read; `whyNot` says why.
std::optional<llvm::SmallVector<HloSharding>> parseHloShardings(llvm::StringRef text, std::string &whyNot);

} // namespace partita::program::import

#endif
