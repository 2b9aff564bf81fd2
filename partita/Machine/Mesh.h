//===- Mesh.h - the logical grid of devices -------------------------------===//
//
// `data=4,model=2`: named axes in order; devices are numbered row-major, so the
// last axis runs fastest.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_MACHINE_MESH_H
#define PARTITA_MACHINE_MESH_H

#include "partita/Machine/Rooms.h"
#include "partita/Support/Error.h"

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace partita::machine {

struct MeshAxis {
  std::string name;
  int64_t size = 1;
  bool operator==(const MeshAxis &) const = default;
};

struct Mesh {
  std::vector<MeshAxis> axes;

  int64_t getNumDevices() const;
  /// Position of the axis of that name.
  std::optional<uint32_t> findAxis(llvm::StringRef name) const;
  std::vector<llvm::StringRef> listNames() const;
  /// `data=4,model=2`.
  std::string str() const;
  bool operator==(const Mesh &) const = default;
};

/// The most devices that a mesh may have.
inline constexpr int64_t maxDevices = int64_t(1) << 20;

/// Parses `data=4,model=2`; errors are usage errors.
Result<Mesh> parseMesh(llvm::StringRef text);

} // namespace partita::machine

#endif
