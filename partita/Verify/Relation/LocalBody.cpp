//===- LocalBody.cpp - the part of a local program that devices run -------===//

#include "partita/Verify/Relation/LocalBody.h"

#include "partita/Dialect/Diagnostics.h"
#include "partita/Dialect/Sdy/ShardingOf.h"
#include "partita/Evaluate/Evaluator.h"

using namespace mlir;

namespace partita::verify {

static PieceDigit toDigit(const program::Digit &digit) { return {digit.stride, digit.size}; }

sdy::MeshAttr findMesh(sdy::ManualComputationOp manual) {
  SmallVector<sdy::TensorShardingAttr> shardings(manual.getInShardings().getShardings());
  llvm::append_range(shardings, manual.getOutShardings().getShardings());
  return shardings.empty() ? sdy::MeshAttr() : sdy::lookupCommonMesh(shardings, manual);
}

Result<LocalBody> findLocalBody(func::FuncOp main) {
  LocalBody body;
  Block &block = main.getBody().front();
  for (Operation &op : block.without_terminator())
    if (auto manual = dyn_cast<sdy::ManualComputationOp>(op))
      body.manual = manual;
  if (!body.manual)
    return body;
  if (!llvm::hasSingleElement(block.without_terminator()) ||
      !llvm::equal(body.manual->getOperands(), block.getArguments()) ||
      !llvm::equal(block.getTerminator()->getOperands(), body.manual->getResults()))
    return Error::unsupported(locationOf(main), "the check knows programs that are one manual computation, no others");
  sdy::MeshAttr mesh = findMesh(body.manual);
  if (!mesh || mesh.getTotalSize() > maxDevices)
    return Error::unsupported(locationOf(body.manual), "the manual computation has no mesh, or a huge one");
  body.mesh = DeviceMesh::make(mesh);
  for (sdy::MeshAxisAttr axis : mesh.getAxes()) {
    body.axes.push_back(toDigit(*body.mesh->findDigit(axis.getName())));
    if (!body.manual.isManual(axis.getName()))
      return Error::unsupported(locationOf(body.manual), "the manual computation is not over all axes of its mesh");
  }
  for (int64_t position = 0; position < body.mesh->getNumDevices(); ++position)
    if (body.mesh->getDevice(position) != position)
      return Error::unsupported(locationOf(body.manual), "the mesh lists its devices in another order than theirs");
  return body;
}

Result<PieceLayout> LocalBody::makeLayout(sdy::TensorShardingAttr sharding) const {
  Operation *op = sdy::ManualComputationOp(manual).getOperation();
  if (!sharding.getUnreducedAxes().empty())
    return Error::unsupported(locationOf(op), "the check does not know arguments and results that are unreduced");
  PieceLayout layout(sharding.getDimShardings().size());
  for (auto [dim, dimSharding] : llvm::enumerate(sharding.getDimShardings()))
    for (sdy::AxisRefAttr axis : dimSharding.getAxes()) {
      std::optional<program::Digit> digit = mesh->findDigit(axis);
      if (!digit)
        return Error::badInput(locationOf(op), "the mesh has no axis '" + axis.getName().str() + "' of this size");
      layout.dims[dim].digits.push_back(toDigit(*digit));
    }
  for (DimLayout &dim : layout.dims)
    dim.digits = joinDigits(dim.digits);
  return layout;
}

} // namespace partita::verify
