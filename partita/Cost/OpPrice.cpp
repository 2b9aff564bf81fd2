//===- OpPrice.cpp - the time of a device's piece of an op ----------------===//

#include "partita/Cost/OpPrice.h"

#include "partita/Cost/Exchanges.h"
#include "partita/Machine/TurnedOperands.h"
#include "partita/Support/Saturating.h"

#include "llvm/ADT/STLExtras.h"

namespace partita::cost {

int64_t OpPricer::computeLocalBytes(const Assignment &assignment, OpId op, uint32_t value) const {
  return computePieceBytes(assignment, op, value);
}

int64_t OpPricer::computeReadsPs(const Assignment &assignment, const FusionPlan &fusion, UseId use,
                                 uint32_t numReads) const {
  if (numReads == 0)
    return 0;
  OpId op = topology.getUser(use);
  uint32_t operand = use.get() - graph.ops[op].firstUse;
  FusionRole role = fusion.getRole(op);
  if (role == FusionRole::Update && operand == 0)
    return 0;
  int64_t bytes = computeLocalBytes(assignment, op, operand);
  if (role == FusionRole::Slice && operand == 0)
    bytes = std::min(bytes, computeLocalBytes(assignment, op, graph.ops[op].numUses));
  return computeStreamPs(op, graph.cells[graph.uses[use]].elementBits, numReads * bytes);
}

/// What moving operand or result `value` takes at least, if the move is scattered. A device that has one of the few
/// heads of a group alone would move tiles, but plans that split groups so far are rare, and a price that falls there
/// would leave the bound of all others far behind.
int64_t OpPricer::computeScatteredBytes(const Assignment &assignment, OpId op, uint32_t value, bool isScattered) const {
  // For each element. From steps of attention with groups of heads on an H200 that constants may be chosen on:
  // gradients of scores, with the few heads of a group innermost.
  constexpr int64_t scatteredBytes = 25;
  if (!isScattered || device.products.tiles.empty())
    return 0;
  uint32_t numUses = graph.ops[op].numUses;
  CellId cell = value < numUses ? graph.getOperands(op)[value] : graph.getResults(op)[value - numUses];
  int64_t elements = computeLocalBytes(assignment, op, value) * 8 / std::max<int64_t>(graph.cells[cell].elementBits, 1);
  return elements * scatteredBytes;
}

int64_t OpPricer::computeOrderCopyPs(const Assignment &assignment, const DimOrders &orders, UseId use) const {
  OpId op = topology.getUser(use);
  uint32_t operand = use.get() - graph.ops[op].firstUse;
  return computeKernelPs(std::max(2 * computeLocalBytes(assignment, op, operand),
                                  computeScatteredBytes(assignment, op, operand, orders.isScattered(use))));
}

int64_t OpPricer::computeWritePs(const Assignment &assignment, const FusionPlan &fusion, OpId op, uint32_t result,
                                 int64_t bytes) const {
  CellId cell = graph.getResults(op)[result];
  int64_t scattered = computeScatteredBytes(assignment, op, graph.ops[op].numUses + result, fusion.isScattered(cell));
  return std::max(computeStreamPs(op, graph.cells[cell].elementBits, bytes), computeMemoryPs(scattered));
}

int64_t OpPricer::scaleTime(int64_t timePs, int64_t ppm) {
  return static_cast<int64_t>(std::min<__int128>(static_cast<__int128>(timePs) * ppm / wholePpm, maxTimePs));
}

int64_t OpPricer::computeBufferPs(const FusionPlan &fusion, OpId op, int64_t bytes) const {
  int64_t passes = fusion.getBufferPasses(op);
  return passes == 0 ? 0 : (fusion.hasBufferKernel(op) ? getLaunchPs() : 0) + computeMemoryPs(passes * bytes);
}

int64_t OpPricer::computeLocalFlops(const Assignment &assignment, OpId op) const {
  int64_t parts = 1;
  for (uint32_t factor = 0; factor < graph.ops[op].numFactors; ++factor)
    parts *= assignment.getParts(topology.getNode(op), factor);
  return (graph.ops[op].flops + parts - 1) / parts;
}

/// The sizes of a product whose dims have nothing in common, as none of its dims may be split: its operands differ from
/// device to device, say. With b batches, operands have b m k and b k n elements, the result b m n, and 2 b m n k flops
/// are done.
static void deriveSizes(const Graph &graph, OpId op, ProductPiece &piece) {
  auto count = [&](CellId cell) {
    int64_t elements = 1;
    for (int64_t size : graph.getShape(cell))
      elements = multiplySaturated(elements, std::max<int64_t>(1, size));
    return elements;
  };
  int64_t result = count(graph.getResults(op)[0]);
  piece.k = std::max<int64_t>(1, piece.flops / result / 2);
  int64_t rows = std::max<int64_t>(1, count(graph.getOperands(op)[0]) / piece.k);
  int64_t columns = std::max<int64_t>(1, count(graph.getOperands(op)[1]) / piece.k);
  piece.batch = std::max<int64_t>(1, static_cast<int64_t>(static_cast<__int128>(rows) * columns / result));
  piece.m = std::max<int64_t>(1, rows / piece.batch);
  piece.n = std::max<int64_t>(1, columns / piece.batch);
}

/// The sizes of the matrix product on one device. Factors that only one operand has (windows of a convolution) are
/// contracted: what is left of the flops.
ProductPiece OpPricer::computePiece(const Assignment &assignment, OpId op) const {
  const Op &info = graph.ops[op];
  ProductPiece piece;
  piece.flops = computeLocalFlops(assignment, op);
  // Which values have a factor: bits 0 and 1 are the operands, bit 2 a result.
  std::array<uint8_t, 64> where = {};
  for (const DimFactor &entry : graph.getDimFactors(op))
    if (entry.factor < where.size())
      where[entry.factor] |= entry.value < 2 ? 1 << entry.value : entry.value >= info.numUses ? 4 : 0;
  auto isShared = [](uint8_t values) { return values == 3 || values >= 5; };
  if (info.kind == OpKind::DotGeneral && llvm::none_of(where, isShared)) {
    deriveSizes(graph, op, piece);
    return piece;
  }
  for (uint32_t factor = 0; factor < std::min<uint32_t>(info.numFactors, where.size()); ++factor) {
    int64_t size = getLocalSize(assignment, op, factor);
    switch (where[factor]) {
    case 1 | 4:
      piece.m *= size;
      break;
    case 2 | 4:
      piece.n *= size;
      break;
    case 1 | 2:
      piece.k *= size;
      break;
    case 1 | 2 | 4:
      piece.batch *= size;
      break;
    default:
      break;
    }
  }
  // Pixels that a convolution computes are windows of one operand alone, but elements of the result.
  if (int64_t columns = partita::multiplySaturated(piece.batch, piece.n); columns > 0 && info.numDefinitions > 0) {
    int64_t bits = std::max<int64_t>(1, graph.cells[graph.getResults(op)[0]].elementBits);
    piece.m = std::max(piece.m, computeLocalBytes(assignment, op, info.numUses) * 8 / bits / columns);
  }
  __int128 points = static_cast<__int128>(2) * piece.batch * piece.m * piece.n;
  if (points > 0)
    piece.k = std::max(piece.k, static_cast<int64_t>(piece.flops / points));
  return piece;
}

/// Whether the rows of an operand, in the order of its dims, are multiples of 16 bytes.
bool OpPricer::hasAlignedRows(const Assignment &assignment, OpId op, uint32_t operand) const {
  CellId cell = graph.getOperands(op)[operand];
  uint32_t rank = graph.cells[cell].rank;
  if (rank == 0)
    return true;
  int64_t size = graph.getShape(cell).back();
  NodeId node = topology.getNode(op);
  for (const DimFactor &entry : graph.getDimFactors(op))
    if (entry.value == operand && entry.dim + 1u == rank)
      size /= assignment.getParts(node, entry.factor);
  return size <= 1 || size * graph.cells[cell].elementBits % 128 == 0;
}

/// Whether the dim in which the operand's elements lie side by side is contracted.
static bool contractsLastDim(const Graph &graph, OpId op, uint32_t operand) {
  DimOrder dims = listLongDims(graph, graph.getOperands(op)[operand]);
  if (dims.empty())
    return false;
  bool isInOperand = false, isInOther = false, isInResult = false;
  for (const DimFactor &entry : graph.getDimFactors(op)) {
    if (entry.value != operand || entry.dim != dims.back())
      continue;
    isInOperand = true;
    for (const DimFactor &other : graph.getDimFactors(op))
      if (other.factor == entry.factor && other.value != operand)
        (other.value < 2 ? isInOther : isInResult) = true;
  }
  return isInOperand && isInOther && !isInResult;
}

/// Of the larger operand.
bool OpPricer::contractsRows(OpId op) const {
  llvm::ArrayRef<CellId> operands = graph.getOperands(op);
  return contractsLastDim(graph, op, graph.getBytes(operands[1]) > graph.getBytes(operands[0]) ? 1 : 0);
}

static ProductPrecision getPrecision(const Op &op) {
  switch (op.precision) {
  case Precision::Default:
    return ProductPrecision::Default;
  case Precision::High:
    return ProductPrecision::High;
  case Precision::Highest:
    return ProductPrecision::Highest;
  }
  return ProductPrecision::Default;
}

/// Whether it multiplies more than once for an element of the result and of the dims that both operands have: the
/// windows of a convolution.
static bool hasWindows(const Graph &graph, OpId op) {
  const Op &info = graph.ops[op];
  std::array<uint8_t, 64> where = {};
  for (const DimFactor &entry : graph.getDimFactors(op))
    if (entry.factor < where.size())
      where[entry.factor] |= entry.value < 2 ? 1 << entry.value : 4;
  __int128 products = 2;
  for (uint32_t factor = 0; factor < std::min<uint32_t>(info.numFactors, where.size()); ++factor)
    if (where[factor] == (1 | 2))
      products *= graph.getFactors(op)[factor].size;
  for (int64_t size : graph.getShape(graph.getResults(op)[0]))
    products = std::min<__int128>(products * size, INT64_MAX);
  return info.flops > products;
}

/// Windows have fewer elements than this where no kernel for the matrix units is worth its while.
static constexpr int64_t fewContracted = 64;

/// The time of a convolution on a GPU: some kernels turn the windows and the image first. Measured there alone.
int64_t OpPricer::computeWindowsPs(const ProductPiece &piece, int64_t productPs) const {
  int64_t peak = findPeak(device, "f32"), vectorPpm = device.products.vectorPpm.value;
  bool isDepthwise = piece.batch > 1 && std::min(piece.m, piece.n) == 1;
  if (!piece.isAligned && piece.k < fewContracted && peak > 0 && vectorPpm > 0)
    productPs = std::max(productPs, computeTransferPs(piece.flops, peak, std::max<int64_t>(1, vectorPpm / 2)));
  int64_t timePs = addSaturated(2 * device.launchPs.value, partita::multiplySaturated(productPs, 6) / 5);
  return scaleTime(timePs, device.ops.getTimePpm(isDepthwise ? OpFamily::DepthwiseConvolution : OpFamily::Convolution));
}

int64_t OpPricer::computeContractionPs(const Assignment &assignment, OpId op) const {
  const Op &info = graph.ops[op];
  if (info.opClass != OpClass::Contraction || info.numUses < 2)
    return std::max(computeKernelPs(computeTrafficBytes(assignment, op)),
                    computeMatmulPs(device, getOperandType(op), computeLocalFlops(assignment, op), getPrecision(info)));
  ProductPiece piece = computePiece(assignment, op);
  piece.bytes = computeTrafficBytes(assignment, op);
  piece.isAligned = hasAlignedRows(assignment, op, 0) && hasAlignedRows(assignment, op, 1);
  piece.contractsRows = contractsRows(op);
  int64_t turnedBytes = 0;
  for (uint32_t operand : {0u, 1u})
    if (!contractsLastDim(graph, op, operand))
      turnedBytes += computeLocalBytes(assignment, op, operand);
  int64_t timePs =
      machine::computeProductPs(device, products, piece, getOperandType(op), getPrecision(info), turnedBytes);
  return device.products.tiles.empty() || !hasWindows(graph, op) ? timePs : computeWindowsPs(piece, timePs);
}

int64_t OpPricer::computeRowsPs(const Assignment &assignment, OpId op, uint32_t operand, uint32_t dim,
                                int64_t parts) const {
  const Op &info = graph.ops[op];
  ProductPiece piece = computePiece(assignment, op);
  piece.flops /= parts;
  (operand == 0 ? piece.m : piece.n) /= parts;
  piece.bytes = computeLocalBytes(assignment, op, 1 - operand) + computeLocalBytes(assignment, op, operand) / parts +
                computeLocalBytes(assignment, op, info.numUses) / parts;
  piece.isAligned = hasAlignedRows(assignment, op, 0) && hasAlignedRows(assignment, op, 1);
  CellId cell = graph.getOperands(op)[operand];
  // Rows of a transposed operand are shorter.
  if (dim + 1 == graph.cells[cell].rank)
    piece.isAligned &= (operand == 0 ? piece.m : piece.n) * graph.cells[cell].elementBits % 128 == 0;
  piece.contractsRows = contractsRows(op);
  return std::min(products.computeTimePs(piece, getOperandType(op), getPrecision(info)), maxTimePs);
}

/// The type of the wider of the two operands.
llvm::StringRef OpPricer::getOperandType(OpId op) const {
  llvm::ArrayRef<CellId> operands = graph.getOperands(op);
  CellId wider = operands.empty() ? graph.getResults(op)[0] : operands[0];
  if (operands.size() > 1 && graph.cells[operands[1]].elementBits > graph.cells[wider].elementBits)
    wider = operands[1];
  return graph.getName(graph.cells[wider].element);
}

int64_t OpPricer::computeTrafficBytes(const Assignment &assignment, OpId op) const {
  const Op &info = graph.ops[op];
  int64_t bytes = 0;
  if (info.opClass == OpClass::Indexing && info.numUses >= 2) {
    bool isScatter = info.kind == OpKind::Scatter && info.numUses >= 3;
    // The moved elements are read and written; the others of operand 0 are not touched.
    uint32_t moved = isScatter ? info.numUses - 1 : info.numUses;
    return 2 * computeLocalBytes(assignment, op, moved) + computeLocalBytes(assignment, op, 1);
  }
  for (uint32_t value = 0; value < info.numUses + info.numDefinitions; ++value)
    bytes += computeLocalBytes(assignment, op, value);
  return bytes;
}

/// Index vectors are numbered by the factors that indices and updates share.
int64_t OpPricer::countWindows(const Assignment &assignment, OpId op) const {
  const Op &info = graph.ops[op];
  if (info.kind != OpKind::Scatter || info.numUses != 3)
    return 0;
  int64_t windows = 1;
  for (const DimFactor &entry : graph.getDimFactors(op)) {
    auto isShared = [&](const DimFactor &other) { return other.value == 2 && other.factor == entry.factor; };
    if (entry.value == 1 && llvm::any_of(graph.getDimFactors(op), isShared))
      windows = partita::multiplySaturated(windows, getLocalSize(assignment, op, entry.factor));
  }
  return windows;
}

/// Rows are the sizes that may not be split.
SlowOpPiece OpPricer::computeSlowPiece(const Assignment &assignment, OpId op) const {
  const Op &info = graph.ops[op];
  auto countElements = [&](uint32_t value) {
    CellId cell = value < info.numUses ? graph.getOperands(op)[value] : graph.getResults(op)[value - info.numUses];
    return computeLocalBytes(assignment, op, value) * 8 / std::max<int64_t>(1, graph.cells[cell].elementBits);
  };
  uint32_t first = info.kind == OpKind::Scatter && info.numUses >= 3 ? info.numUses - 1 : 0;
  SlowOpPiece piece;
  piece.trafficBytes = computeTrafficBytes(assignment, op);
  piece.elements = countElements(first);
  piece.operandBytes = computeLocalBytes(assignment, op, first);
  piece.elementBits = graph.cells[graph.getOperands(op)[first]].elementBits;
  for (uint32_t factor = 0; factor < info.numFactors; ++factor)
    if (graph.getFactors(op)[factor].kind == FactorKind::Parallel)
      piece.rows = partita::multiplySaturated(piece.rows, getLocalSize(assignment, op, factor));
  piece.rows = std::max<int64_t>(1, std::min(piece.rows, piece.elements));
  piece.rowSize = std::max<int64_t>(1, piece.elements / piece.rows);
  llvm::ArrayRef<int64_t> shape = graph.getShape(graph.getOperands(op)[0]);
  piece.side = shape.empty() ? 1 : shape.back();
  piece.otherSide = shape.size() < 2 ? 1 : shape[shape.size() - 2];
  piece.results = info.numDefinitions > 0 ? countElements(info.numUses) : 1;
  piece.indices = info.kind == OpKind::Scatter && info.numUses >= 3 ? countElements(info.numUses / 2) : 0;
  piece.windows = countWindows(assignment, op);
  piece.isPrefix = isPrefixOp(graph, op);
  piece.adds = llvm::any_of(graph.getFactors(op), [](const Factor &factor) {
    return factor.kind == FactorKind::Reduce && factor.combiner == Combiner::Add;
  });
  return piece;
}

int64_t OpPricer::computeTimePs(const Assignment &assignment, OpId op) const {
  const Op &info = graph.ops[op];
  if (hasProducts(info))
    return std::min(computeContractionPs(assignment, op), maxTimePs);
  if ((isSlowOp(info.kind) || isPrefixOp(graph, op)) && info.numUses > 0)
    return std::min(computeSlowOpPs(device, info.kind, computeSlowPiece(assignment, op)), maxTimePs);
  return std::min(computeKernelPs(computeTrafficBytes(assignment, op)), maxTimePs);
}

bool OpPricer::isUnpriced(OpId op) const {
  const Op &info = graph.ops[op];
  return (info.opClass == OpClass::Opaque && info.role == IdentityRole::None && !hasProducts(info) &&
          !isSlowOp(info.kind)) ||
         (info.opClass == OpClass::Collective && !isShift(graph, op));
}

} // namespace partita::cost
