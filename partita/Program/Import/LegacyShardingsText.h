//===- LegacyShardingsText.h - parses XLA's notation of shardings ---------===//
//
// XLA writes a sharding as text: an array of device numbers with one dim for
// each dim of the tensor. Further dims group devices that hold the same piece,
// or for which the dim is manual.
//
//   {replicated}   {maximal device=3}   {manual}   {unknown}
//   {devices=[2,2]0,1,2,3}
//   {devices=[2,1,4]<=[8] last_tile_dim_replicate}
//   {devices=[4,2]<=[2,4]T(1,0)}
//   {devices=[1,2,4]<=[8] last_tile_dims={manual, replicated}}
//
// A tuple has a list of shardings in braces: {{replicated}, {manual}}.
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
  /// Tiled: sizes of the array. The last `groups.size()` of them belong to groups.
  llvm::SmallVector<int64_t> dims;
  llvm::SmallVector<Group> groups;
  /// Tiled: the numbers in the array, in row-major order.
  llvm::SmallVector<int64_t> devices;

  /// The rank of the tensor: dims of the array without those of groups.
  size_t getRank() const { return dims.size() - groups.size(); }
};

/// The shardings in `text`: one, or those of a tuple. Nothing if it cannot be read; `whyNot` says why.
std::optional<llvm::SmallVector<HloSharding>> parseHloShardings(llvm::StringRef text, std::string &whyNot);

} // namespace partita::program::import

#endif
