//===- Machine.cpp - devices and the links between them -------------------===//

#include "partita/Machine/Machine.h"

#include "partita/Support/Saturating.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <initializer_list>
#include <limits>

namespace partita::machine {

static constexpr struct {
  LevelKind kind;
  llvm::StringLiteral name;
} levelKinds[] = {
    {LevelKind::Switch, "switch"},
    {LevelKind::Ring, "ring"},
    {LevelKind::Line, "line"},
    {LevelKind::FullMesh, "full_mesh"},
    {LevelKind::HybridMesh, "hybrid_mesh"},
};

llvm::StringRef getName(LevelKind kind) {
  return llvm::find_if(levelKinds, [&](const auto &entry) { return entry.kind == kind; })->name;
}

std::optional<LevelKind> findLevelKind(llvm::StringRef name) {
  for (const auto &entry : levelKinds)
    if (entry.name == name)
      return entry.kind;
  return std::nullopt;
}

llvm::StringRef getName(OpFamily family) {
  static constexpr llvm::StringLiteral names[numOpFamilies] = {
      "rows", "convolution", "depthwise_convolution", "sort",          "top_k", "scatter", "cumulative",
      "fft",  "solve",       "factorization",         "vector_product"};
  return names[static_cast<size_t>(family)];
}

int64_t getIssueWindow(const Machine &machine) {
  if (machine.device.issueWindow)
    return *machine.device.issueWindow;
  // Fitted to the peaks of programs that XLA has compiled for GPUs (docs/cost.md). XLA:CPU overlaps nothing.
  return llvm::StringSwitch<int64_t>(machine.platform).Cases({"cuda", "rocm"}, 2).Case("tpu", 1).Default(0);
}

int64_t getLateWindow(const Machine &machine) {
  if (machine.device.lateWindow)
    return *machine.device.lateWindow;
  // Fitted to the same peaks.
  return llvm::StringSwitch<int64_t>(machine.platform).Cases({"cuda", "rocm"}, 8).Default(0);
}

llvm::ArrayRef<llvm::StringRef> listPlatforms() {
  static constexpr llvm::StringRef platforms[] = {"cpu", "cuda", "rocm", "tpu"};
  return platforms;
}

int64_t Machine::getNumDevices() const {
  int64_t count = 1;
  for (const Level &level : levels)
    count *= level.size;
  return count;
}

std::optional<uint32_t> Machine::findLevel(llvm::StringRef levelName) const {
  for (uint32_t i = 0; i < levels.size(); ++i)
    if (levels[i].name == levelName)
      return i;
  return std::nullopt;
}

/// Rates to look for, best first. What a framework runs by default precedes what the hardware could do.
static llvm::ArrayRef<llvm::StringLiteral> getRateNames(llvm::StringRef type) {
  static constexpr llvm::StringLiteral f64[] = {"f64", "f32", "tf32"};
  static constexpr llvm::StringLiteral f32[] = {"tf32", "f32", "bf16", "f16"};
  static constexpr llvm::StringLiteral bf16[] = {"bf16", "f16", "tf32", "f32"};
  static constexpr llvm::StringLiteral f16[] = {"f16", "bf16", "tf32", "f32"};
  static constexpr llvm::StringLiteral fp8[] = {"fp8", "bf16", "f16", "f32"};
  static constexpr llvm::StringLiteral fp4[] = {"fp4", "fp8", "bf16", "f16", "f32"};
  static constexpr llvm::StringLiteral i8[] = {"int8", "bf16", "f16", "f32"};
  static constexpr llvm::StringLiteral i4[] = {"int4", "int8", "bf16", "f16", "f32"};
  if (type.starts_with("f8"))
    return fp8;
  if (type.starts_with("f4") || type.starts_with("f6"))
    return fp4;
  if (type == "f64" || type.starts_with("complex"))
    return f64;
  if (type == "bf16")
    return bf16;
  if (type == "f16")
    return f16;
  if (type == "i8" || type == "ui8" || type == "i1")
    return i8;
  if (type == "i4" || type == "ui4" || type == "i2" || type == "ui2")
    return i4;
  return f32;
}

static std::optional<uint32_t> findPeakIndex(const Device &device, llvm::StringRef type) {
  for (uint32_t index = 0; index < device.peaks.size(); ++index)
    if (device.peaks[index].type == type && device.peaks[index].flopsPerSecond.value > 0)
      return index;
  return std::nullopt;
}

int64_t findPeak(const Device &device, llvm::StringRef type) {
  std::optional<uint32_t> index = findPeakIndex(device, type);
  return index ? device.peaks[*index].flopsPerSecond.value : 0;
}

ProductRate findProductRate(const Device &device, llvm::StringRef elementType, ProductPrecision precision) {
  bool isExact = elementType == "f32" && precision == ProductPrecision::Highest;
  if (std::optional<uint32_t> index = isExact ? findPeakIndex(device, "f32") : std::nullopt)
    return {*index, 1};
  for (llvm::StringRef name : getRateNames(elementType)) {
    std::optional<uint32_t> index = findPeakIndex(device, name);
    if (!index)
      continue;
    // A number of f32 is the sum of three of bf16; the smaller products of these may be left out.
    bool isSum = elementType == "f32" && name.ends_with("16");
    int64_t passes = isSum && precision == ProductPrecision::Highest ? 6
                     : isSum && precision == ProductPrecision::High  ? 3
                                                                     : 1;
    return {*index, passes};
  }
  return {};
}

int64_t getPeakFlopsPerSecond(const Device &device, llvm::StringRef elementType) {
  ProductRate rate = findProductRate(device, elementType);
  return rate.passes > 0 ? device.peaks[rate.peak].flopsPerSecond.value : 0;
}

/// 2^16 * log2(value), interpolated linearly between powers of two. Monotone, exact on powers of two, and the same on
/// every platform.
static int64_t computeLog(int64_t value) {
  int64_t whole = llvm::Log2_64(static_cast<uint64_t>(value));
  int64_t power = int64_t(1) << whole;
  return (whole << 16) + static_cast<int64_t>((static_cast<__int128>(value - power) << 16) / power);
}

int64_t computeEfficiencyPpm(llvm::ArrayRef<EfficiencyPoint> curve, int64_t idealPs) {
  if (curve.empty())
    return wholePpm;
  if (idealPs <= curve.front().idealPs)
    return curve.front().ppm;
  for (auto [low, high] : llvm::zip(curve.drop_back(), curve.drop_front())) {
    if (idealPs >= high.idealPs)
      continue;
    int64_t span = computeLog(high.idealPs) - computeLog(low.idealPs);
    int64_t offset = computeLog(idealPs) - computeLog(low.idealPs);
    return low.ppm + (high.ppm - low.ppm) * offset / std::max<int64_t>(span, 1);
  }
  return curve.back().ppm;
}

int64_t computeMatmulPs(const Device &device, llvm::StringRef elementType, int64_t flops, ProductPrecision precision) {
  ProductRate rate = findProductRate(device, elementType, precision);
  if (rate.passes == 0)
    return device.launchPs.value;
  int64_t peak = device.peaks[rate.peak].flopsPerSecond.value;
  flops = multiplySaturated(flops, rate.passes);
  int64_t ideal = computeTransferPs(flops, peak);
  int64_t ppm = computeEfficiencyPpm(device.matmulEfficiency, ideal);
  return std::min(maxTimePs, device.launchPs.value + computeTransferPs(flops, peak, ppm));
}

int64_t computeTransferPs(int64_t amount, int64_t perSecond, int64_t ppm) {
  if (amount <= 0)
    return 0;
  if (perSecond <= 0 || ppm <= 0)
    return maxTimePs;
  using Wide = unsigned __int128;
  Wide picoseconds = static_cast<Wide>(amount) * 1'000'000'000'000ULL;
  Wide rate = static_cast<Wide>(perSecond) * static_cast<uint64_t>(ppm);
  // picoseconds * 10^6 / rate in 128 bits: amount < 2^63, so the product stays below 2^123.
  Wide time = (picoseconds * static_cast<uint64_t>(wholePpm) + rate - 1) / rate;
  return static_cast<int64_t>(std::min(time, static_cast<Wide>(maxTimePs)));
}

} // namespace partita::machine
