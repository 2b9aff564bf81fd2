//===- SlowOpPrice.cpp - ops that take longer than their traffic ----------===//

#include "partita/Cost/SlowOpPrice.h"

#include "partita/Support/Saturating.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace partita::cost {

namespace {

/// Launches, and passes over the traffic in hundredths.
struct Passes {
  int64_t launches = 1;
  int64_t percent = 100;
};

} // namespace

static constexpr int64_t longTransform = 8192, fewKept = 16, longRow = 1024;

/// Of two additions to one row, and how many indices have one that meets another.
static constexpr int64_t meetingPs = 7'700'000, indicesOfARow = 100;

bool isSlowOp(OpKind kind) {
  switch (kind) {
  case OpKind::Cholesky:
  case OpKind::Eigh:
  case OpKind::Fft:
  case OpKind::Lu:
  case OpKind::Qr:
  case OpKind::Scatter:
  case OpKind::Sort:
  case OpKind::Svd:
  case OpKind::TopK:
  case OpKind::TriangularSolve:
    return true;
  default:
    return false;
  }
}

bool isPrefixOp(const Graph &graph, OpId op) {
  return llvm::any_of(graph.getFactors(op), [](const Factor &factor) { return factor.isPrefix; });
}

static int64_t computePassesPs(const Device &device, Passes passes, int64_t bytes) {
  int64_t once = computeTransferPs(bytes, device.memoryBytesPerSecond.value, device.memoryPpm.value);
  return addSaturated(multiplySaturated(device.launchPs.value, passes.launches),
                      partita::multiplySaturated(once, passes.percent) / 100);
}

static int64_t computeSortPs(const Device &device, const SlowOpPiece &piece, int64_t bytes) {
  auto levels = static_cast<int64_t>(llvm::Log2_64_Ceil(static_cast<uint64_t>(std::max<int64_t>(2, piece.rowSize))));
  int64_t merged = computePassesPs(device, {22, levels * (levels + 1) / 2 * 43}, bytes);
  return piece.rows > 1 ? merged : std::min(merged, computePassesPs(device, {35, 1900}, bytes));
}

/// Additions of less than 32 bits that meet in a row wait for each other, if several units add at the same time.
static int64_t computeScatterPs(const Device &device, const SlowOpPiece &piece) {
  int64_t moved = computePassesPs(device, piece.windows == 1 ? Passes{} : Passes{2, 160}, piece.trafficBytes);
  bool waits = piece.adds && piece.elementBits < 32 && device.products.units.value > 1;
  return waits ? std::max(moved, multiplySaturated(meetingPs, piece.indices / indicesOfARow)) : moved;
}

static int64_t computeTopKPs(const Device &device, const SlowOpPiece &piece) {
  int64_t kept = std::max<int64_t>(1, piece.results / piece.rows);
  if (kept <= fewKept && piece.rowSize >= longRow)
    return computePassesPs(device, {2, 300 * kept}, piece.trafficBytes);
  // Values and their places are read and written; places take less than they could.
  return computeSortPs(device, piece, multiplySaturated(piece.operandBytes, 3));
}

/// Column by column, with products of what is left.
static int64_t computeColumnsPs(const Device &device, OpKind kind, const SlowOpPiece &piece) {
  int64_t steps = multiplySaturated(device.launchPs.value, piece.side) / 3;
  int64_t flops = kind == OpKind::Cholesky ? multiplySaturated(piece.elements, piece.side) / 3
                                           : multiplySaturated(piece.results, piece.side);
  int64_t peak = findPeak(device, "f32");
  int64_t products = computeTransferPs(flops, peak > 0 ? peak : getPeakFlopsPerSecond(device, "f32"), 700'000);
  int64_t moved = computePassesPs(device, {1, 100}, piece.trafficBytes);
  return std::max(moved, addSaturated(steps, products));
}

namespace {

/// Column by column as well: launches for each column, the share of the peak rate in millionths, and flops of a matrix
/// in thirds of m n^2.
struct Factorization {
  int64_t columnPercent = 0;
  int64_t ratePpm = 0;
  int64_t thirds = 0;
};

} // namespace

static Factorization getFactorization(OpKind kind) {
  switch (kind) {
  case OpKind::Lu:
    return {150, 150'000, 2};
  case OpKind::Qr:
    return {175, 150'000, 4};
  case OpKind::Eigh:
    return {830, 180'000, 27};
  default:
    return {};
  }
}

static int64_t computeFactorizationPs(const Device &device, OpKind kind, const SlowOpPiece &piece) {
  int64_t columns = std::min(piece.side, piece.otherSide), rows = std::max(piece.side, piece.otherSide);
  int64_t area = std::max<int64_t>(1, multiplySaturated(columns, rows));
  int64_t matrices = std::max<int64_t>(1, piece.elements / area);
  int64_t launch = device.launchPs.value;
  if (kind == OpKind::Svd) {
    int64_t sweeps = multiplySaturated(multiplySaturated(columns, columns + rows), launch) / 60;
    return multiplySaturated(matrices, addSaturated(multiplySaturated(15 * launch, columns), sweeps));
  }
  Factorization work = getFactorization(kind);
  int64_t steps = multiplySaturated(multiplySaturated(columns, launch), work.columnPercent) / 100;
  if (kind == OpKind::Qr)
    steps = multiplySaturated(steps, std::max<int64_t>(1, matrices / 3));
  int64_t flops = multiplySaturated(multiplySaturated(matrices, multiplySaturated(area, columns)), work.thirds) / 3;
  int64_t peak = findPeak(device, "f32");
  return addSaturated(steps,
                      computeTransferPs(flops, peak > 0 ? peak : getPeakFlopsPerSecond(device, "f32"), work.ratePpm));
}

/// By the rule alone.
static int64_t computeRulePs(const Device &device, OpKind kind, const SlowOpPiece &piece) {
  if (piece.isPrefix)
    return computePassesPs(device, {4, 300}, piece.trafficBytes);
  switch (kind) {
  case OpKind::Sort:
    return computeSortPs(device, piece, piece.trafficBytes);
  case OpKind::TopK:
    return computeTopKPs(device, piece);
  case OpKind::Scatter:
    return computeScatterPs(device, piece);
  case OpKind::Fft:
    return computePassesPs(device, piece.rowSize > longTransform ? Passes{3, 350} : Passes{1, 120}, piece.trafficBytes);
  case OpKind::Cholesky:
  case OpKind::TriangularSolve:
    return computeColumnsPs(device, kind, piece);
  case OpKind::Eigh:
  case OpKind::Lu:
  case OpKind::Qr:
  case OpKind::Svd:
    return computeFactorizationPs(device, kind, piece);
  default:
    return computePassesPs(device, {}, piece.trafficBytes);
  }
}

static std::optional<OpFamily> findFamily(OpKind kind, const SlowOpPiece &piece) {
  if (piece.isPrefix)
    return OpFamily::Cumulative;
  switch (kind) {
  case OpKind::Sort:
    return OpFamily::Sort;
  case OpKind::TopK:
    return OpFamily::TopK;
  case OpKind::Scatter:
    return OpFamily::Scatter;
  case OpKind::Fft:
    return OpFamily::Fft;
  case OpKind::Cholesky:
  case OpKind::TriangularSolve:
    return OpFamily::Solve;
  case OpKind::Eigh:
  case OpKind::Lu:
  case OpKind::Qr:
  case OpKind::Svd:
    return OpFamily::Factorization;
  default:
    return std::nullopt;
  }
}

int64_t computeSlowOpPs(const Device &device, OpKind kind, const SlowOpPiece &piece) {
  int64_t timePs = computeRulePs(device, kind, piece);
  std::optional<OpFamily> family = findFamily(kind, piece);
  if (!family)
    return timePs;
  __int128 scaled = static_cast<__int128>(timePs) * device.ops.getTimePpm(*family) / wholePpm;
  return static_cast<int64_t>(std::min<__int128>(scaled, maxTimePs));
}

} // namespace partita::cost
