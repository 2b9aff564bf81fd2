//===- TpuPresets.cpp - figures of TPUs -----------------------------------===//
//
// Levels: `slice`, the data-center network; `x`, `y`, `z`, the dims of the
// torus; and `core` where a chip is two devices (v3, 7x). Link rates are the
// effective ones, about 0.9 of nominal. A dim wraps
//
//   v3           at 32, the full pod
//   v5e, v6e     at 16
//   v4, v5p, 7x  when all dims are multiples of 4: whole 4x4x4 cubes
//
// and is a line otherwise. Two parameters are fitted: the launch of a
// collective on 7x (ten rows), and on the others (one row, v5e).
//
//===----------------------------------------------------------------------===//

#include "partita/Machine/MemoryPool.h"
#include "partita/Machine/PresetTables.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace partita::machine::presets {

namespace {

enum class WrapRule : uint8_t { FullPodOf32, At16, WholeCubes };

struct TpuFigures {
  PresetInfo info;
  /// Of a chip.
  std::vector<TablePeak> peaks;
  TableFigure memoryBytes, memoryBytesPerSecond, memoryPpm;
  TableFigure matmulTile;
  int64_t devicesPerChip;
  size_t rank;
  int64_t mostSize;
  TableFigure podChips;
  WrapRule wrap;
  TableFigure linkBytesPerSecond, reachedPpm, launchPs, hopPs;
  /// The network card of a host, and the chips that share it.
  TableFigure networkBytesPerSecond, chipsPerPort;
  TableFigure coreBytesPerSecond;
  /// Cloud names: the prefixes of names such as v5p-128, and how many cores they count per chip.
  std::vector<const char *> cloudPrefixes;
  int64_t coresPerChip;
  std::vector<const char *> slices;
};

} // namespace

/// Published end points only: a large product on v6e; small ones by convention.
static const std::vector<EfficiencyPoint> &getCurve() {
  static const std::vector<EfficiencyPoint> curve = {
      {100'000, 200'000}, {10'000'000, 700'000}, {1'200'000'000, 901'000}};
  return curve;
}

static const std::vector<const char *> planarSlices = {"1x1", "2x2", "2x4", "4x4", "4x8", "8x8", "8x16", "16x16"};
static const std::vector<const char *> cubicSlices = {"1x1x1",   "2x2x1",    "2x2x2",  "2x2x4",  "2x4x4",
                                                      "4x4x4",   "4x4x8",    "4x8x8",  "8x8x8",  "8x8x16",
                                                      "8x16x16", "16x16x16", "4x4x12", "8x8x12", "16x16x24"};

static const std::vector<TpuFigures> &getTpus() {
  static const TableFigure hop{1_us, "book"};
  static const TableFigure launch{5_us, "book"};
  static const TableFigure measured{820'000, "book"};
  static const TableFigure whole{wholePpm, "convention"};
  static const std::vector<TpuFigures> table = {
      {{"tpu-v3", "4x4", "Google TPU v3; each of a chip's two cores is a device"},
       {{"bf16", {123_tflops, "gcp-v3"}}},
       {34'359'738'368, "gcp-v3"},
       {900_gbs, "gcp-v3"},
       {830'000, "as tpu-v6e"},
       {128, "jax"},
       2,
       2,
       32,
       {1024, "gcp-v3"},
       WrapRule::FullPodOf32,
       {83_gbs, "derived"},
       whole,
       launch,
       hop,
       {25_gbs, "book"},
       {8, "book"},
       {166_gbs, "convention"},
       {"v3-"},
       2,
       {"2x2", "4x4", "4x8", "8x8", "8x16", "16x16", "16x32", "32x32"}},
      {{"tpu-v4", "4x4x4", "Google TPU v4"},
       {{"bf16", {275_tflops, "gcp-v4"}}, {"int8", {275_tflops, "gcp-v4"}}},
       {34'359'738'368, "gcp-v4"},
       {1200_gbs, "gcp-v4"},
       {830'000, "as tpu-v6e"},
       {128, "jax"},
       1,
       3,
       16,
       {4096, "gcp-v4"},
       WrapRule::WholeCubes,
       {45_gbs, "book"},
       whole,
       launch,
       hop,
       {25_gbs, "book"},
       {4, "maxtext"},
       {},
       {"v4-"},
       2,
       cubicSlices},
      {{"tpu-v5e", "4x4", "Google TPU v5e"},
       {{"bf16", {197_tflops, "gcp-v5e"}}, {"int8", {393_tflops, "gcp-v5e"}}, {"int4", {788_tflops, "jax"}}},
       {17'179'869'184, "book"},
       {819_gbs, "gcp-v5e"},
       {830'000, "as tpu-v6e"},
       {128, "jax"},
       1,
       2,
       16,
       {256, "gcp-v5e"},
       WrapRule::At16,
       {45_gbs, "book"},
       measured,
       launch,
       hop,
       {25_gbs, "gcp-v5e"},
       {8, "gcp-v5e"},
       {},
       {"v5e-", "v5litepod-", "v5lite-"},
       1,
       planarSlices},
      {{"tpu-v5p", "4x4x4", "Google TPU v5p"},
       {{"bf16", {459_tflops, "gcp-v5p"}},
        {"int8", {918_tflops, "jax"}},
        {"int4", {1840_tflops, "jax"}},
        {"fp8", {459_tflops, "gcp-v5p"}}},
       {102'005'473'280, "gcp-v5p"},
       {2765_gbs, "gcp-v5p"},
       {830'000, "as tpu-v6e"},
       {128, "jax"},
       1,
       3,
       28,
       {8960, "gcp-v5p"},
       WrapRule::WholeCubes,
       {90_gbs, "book"},
       whole,
       launch,
       hop,
       {25_gbs, "gcp-v5p"},
       {4, "gcp-v5p"},
       {},
       {"v5p-"},
       2,
       cubicSlices},
      {{"tpu-v6e", "4x4", "Google TPU v6e (Trillium)"},
       {{"bf16", {918_tflops, "gcp-7x"}},
        {"int8", {1840_tflops, "jax"}},
        {"int4", {3680_tflops, "jax"}},
        {"fp8", {918_tflops, "gcp-7x"}}},
       {34'359'738'368, "gcp-7x"},
       {1638_gbs, "gcp-7x"},
       {830'000, "tpu-recipes"},
       {256, "jax"},
       1,
       2,
       16,
       {256, "gcp-7x"},
       WrapRule::At16,
       {90_gbs, "book"},
       {820'000, "as tpu-v5e"},
       launch,
       hop,
       {12.5_gbs, "gcp-7x"},
       {1, "gcp-7x"},
       {},
       {"v6e-"},
       1,
       planarSlices},
      {{"tpu-7x", "4x4x4", "Google TPU 7x (Ironwood); each of a chip's two cores is a device"},
       {{"bf16", {2307_tflops, "gcp-7x"}}, {"fp8", {4614_tflops, "gcp-7x"}}},
       {206'158'430'208, "gcp-7x"},
       {7380_gbs, "gcp-7x"},
       {870'000, "tpu-recipes"},
       {256, "jax"},
       2,
       3,
       32,
       {9216, "gcp-7x"},
       WrapRule::WholeCubes,
       {90_gbs, "derived"},
       whole,
       {13_us, "fit-7x"},
       {1_us, "memory"},
       {12.5_gbs, "gcp-7x"},
       {1, "gcp-7x"},
       {540_gbs, "maxtext"},
       {"tpu7x-", "7x-"},
       2,
       cubicSlices},
  };
  return table;
}

static bool isWrapped(WrapRule rule, llvm::ArrayRef<int64_t> sizes, int64_t size) {
  switch (rule) {
  case WrapRule::FullPodOf32:
    return size == 32;
  case WrapRule::At16:
    return size == 16;
  case WrapRule::WholeCubes:
    return llvm::all_of(sizes, [](int64_t s) { return s % 4 == 0; });
  }
  return false;
}

static Level makeTorusDim(const TpuFigures &tpu, llvm::ArrayRef<int64_t> sizes, size_t dim) {
  Level level;
  level.name = std::string(1, "xyz"[dim]);
  level.kind = isWrapped(tpu.wrap, sizes, sizes[dim]) ? LevelKind::Ring : LevelKind::Line;
  level.size = sizes[dim];
  level.bytesPerSecond = tpu.linkBytesPerSecond;
  level.devicesPerPort = {tpu.devicesPerChip, "jax"};
  level.protocols = {{tpu.launchPs, tpu.hopPs, tpu.reachedPpm}};
  level.peerHopPs = tpu.hopPs;
  return level;
}

static Level makeSlices(const TpuFigures &tpu, int64_t slices) {
  Level level;
  level.name = "slice";
  level.kind = LevelKind::Switch;
  level.size = slices;
  level.bytesPerSecond = tpu.networkBytesPerSecond;
  level.devicesPerPort = {tpu.chipsPerPort.value * tpu.devicesPerChip, tpu.chipsPerPort.source};
  level.protocols = {{{50_us, "convention"}, {20_us, "convention"}, {wholePpm, "convention"}}};
  level.peerHopPs = {20_us, "convention"};
  return level;
}

static Level makeCores(const TpuFigures &tpu) {
  Level level;
  level.name = "core";
  level.kind = LevelKind::Switch;
  level.size = tpu.devicesPerChip;
  level.bytesPerSecond = tpu.coreBytesPerSecond;
  level.devicesPerPort = {1, tpu.coreBytesPerSecond.source};
  level.protocols = {{tpu.launchPs, tpu.hopPs, {wholePpm, "convention"}}};
  level.peerHopPs = tpu.hopPs;
  return level;
}

static Device makeDevice(const TpuFigures &tpu) {
  auto share = [&](TableFigure figure) { return Figure{figure.value / tpu.devicesPerChip, figure.source}; };
  Device device;
  for (const TablePeak &peak : tpu.peaks)
    device.peaks.push_back({peak.type, share(peak.flopsPerSecond)});
  device.memoryBytes = share(tpu.memoryBytes);
  device.pool = getDefaultPool("tpu");
  device.memoryBytesPerSecond = share(tpu.memoryBytesPerSecond);
  device.memoryPpm = tpu.memoryPpm;
  device.launchPs = {1_us, "convention"};
  device.matmulTile = tpu.matmulTile;
  device.matmulEfficiency = getCurve();
  device.matmulEfficiencySource = "tpu-recipes";
  return device;
}

static std::string printSizes(const TpuFigures &tpu) {
  return tpu.wrap == WrapRule::WholeCubes ? "1, 2 and multiples of 4 up to " + std::to_string(tpu.mostSize)
                                          : "powers of two up to " + std::to_string(tpu.mostSize);
}

static bool isPossibleSize(const TpuFigures &tpu, int64_t size) {
  if (size > tpu.mostSize)
    return false;
  if (tpu.wrap == WrapRule::WholeCubes)
    return size <= 2 || size % 4 == 0;
  return llvm::isPowerOf2_64(static_cast<uint64_t>(size));
}

static Status checkShape(const TpuFigures &tpu, const MachineShape &shape) {
  llvm::StringRef name = tpu.info.name;
  std::string example = "write it as in " + tpu.info.exampleShape.str();
  if (shape.sizes.size() != tpu.rank)
    return shapeError(name, shape, "its torus has " + llvm::Twine(tpu.rank) + " dims", example);
  int64_t chips = 1;
  for (int64_t size : shape.sizes) {
    if (!isPossibleSize(tpu, size))
      return shapeError(name, shape, "there is no dim of " + llvm::Twine(size) + " chips",
                        "sizes are " + printSizes(tpu));
    chips *= size;
  }
  if (chips > tpu.podChips.value)
    return shapeError(name, shape,
                      llvm::Twine(chips) + " chips are more than the " + llvm::Twine(tpu.podChips.value) + " of a pod",
                      "join several slices, as in 2*" + tpu.info.exampleShape.str());
  return std::nullopt;
}

static Result<Machine> makeMachine(const TpuFigures &tpu, const MachineShape &shape) {
  if (Status error = checkShape(tpu, shape))
    return *error;
  Machine machine;
  machine.name = tpu.info.name.str() + ":" + printShape(shape);
  machine.platform = "tpu";
  machine.device = makeDevice(tpu);
  machine.hierarchicalCollectives = true;
  // Nobody measured steps, products or peaks against predictions.
  machine.stepWidthPpm = 300'000;
  machine.peakWidthPpm = 200'000;
  machine.levels.push_back(makeSlices(tpu, shape.slices));
  for (size_t dim = 0; dim < tpu.rank; ++dim)
    machine.levels.push_back(makeTorusDim(tpu, shape.sizes, dim));
  if (tpu.devicesPerChip > 1) {
    machine.levels.push_back(makeCores(tpu));
    machine.notes.push_back("the shape counts chips; each chip is " + std::to_string(tpu.devicesPerChip) + " devices");
  }
  return machine;
}

std::vector<PresetInfo> listTpus() {
  std::vector<PresetInfo> list;
  for (const TpuFigures &tpu : getTpus())
    list.push_back(tpu.info);
  return list;
}

std::optional<Result<Machine>> buildTpu(llvm::StringRef name, const MachineShape &shape) {
  for (const TpuFigures &tpu : getTpus())
    if (tpu.info.name == name)
      return makeMachine(tpu, shape);
  return std::nullopt;
}

static int64_t countChips(llvm::StringRef slice) {
  int64_t chips = 1;
  llvm::SmallVector<llvm::StringRef, 3> sizes;
  slice.split(sizes, 'x');
  for (llvm::StringRef size : sizes) {
    int64_t value = 1;
    if (!size.getAsInteger(10, value))
      chips *= value;
  }
  return chips;
}

static Result<CloudName> findSlice(const TpuFigures &tpu, llvm::StringRef text, int64_t count) {
  bool countsCores = tpu.coresPerChip > 1;
  for (llvm::StringRef slice : tpu.slices) {
    if (countChips(slice) * tpu.coresPerChip != count)
      continue;
    std::string chips = std::to_string(countChips(slice));
    std::string counted = countsCores ? " counts cores: " + chips + " chips, " : " counts chips: ";
    return CloudName{tpu.info.name.str(), slice.str(),
                     "'" + text.str() + "'" + counted + "taken as " + tpu.info.name.str() + ":" + slice.str()};
  }
  return Error::usage(("machine '" + text + "': no slice of " + tpu.info.name + " has " + llvm::Twine(count) +
                       (countsCores ? " cores" : " chips"))
                          .str())
      .withRemedy("give the torus, as in " + tpu.info.name.str() + ":" + tpu.info.exampleShape.str());
}

std::optional<Result<CloudName>> parseCloudName(llvm::StringRef text) {
  llvm::StringRef bare = text;
  bool isTpu7x = bare.starts_with("tpu7x-");
  if (!isTpu7x)
    bare.consume_front("tpu-");
  for (const TpuFigures &tpu : getTpus())
    for (llvm::StringRef prefix : tpu.cloudPrefixes) {
      llvm::StringRef rest = bare;
      int64_t count = 0;
      if (rest.consume_front(prefix) && !rest.getAsInteger(10, count) && count > 0)
        return findSlice(tpu, text, count);
    }
  return std::nullopt;
}

} // namespace partita::machine::presets
