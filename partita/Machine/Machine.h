//===- Machine.h - devices and the links between them ---------------------===//
//
// A machine is one kind of device and an ordered list of interconnect levels,
// outermost first: nodes and the NVLink domain inside each, or slices and the
// dims of a torus. Devices are numbered row-major over the levels, so the last
// level runs fastest. Every figure says where it comes from.
//
// Peak rates and reached rates are separate: rates are the vendor's, `...Ppm` is
// the share of them that is reached, in millionths. All figures are integers, so
// prices do not depend on order or platform.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_MACHINE_MACHINE_H
#define PARTITA_MACHINE_MACHINE_H

#include "partita/Machine/Level.h"
#include "partita/Machine/OpFigures.h"
#include "partita/Machine/ProductFigures.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace partita::machine {

/// Peak rate of matrix products of one element type.
struct PeakRate {
  std::string type;
  Figure flopsPerSecond;
  bool operator==(const PeakRate &) const = default;
};

/// A matrix product that would take `idealPs` at peak rate reaches `ppm` of it.
struct EfficiencyPoint {
  int64_t idealPs = 0;
  int64_t ppm = wholePpm;
  bool operator==(const EfficiencyPoint &) const = default;
};

/// What a runtime gives programs of the memory (MemoryPool.h).
struct MemoryPool {
  /// Of the memory, what its allocator takes for arrays.
  Figure sharePpm{900'000, ""};
  /// Of that pool, what its compiler plans with.
  Figure plannedPpm{wholePpm, ""};
  bool operator==(const MemoryPool &) const = default;
};

struct Device {
  std::vector<PeakRate> peaks;
  Figure memoryBytes;
  MemoryPool pool;
  Figure memoryBytesPerSecond;
  /// Share of the memory's rate that streaming reaches.
  Figure memoryPpm{wholePpm, ""};
  /// What a kernel takes beside its work.
  Figure launchPs;
  /// Time that the host needs to issue a kernel or a collective; 0: the host is always far enough ahead, as with
  /// compiled programs. Only the timeline uses it (Simulation.h).
  Figure issuePs;
  /// What it takes more for a collective, for each other device of the group; counts only with issuePs.
  Figure issuePeerPs;
  /// How many ops that stand alone run between a transfer's issue and its use; none: that of the platform
  /// (getIssueWindow).
  std::optional<int64_t> issueWindow;
  /// How many ops that stand alone run between the place of a product and the product, if nothing needs it earlier;
  /// none: that of the platform (getLateWindow).
  std::optional<int64_t> lateWindow;
  /// Dims of matrix products are padded to multiples of it.
  Figure matmulTile{1, ""};
  /// In ascending order of idealPs. Interpolated on the logarithm of idealPs, constant outside.
  std::vector<EfficiencyPoint> matmulEfficiency;
  std::string matmulEfficiencySource;
  /// If it has tiles, products take what they say, and matmulTile and matmulEfficiency are for kernels that contain
  /// products.
  ProductFigures products;
  OpFigures ops;
  bool operator==(const Device &) const = default;
};

struct SourceNote {
  std::string tag;
  std::string text;
  bool operator==(const SourceNote &) const = default;
};

struct Machine {
  /// `h100-sxm:4x8`.
  std::string name;
  /// What programs are lowered for: cpu, cuda, rocm or tpu; empty if a file does not say.
  std::string platform;
  Device device;
  /// Outermost first.
  std::vector<Level> levels;
  /// A collective over several levels runs level by level (reduce inside, across, gather inside); otherwise one ring or
  /// tree runs through all of them.
  bool hierarchicalCollectives = false;
  /// How far measured steps are from predicted ones: a standard deviation, in millionths of the time; 0: not known.
  int64_t stepWidthPpm = 0;
  /// The same of peak memory.
  int64_t peakWidthPpm = 0;
  std::vector<SourceNote> sources;
  /// Remarks for the user, such as how a cloud name was understood.
  std::vector<std::string> notes;

  int64_t getNumDevices() const;
  std::optional<uint32_t> findLevel(llvm::StringRef name) const;
  bool operator==(const Machine &) const = default;
};

/// How many ops that stand alone XLA keeps between a gather's issue and its use, or a late reduction and its end, when
/// it counts memory (Cost/IssueWindow.h).
int64_t getIssueWindow(const Machine &machine);
int64_t getLateWindow(const Machine &machine);

/// The platforms that programs are lowered for, by JAX's names.
llvm::ArrayRef<llvm::StringRef> listPlatforms();

/// Peak rate of matrix products of an element type as MLIR spells it (`bf16`, `f8E4M3FN`, `i8`). A type without its own
/// rate runs at that of the narrowest type that holds it; f32 runs at the rate that frameworks use by default (tf32, or
/// bf16 passes). 0 if the device has no rate at all.
int64_t getPeakFlopsPerSecond(const Device &device, llvm::StringRef elementType);

/// How exact products of f32 have to be: as frameworks run them by default, close to f32, or f32.
enum class ProductPrecision : uint8_t { Default, High, Highest };

/// An entry of Device::peaks, and how often products run at that rate; no passes: the device has no rate at all.
struct ProductRate {
  uint32_t peak = 0;
  int64_t passes = 0;
};

/// As getPeakFlopsPerSecond. f32 products of the highest precision run at the rate of f32; without such a rate they
/// take six passes, and three of high precision, at that of the type that is there.
ProductRate findProductRate(const Device &device, llvm::StringRef elementType,
                            ProductPrecision precision = ProductPrecision::Default);

/// The rate of an entry of Device::peaks; 0 if there is none.
int64_t findPeak(const Device &device, llvm::StringRef type);

/// The share of the peak rate that a product reaches if it would take `idealPs` at peak.
int64_t computeEfficiencyPpm(llvm::ArrayRef<EfficiencyPoint> curve, int64_t idealPs);

/// Time of a matrix product by its flops alone, launch included: launch + ideal / efficiency(ideal).
int64_t computeMatmulPs(const Device &device, llvm::StringRef elementType, int64_t flops,
                        ProductPrecision precision = ProductPrecision::Default);

/// amount / perSecond in picoseconds, rounded up; saturates at maxTimePs.
int64_t computeTransferPs(int64_t amount, int64_t perSecond, int64_t ppm = wholePpm);

/// No time is above this, so that sums of many stay in range.
inline constexpr int64_t maxTimePs = int64_t(1) << 56;

} // namespace partita::machine

#endif
