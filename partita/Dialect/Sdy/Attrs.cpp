//===- Attrs.cpp - attributes of the sdy dialect --------------------------===//
//
// What makes an attribute valid by itself, and what can be computed from it.
// Its text is in AttrFormat.cpp.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Sdy/AttrFormat.h"
#include "partita/Dialect/Sdy/Axes.h"
#include "partita/Dialect/Sdy/SdyDialect.h"
#include "partita/Support/Saturating.h"

#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace partita::sdy;

#include "partita/Dialect/Sdy/Enums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "partita/Dialect/Sdy/Attrs.cpp.inc"

namespace partita::sdy {

void SdyDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "partita/Dialect/Sdy/Attrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Axes and meshes
//===----------------------------------------------------------------------===//

LogicalResult MeshAxisAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef name, int64_t size) {
  if (size < 1)
    return emitError() << "axis \"" << name << "\" must have a size of at least 1, got " << size;
  return success();
}

static int64_t computeTotalSize(ArrayRef<MeshAxisAttr> axes) {
  int64_t size = 1;
  for (MeshAxisAttr axis : axes)
    size = multiplySaturated(size, axis.getSize());
  return size;
}

static bool isIota(ArrayRef<int64_t> ids) { return llvm::equal(ids, llvm::seq<int64_t>(0, ids.size())); }

bool MeshAttr::isNaturalOrder(ArrayRef<MeshAxisAttr> axes, ArrayRef<int64_t> deviceIds) {
  return !axes.empty() && sdy::computeTotalSize(axes) == static_cast<int64_t>(deviceIds.size()) && isIota(deviceIds);
}

/// Explicit device ids of a mesh with axes are a permutation of 0, 1, 2, ...
static LogicalResult verifyDeviceOrder(function_ref<InFlightDiagnostic()> emitError, ArrayRef<MeshAxisAttr> axes,
                                       ArrayRef<int64_t> deviceIds) {
  int64_t total = computeTotalSize(axes);
  if (total != static_cast<int64_t>(deviceIds.size()))
    return emitError() << "mesh of " << total << " devices lists " << deviceIds.size() << " device ids";
  SmallVector<int64_t> sorted(deviceIds);
  llvm::sort(sorted);
  if (!isIota(sorted))
    return emitError() << "device ids must be those from 0 to " << total - 1 << ", each once";
  return success();
}

LogicalResult MeshAttr::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<MeshAxisAttr> axes,
                               ArrayRef<int64_t> deviceIds) {
  if (llvm::any_of(deviceIds, [](int64_t id) { return id < 0; }))
    return emitError() << "device ids must not be negative";
  if (axes.empty() && deviceIds.size() > 1)
    return emitError() << "mesh without axes lists more than one device id";
  llvm::SmallSet<StringRef, 8> names;
  for (MeshAxisAttr axis : axes)
    if (!names.insert(axis.getName()).second)
      return emitError() << "axis \"" << axis.getName() << "\" is in the mesh twice";
  return axes.empty() || deviceIds.empty() ? success() : verifyDeviceOrder(emitError, axes, deviceIds);
}

size_t MeshAttr::getAxisIndex(StringRef name) const {
  auto *axis = llvm::find_if(getAxes(), [&](MeshAxisAttr axis) { return axis.getName() == name; });
  return axis - getAxes().begin();
}

std::optional<int64_t> MeshAttr::findAxisSize(StringRef name) const {
  size_t index = getAxisIndex(name);
  return index < getAxes().size() ? std::optional(getAxes()[index].getSize()) : std::nullopt;
}

int64_t MeshAttr::getAxisSize(StringRef name) const {
  std::optional<int64_t> size = findAxisSize(name);
  assert(size && "the mesh has no such axis");
  return size.value_or(1);
}

int64_t MeshAttr::getTotalSize() const { return sdy::computeTotalSize(getAxes()); }

int64_t SubAxisInfoAttr::getNextPreSize() const { return multiplySaturated(getPreSize(), getSize()); }

int64_t AxisRefAttr::getSize(MeshAttr mesh) const {
  return isSubAxis() ? getSubAxisInfo().getSize() : mesh.getAxisSize(getName());
}

int64_t AxisRefAttr::getNextPreSize(MeshAttr mesh) const {
  return isSubAxis() ? getSubAxisInfo().getNextPreSize() : mesh.getAxisSize(getName());
}

//===----------------------------------------------------------------------===//
// Shardings and rules
//===----------------------------------------------------------------------===//

int64_t DimensionShardingAttr::getShardedSize(MeshAttr mesh) const { return sdy::computeTotalSize(getAxes(), mesh); }

bool TensorShardingAttr::isFullyReplicated() const {
  return llvm::all_of(getDimShardings(), [](DimensionShardingAttr dim) { return dim.getAxes().empty(); });
}

SmallVector<AxisRefAttr> TensorShardingAttr::getAllAxes() const {
  SmallVector<AxisRefAttr> axes;
  for (DimensionShardingAttr dim : getDimShardings())
    llvm::append_range(axes, dim.getAxes());
  llvm::append_range(axes, getReplicatedAxes());
  llvm::append_range(axes, getUnreducedAxes());
  return axes;
}

TensorShardingAttr TensorShardingAttr::getReplicated(Attribute meshOrRef, int64_t rank, bool isClosed) {
  MLIRContext *context = meshOrRef.getContext();
  SmallVector<DimensionShardingAttr> dims(rank, DimensionShardingAttr::get(context, {}, isClosed));
  return get(context, meshOrRef, dims, {}, {});
}

bool TensorMappingAttr::containsFactor(int64_t factor) const {
  return llvm::any_of(getDimMappings(),
                      [&](DimMappingAttr dim) { return llvm::is_contained(dim.getFactorIndices(), factor); });
}

//===----------------------------------------------------------------------===//
// Propagation's record
//===----------------------------------------------------------------------===//

static LogicalResult verifyTargets(function_ref<InFlightDiagnostic()> emitError, AxisToPropagationDetailsAttr entry) {
  llvm::SmallDenseSet<EdgeValueRefAttr> seen{entry.getSource()};
  for (EdgeValueRefAttr target : entry.getTargets())
    if (!seen.insert(target).second)
      return emitError() << "targets of a propagated axis must differ from its source and from each other";
  return success();
}

LogicalResult PropagationEdgesAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                           ArrayRef<PropagationOneStepAttr> steps) {
  llvm::SmallSet<int64_t, 8> indices;
  for (PropagationOneStepAttr step : steps) {
    if (step.getStepIndex() < 0 || !indices.insert(step.getStepIndex()).second)
      return emitError() << "steps of propagation must not be negative and each is recorded once, got "
                         << step.getStepIndex();
    for (AxisToPropagationDetailsAttr entry : step.getAxisEntries())
      if (failed(verifyTargets(emitError, entry)))
        return failure();
  }
  return success();
}

} // namespace partita::sdy
