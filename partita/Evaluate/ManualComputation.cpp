//===- ManualComputation.cpp - runs sdy.manual_computation ----------------===//
//
// A program of global shapes runs on one device. At a manual computation, all
// devices of the mesh start: each gets its piece of every operand, they run the
// body in lock step, and their pieces are put together. Devices that hold the
// same piece must agree on it.
//
// In a nested manual computation the devices of the mesh already run. Then the
// same happens within each group of devices that differ in the manual axes.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Diagnostics.h"
#include "partita/Dialect/Sdy/ShardingOf.h"
#include "partita/Evaluate/Interpreter.h"
#include "partita/Evaluate/Observer.h"
#include "partita/Evaluate/Pieces.h"
#include "partita/Program/Devices.h"
#include "partita/Support/Saturating.h"

#include "llvm/ADT/Sequence.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>
#include <map>

using namespace mlir;

namespace partita::evaluate {

namespace {

/// How one value is split along the manual axes: digits for each dim.
struct Cut {
  SmallVector<SmallVector<Digit>> dims;

  /// Where the piece of the device at `position` starts, in pieces.
  SmallVector<int64_t> computePiece(int64_t position) const {
    SmallVector<int64_t> piece;
    for (ArrayRef<Digit> digits : dims)
      piece.push_back(computeNumber(position, digits));
    return piece;
  }
  /// The same in elements.
  SmallVector<int64_t> computeOffsets(int64_t position, ArrayRef<int64_t> localShape) const {
    SmallVector<int64_t> offsets = computePiece(position);
    for (auto [offset, size] : llvm::zip_equal(offsets, localShape))
      offset *= size;
    return offsets;
  }
};

class ManualRun {
public:
  ManualRun(Interpreter &interpreter, const Step &step, ActiveDevices active, DeviceMesh mesh)
      : interpreter(interpreter), step(step), op(cast<sdy::ManualComputationOp>(step.op)), active(active),
        mesh(std::move(mesh)), appears(interpreter.getNumDevices() == 1) {}

  Status run();

private:
  Status prepare();
  Result<SmallVector<Cut>> makeCuts(sdy::TensorShardingPerValueAttr shardings);
  Result<SmallVector<Group>> makeGroups();
  void enterBody();
  /// Shows the pieces of the results to the observer.
  void showPieces(Observer &observer);
  /// Puts result number `index` together from the pieces of a group.
  Result<Tensor> assemble(ArrayRef<int64_t> positions, unsigned index);
  Status writeGroup(ArrayRef<int64_t> positions);
  Error makeDifference(unsigned index, int64_t first, int64_t second);

  Interpreter &interpreter;
  const Step &step;
  sdy::ManualComputationOp op;
  ActiveDevices active;
  DeviceMesh mesh;
  /// True if the devices of the mesh exist only for this op.
  bool appears;
  SmallVector<Cut> operandCuts, resultCuts;
  llvm::DenseMap<int64_t, Values> returned;
};

} // namespace

Result<SmallVector<Cut>> ManualRun::makeCuts(sdy::TensorShardingPerValueAttr shardings) {
  SmallVector<Cut> cuts;
  for (sdy::TensorShardingAttr sharding : shardings.getShardings()) {
    if (!sharding.getUnreducedAxes().empty())
      return Error::unsupported(locationOf(op), "the evaluator does not run manual computations with unreduced axes");
    Cut &cut = cuts.emplace_back();
    for (sdy::DimensionShardingAttr dim : sharding.getDimShardings()) {
      SmallVector<Digit> &digits = cut.dims.emplace_back();
      for (sdy::AxisRefAttr axis : dim.getAxes()) {
        if (!op.isManual(axis.getName()))
          continue;
        std::optional<Digit> digit = mesh.findDigit(axis);
        if (!digit)
          return Error::badInput(locationOf(op), "the mesh has no axis '" + axis.getName().str() + "' of this size");
        digits.push_back(*digit);
      }
    }
  }
  return cuts;
}

/// Positions in the mesh of the devices whose pieces make one value.
Result<SmallVector<Group>> ManualRun::makeGroups() {
  if (appears)
    return SmallVector<Group>{llvm::to_vector(llvm::seq<int64_t>(0, mesh.getNumDevices()))};
  SmallVector<Digit> digits;
  for (StringAttr axis : op.getManualAxes())
    if (std::optional<Digit> digit = mesh.findDigit(axis.getValue()))
      digits.push_back(*digit);
  std::optional<SmallVector<Group>> groups = mesh.computeGroups(digits);
  if (!groups)
    return Error::badInput(locationOf(op), "an axis is manual twice");
  llvm::DenseMap<int64_t, int64_t> positions;
  for (int64_t position = 0; position < mesh.getNumDevices(); ++position)
    positions[mesh.getDevice(position)] = position;
  for (Group &group : *groups)
    for (int64_t &device : group)
      device = positions[device];
  return std::move(*groups);
}

Status ManualRun::prepare() {
  Result<SmallVector<Cut>> inputs = makeCuts(op.getInShardings()), outputs = makeCuts(op.getOutShardings());
  if (!inputs)
    return inputs.error();
  if (!outputs)
    return outputs.error();
  operandCuts = std::move(*inputs);
  resultCuts = std::move(*outputs);
  int64_t count = mesh.getNumDevices();
  if (!mesh.isPermutation() || (!appears && count != interpreter.getNumDevices()))
    return Error::unsupported(locationOf(op), "a manual computation on " + std::to_string(count) +
                                                  " devices cannot run in a program on " +
                                                  std::to_string(interpreter.getNumDevices()));
  if (!appears && static_cast<int64_t>(active.size()) != count)
    return Error::badInput(locationOf(op), "deadlock: only " + std::to_string(active.size()) + " of " +
                                               std::to_string(count) + " devices come to this manual computation");
  int64_t bytes = 0;
  for (Type type : op.getBody().getArgumentTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      bytes += computeBytes(tensor, interpreter.getMode());
  if (Status error = interpreter.spend(step, count))
    return error;
  return interpreter.reserve(op, multiplySaturated(bytes, count));
}

void ManualRun::enterBody() {
  SmallVector<Values> wholes;
  for (int64_t device : active)
    wholes.push_back(interpreter.readOperands(device, step));
  if (appears)
    interpreter.setNumDevices(mesh.getNumDevices());
  Block &body = op.getBody().front();
  for (int64_t position = 0; position < mesh.getNumDevices(); ++position) {
    int64_t device = mesh.getDevice(position);
    Values pieces;
    for (auto [index, whole] : llvm::enumerate(wholes[appears ? 0 : device])) {
      if (whole.isToken()) {
        pieces.push_back(whole);
        continue;
      }
      ArrayRef<int64_t> shape = cast<RankedTensorType>(body.getArgument(index).getType()).getShape();
      pieces.push_back(extractPiece(whole, operandCuts[index].computeOffsets(position, shape), shape));
    }
    interpreter.enter(body, device, pieces);
  }
}

/// The first element in which two pieces differ, as text.
static std::string describeDifference(const Tensor &a, const Tensor &b) {
  SmallVector<int64_t> index(a.getRank());
  for (int64_t element = 0; element < a.size(); ++element, increment(index, a.getShape()))
    if (visitKind(a.getKind(), [&]<typename T>(T *) {
          // The bits count: two NaNs may differ, zeros of two signs do.
          const T &left = a.get<T>()[element], &right = b.get<T>()[element];
          return std::memcmp(&left, &right, sizeof(T)) != 0; // NOLINT(bugprone-suspicious-memory-comparison)
        }))
      break;
  std::string text = "[";
  llvm::raw_string_ostream stream(text);
  llvm::interleaveComma(index, stream);
  return text + "]";
}

Error ManualRun::makeDifference(unsigned index, int64_t first, int64_t second) {
  std::string where = describeDifference(returned[first][index], returned[second][index]);
  return Error::badInput(locationOf(op), "devices " + std::to_string(first) + " and " + std::to_string(second) +
                                             " hold the same piece of result " + std::to_string(index) +
                                             " of the manual computation, but differ at its index " + where)
      .withRemedy("out_shardings must name every axis along which the result differs");
}

void ManualRun::showPieces(Observer &observer) {
  for (unsigned index = 0; index < op->getNumResults(); ++index)
    for (int64_t position = 0; position < mesh.getNumDevices(); ++position) {
      int64_t device = mesh.getDevice(position);
      const Tensor &piece = returned[device][index];
      if (!piece.isToken())
        observer.seePiece(op, index, device, resultCuts[index].computeOffsets(position, piece.getShape()), piece);
    }
}

Result<Tensor> ManualRun::assemble(ArrayRef<int64_t> positions, unsigned index) {
  auto type = dyn_cast<RankedTensorType>(op.getResult(index).getType());
  if (!type)
    return returned[mesh.getDevice(positions.front())][index];
  const Cut &cut = resultCuts[index];
  Tensor whole(type, interpreter.getMode());
  std::map<SmallVector<int64_t>, int64_t> owners;
  for (int64_t position : positions) {
    int64_t device = mesh.getDevice(position);
    const Tensor &piece = returned[device][index];
    auto [owner, isFirst] = owners.try_emplace(cut.computePiece(position), device);
    if (isFirst)
      insertPiece(whole, cut.computeOffsets(position, piece.getShape()), piece);
    else if (!returned[owner->second][index].isIdentical(piece))
      return makeDifference(index, owner->second, device);
  }
  return whole;
}

Status ManualRun::writeGroup(ArrayRef<int64_t> positions) {
  for (unsigned index = 0; index < op->getNumResults(); ++index) {
    Result<Tensor> whole = assemble(positions, index);
    if (!whole)
      return whole.error();
    if (appears)
      interpreter.write(0, step, index, std::move(*whole));
    else
      for (int64_t position : positions)
        interpreter.write(mesh.getDevice(position), step, index, *whole);
  }
  return std::nullopt;
}

Status ManualRun::run() {
  if (Status error = prepare())
    return error;
  Result<SmallVector<Group>> groups = makeGroups();
  if (!groups)
    return groups.error();
  enterBody();
  Block &body = op.getBody().front();
  auto devices = llvm::to_vector(llvm::seq<int64_t>(0, mesh.getNumDevices()));
  if (Status error = interpreter.run(body, devices))
    return error;
  for (int64_t device : devices)
    returned[device] = interpreter.leave(body, device);
  if (Observer *observer = interpreter.getObserver())
    showPieces(*observer);
  if (appears)
    interpreter.setNumDevices(1);
  for (const Group &group : *groups)
    if (Status error = writeGroup(group))
      return error;
  return std::nullopt;
}

/// The mesh of the shardings. Refuses null attributes and huge meshes.
static Result<DeviceMesh> findMesh(Interpreter &interpreter, sdy::ManualComputationOp op) {
  SmallVector<sdy::TensorShardingAttr> shardings(op.getInShardings().getShardings());
  llvm::append_range(shardings, op.getOutShardings().getShardings());
  sdy::MeshAttr mesh = shardings.empty() ? sdy::MeshAttr() : sdy::lookupCommonMesh(shardings, op);
  if (!mesh)
    return Error::unsupported(locationOf(op), "a manual computation without a mesh cannot be run");
  if (mesh.getTotalSize() > maxDevices)
    return Error::unsupported(locationOf(op), "the mesh has more than " + std::to_string(maxDevices) + " devices");
  return DeviceMesh::make(mesh);
}

static Status evaluateManualComputation(Interpreter &interpreter, const Step &step, ActiveDevices active) {
  Result<DeviceMesh> mesh = findMesh(interpreter, cast<sdy::ManualComputationOp>(step.op));
  if (!mesh)
    return mesh.error();
  return ManualRun(interpreter, step, active, std::move(*mesh)).run();
}

void registerManualComputation(CrossDeviceOps &table) {
  table.add<sdy::ManualComputationOp>(evaluateManualComputation);
}

} // namespace partita::evaluate
