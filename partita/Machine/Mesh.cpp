//===- Mesh.cpp - the logical grid of devices -----------------------------===//

#include "partita/Machine/Mesh.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

namespace partita::machine {

int64_t Mesh::getNumDevices() const {
  int64_t count = 1;
  for (const MeshAxis &axis : axes)
    count *= axis.size;
  return count;
}

std::optional<uint32_t> Mesh::findAxis(llvm::StringRef name) const {
  for (uint32_t i = 0; i < axes.size(); ++i)
    if (axes[i].name == name)
      return i;
  return std::nullopt;
}

std::vector<llvm::StringRef> Mesh::listNames() const {
  std::vector<llvm::StringRef> names;
  for (const MeshAxis &axis : axes)
    names.push_back(axis.name);
  return names;
}

std::string Mesh::str() const {
  std::string text;
  for (const MeshAxis &axis : axes)
    text += (text.empty() ? "" : ",") + axis.name + "=" + std::to_string(axis.size);
  return text;
}

static bool isAxisName(llvm::StringRef name) {
  auto isInner = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  return !name.empty() && !llvm::isDigit(name.front()) && llvm::all_of(name, isInner);
}

static Error meshError(llvm::StringRef text, const llvm::Twine &reason) {
  return Error::usage(("mesh '" + text + "': " + reason).str())
      .withRemedy("write axes with their sizes, as in data=4,model=2; --devices 8 leaves them to the search");
}

Result<Mesh> parseMesh(llvm::StringRef text) {
  Mesh mesh;
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, ',');
  int64_t devices = 1;
  for (llvm::StringRef part : parts) {
    auto [name, size] = part.trim().split('=');
    MeshAxis axis{name.trim().str(), 0};
    if (!isAxisName(axis.name))
      return meshError(text, "'" + part + "' does not start with the name of an axis");
    if (mesh.findAxis(axis.name))
      return meshError(text, "axis '" + axis.name + "' stands twice");
    if (size.trim().getAsInteger(10, axis.size) || axis.size < 1)
      return meshError(text, "the size of axis '" + axis.name + "' is not a positive number");
    if (axis.size > maxDevices / devices)
      return meshError(text, "more than " + llvm::Twine(maxDevices) + " devices");
    devices *= axis.size;
    mesh.axes.push_back(std::move(axis));
  }
  return mesh;
}

} // namespace partita::machine
