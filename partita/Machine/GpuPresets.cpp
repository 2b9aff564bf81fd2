//===- GpuPresets.cpp - figures of GPUs -----------------------------------===//
//
// Two levels: `node`, the network with its cards, and the fast domain inside a
// node. The cost of the collective library (launches, hops, the share of the
// link that its low-latency protocol reaches, the pass through memory) is
// fitted on every second message size of the measured tables, and tagged so:
// 9 parameters for each of h100, b200, gb200, 5 for a100 and v100 (all_reduce
// only), 4 for mi350, whose links mi300x shares. The 7 link counts of v100 are
// read off the same table at 1 GiB, the 2 launches of the network off five
// published rows. Matrix products in tiles are fitted on half of the ops that
// were timed on an H200, b200's on half of a measured table; curves, for kernels
// that contain products, are medians of measured tables.
//
//===----------------------------------------------------------------------===//

#include "partita/Machine/MemoryPool.h"
#include "partita/Machine/PresetTables.h"

namespace partita::machine::presets {

namespace {

/// The collective library on a fast domain.
struct LibraryFigures {
  const char *source;
  int64_t launchPs, hopPs;
  /// The second protocol, which reaches the full rate, starts this much later; 0: there is one protocol.
  int64_t bulkLaunchPs;
  /// Share of the full rate that the first protocol reaches.
  int64_t fastPpm;
  int64_t localBytesPerSecond;
  int64_t peerHopPs;
  int64_t permuteLaunchPs, permuteBulkLaunchPs, permuteFastPpm;
  /// How far collectives of 1 MiB and more are from predictions: 1.48 times the median error (docs/accuracy.md).
  int64_t widthPpm;
};

struct NetworkFigures {
  TableFigure portBytesPerSecond, devicesPerPort, reachedPpm;
};

/// Matrix products in tiles.
struct ProductTable {
  const char *source;
  int64_t launchPs, wavePs, splitPs;
  std::vector<ProductTile> tiles;
  int64_t memoryPpm = wholePpm;
  /// Whole where the rows were timed under load, or where nobody looked.
  int64_t sustainedPpm = wholePpm;
};

struct GpuFigures {
  PresetInfo info;
  const char *platform;
  std::vector<TablePeak> peaks;
  TableFigure memoryBytes, memoryBytesPerSecond, memoryPpm;
  TableFigure launchPs;
  const std::vector<EfficiencyPoint> *efficiency;
  const char *efficiencySource;
  /// Compute units, and how they compute products; none: by the curve.
  TableFigure units;
  const ProductTable *products;
  const char *domainName;
  LevelKind domainKind;
  TableFigure domainMost, domainBytesPerSecond;
  const LibraryFigures *library;
  TableFigure inNetworkPpm;
  NetworkFigures network;
  /// How far steps on one node are from predictions (docs/accuracy.md); 0: figures are conventions.
  int64_t stepWidthPpm;
};

} // namespace

/// Medians of measured bf16 products by size, without launch. Sizes end at 4096.
static const std::vector<EfficiencyPoint> hopperCurve = {
    {68'000, 47'000},      {271'000, 128'000},    {1'090'000, 308'000},   {4'340'000, 516'000},
    {17'400'000, 707'000}, {69'500'000, 780'000}, {278'000'000, 820'000},
};
/// Of kernels that contain products: cuDNN's attention on an H200, forward and backward, half of the rows of
/// bench/gpu_ops.py.
static const std::vector<EfficiencyPoint> hopperKernels = {
    {1'090'000, 62'000},   {2'170'000, 105'000},  {8'700'000, 190'000},   {17'400'000, 280'000},
    {34'700'000, 320'000}, {69'500'000, 410'000}, {139'000'000, 480'000}, {278'000'000, 520'000},
};
static const std::vector<EfficiencyPoint> blackwellCurve = {
    {30'000, 31'000},     {121'000, 58'000},     {483'000, 180'000},     {1'930'000, 368'000},
    {7'720'000, 556'000}, {30'900'000, 621'000}, {124'000'000, 673'000}, {247'000'000, 760'000},
};
static const std::vector<EfficiencyPoint> cdnaCurve = {
    {467'000, 150'000},    {1'870'000, 199'000},   {7'470'000, 298'000},
    {29'900'000, 455'000}, {119'000'000, 590'000}, {239'000'000, 627'000},
};
static const std::vector<EfficiencyPoint> hostCurve = {{1'000'000, 500'000}, {1'000'000'000, 800'000}};

static const ProductTable hopperProducts = {"fit-h200-ops",
                                            3.35_us,
                                            0.36_us,
                                            0.48_us,
                                            {{256, 128, 800'000},
                                             {192, 128, 845'000},
                                             {160, 128, 850'000},
                                             {128, 128, 855'000},
                                             {96, 128, 640'000},
                                             {128, 64, 420'000},
                                             {64, 64, 210'000},
                                             {64, 32, 185'000},
                                             {64, 16, 120'000}},
                                            825'000,
                                            740'000};
/// The same tiles on chips whose power was not measured.
static const ProductTable earlierProducts = {hopperProducts.source,  hopperProducts.launchPs, hopperProducts.wavePs,
                                             hopperProducts.splitPs, hopperProducts.tiles,    hopperProducts.memoryPpm};
static const ProductTable blackwellProducts = {"fit-b200-gemm",
                                               4.21_us,
                                               1.61_us,
                                               0,
                                               {{256, 128, 777'000},
                                                {128, 128, 775'000},
                                                {128, 64, 657'000},
                                                {64, 64, 136'000},
                                                {64, 32, 92'000},
                                                {64, 16, 92'000}},
                                               860'000};

static constexpr LibraryFigures voltaLibrary = {"fit-v100", 24.3_us, 2.46_us, 9.96_us, 317'000, 835_gbs,
                                                2.46_us,    24.3_us, 9.96_us, 317'000, 59'000};
static constexpr LibraryFigures ampereLibrary = {"fit-a100", 16.7_us, 3_us,    22.9_us, 256'000, 1040_gbs,
                                                 3_us,       16.7_us, 22.9_us, 256'000, 34'000};
static constexpr LibraryFigures hopperLibrary = {"fit-h100", 15_us,   2.01_us, 11.1_us, 599'000, 1200_gbs,
                                                 4.98_us,    12.5_us, 363_us,  228'000, 117'000};
static constexpr LibraryFigures blackwellLibrary = {"fit-b200", 27.5_us, 1.25_us, 22.6_us, 782'000, 1830_gbs,
                                                    1.89_us,    17.2_us, 386_us,  136'000, 110'000};
static constexpr LibraryFigures rackLibrary = {"fit-gb200", 12.3_us, 1.22_us, 35.7_us, 453'000, 2910_gbs,
                                               0.472_us,    17_us,   388_us,  33'400,  90'000};
static constexpr LibraryFigures xgmiLibrary = {"fit-mi350", 59.9_us, 3.08_us, 0,        wholePpm, 5750_gbs,
                                               3.08_us,     25.9_us, 0,       wholePpm, 64'000};
static constexpr LibraryFigures hostLibrary = {"convention", 50_us, 1_us, 0, wholePpm, 0, 1_us, 50_us, 0, wholePpm, 0};

static constexpr NetworkFigures cards400 = {{50_gbs, "torchtitan"}, {1, "torchtitan"}, {940'000, "nccl-issues"}};
static constexpr NetworkFigures cards200 = {{25_gbs, "memory"}, {1, "memory"}, {960'000, "nccl-issues"}};

static const std::vector<TablePeak> a100Peaks = {{"bf16", {311.9_tflops, "xla"}}, {"f16", {311.9_tflops, "xla"}},
                                                 {"tf32", {155.9_tflops, "xla"}}, {"f32", {19.5_tflops, "xla"}},
                                                 {"int8", {623.7_tflops, "xla"}}, {"f64", {19.5_tflops, "xla"}}};
static const std::vector<TablePeak> hopperPeaks = {{"bf16", {989.17_tflops, "xla"}},  {"f16", {989.17_tflops, "xla"}},
                                                   {"tf32", {494.59_tflops, "xla"}},  {"f32", {66.9_tflops, "xla"}},
                                                   {"int8", {1978.34_tflops, "xla"}}, {"fp8", {1978.34_tflops, "xla"}},
                                                   {"f64", {66.9_tflops, "xla"}}};

/// Standard deviations, 1.25 times a mean error: of steps of Megatron on A100s, those of width 2048; of layers on an
/// H200; of chips that have the H200's figures of kernels; of chips of which nobody measured a step or a kernel.
static constexpr int64_t a100Width = 130'000, hopperWidth = 160'000, likeHopperWidth = 200'000, unknownWidth = 300'000;
/// Of collectives between nodes: ten published rows of nccl-tests.
static constexpr int64_t networkWidth = 220'000;
/// Of peak memory against XLA's on mocked GPUs: half of the 95th percentile of the rows that nothing was decided with.
static constexpr int64_t peakWidth = 95'000;

static const std::vector<GpuFigures> &getGpus() {
  static const TableFigure measuredLaunch{1_us, "read-h200-ops"}, launch{1_us, "as h200-sxm"};
  static const TableFigure measuredStreaming{900'000, "team"}, streaming{900'000, "as h200-sxm"};
  static const std::vector<GpuFigures> table = {
      {{"v100-sxm2", "1x8", "NVIDIA V100 16 GB, hybrid cube mesh of NVLink"},
       "cuda",
       {{"f16", {125_tflops, "memory"}}, {"f32", {15.67_tflops, "xla"}}, {"int8", {62.8_tflops, "memory"}}},
       {16'935'682'048, "xla"},
       {898_gbs, "xla"},
       streaming,
       launch,
       &hopperCurve,
       "as h100-sxm",
       {80, "memory"},
       &earlierProducts,
       "nvlink",
       LevelKind::HybridMesh,
       {8, "memory"},
       {25_gbs, "memory"},
       &voltaLibrary,
       {},
       {{12.5_gbs, "memory"}, {2, "memory"}, {960'000, "nccl-issues"}},
       unknownWidth},
      {{"a100-sxm-40", "1x8", "NVIDIA A100 40 GB, NVSwitch"},
       "cuda",
       a100Peaks,
       {42'331'013'120, "xla"},
       {1555.2_gbs, "xla"},
       streaming,
       launch,
       &hopperCurve,
       "as h100-sxm",
       {108, "xla"},
       &earlierProducts,
       "nvlink",
       LevelKind::Switch,
       {16, "memory"},
       {300_gbs, "memory"},
       &ampereLibrary,
       {},
       cards200,
       a100Width},
      {{"a100-sxm-80", "1x8", "NVIDIA A100 80 GB, NVSwitch"},
       "cuda",
       a100Peaks,
       {85'100'068'864, "xla"},
       {2039.04_gbs, "xla"},
       streaming,
       launch,
       &hopperCurve,
       "as h100-sxm",
       {108, "xla"},
       &earlierProducts,
       "nvlink",
       LevelKind::Switch,
       {16, "memory"},
       {300_gbs, "memory"},
       &ampereLibrary,
       {},
       cards200,
       a100Width},
      {{"h100-sxm", "4x8", "NVIDIA H100 80 GB, NVSwitch, 400 Gb/s a GPU"},
       "cuda",
       hopperPeaks,
       {84'942'979'072, "xla"},
       {3352.32_gbs, "xla"},
       streaming,
       launch,
       &hopperKernels,
       "as h200-sxm",
       {132, "xla"},
       &hopperProducts,
       "nvlink",
       LevelKind::Switch,
       {8, "memory"},
       {450_gbs, "memory"},
       &hopperLibrary,
       {850'000, "nccl"},
       cards400,
       likeHopperWidth},
      {{"h200-sxm", "4x8", "NVIDIA H200 141 GB, NVSwitch, 400 Gb/s a GPU"},
       "cuda",
       hopperPeaks,
       {151'397'597'184, "xla"},
       {4800_gbs, "xla"},
       measuredStreaming,
       measuredLaunch,
       &hopperKernels,
       "fit-h200-kernels",
       {132, "xla"},
       &hopperProducts,
       "nvlink",
       LevelKind::Switch,
       {8, "memory"},
       {450_gbs, "memory"},
       &hopperLibrary,
       {850'000, "nccl"},
       {{50_gbs, "kempner"}, {1, "kempner"}, {940'000, "nccl-issues"}},
       hopperWidth},
      {{"b200", "4x8", "NVIDIA B200, NVSwitch, 400 Gb/s a GPU"},
       "cuda",
       {{"bf16", {2225.16_tflops, "xla"}},
        {"f16", {2225.16_tflops, "xla"}},
        {"tf32", {1112.58_tflops, "xla"}},
        {"f32", {74.5_tflops, "xla"}},
        {"int8", {4450.32_tflops, "xla"}},
        {"fp8", {4450.32_tflops, "xla"}},
        {"fp4", {8900.64_tflops, "xla"}}},
       {191'514'411'008, "xla"},
       {7672.32_gbs, "xla"},
       streaming,
       launch,
       &blackwellCurve,
       "xla-table",
       {148, "xla"},
       &blackwellProducts,
       "nvlink",
       LevelKind::Switch,
       {8, "memory"},
       {900_gbs, "memory"},
       &blackwellLibrary,
       {740'000, "nccl"},
       {{50_gbs, "nccl-issues"}, {1, "nccl-issues"}, {940'000, "nccl-issues"}},
       likeHopperWidth},
      {{"gb200-nvl72", "1x72", "NVIDIA GB200 NVL72, one NVLink domain a rack"},
       "cuda",
       {{"bf16", {2398.11_tflops, "xla"}},
        {"f16", {2398.11_tflops, "xla"}},
        {"tf32", {1199.05_tflops, "xla"}},
        {"f32", {80.2_tflops, "xla"}},
        {"int8", {4796.22_tflops, "xla"}},
        {"fp8", {4796.22_tflops, "xla"}},
        {"fp4", {9592.44_tflops, "xla"}}},
       {197'897'748'480, "xla"},
       {7928.064_gbs, "xla"},
       streaming,
       launch,
       &blackwellCurve,
       "as b200",
       {148, "as b200"},
       &blackwellProducts,
       "nvlink",
       LevelKind::Switch,
       {72, "web"},
       {900_gbs, "memory"},
       &rackLibrary,
       {740'000, "nccl"},
       {{50_gbs, "memory"}, {1, "memory"}, {940'000, "nccl-issues"}},
       likeHopperWidth},
      {{"mi300x", "1x8", "AMD MI300X, full mesh of Infinity Fabric links"},
       "rocm",
       {{"bf16", {1307.4_tflops, "memory"}},
        {"f16", {1307.4_tflops, "memory"}},
        {"tf32", {653.7_tflops, "memory"}},
        {"f32", {163.4_tflops, "memory"}},
        {"int8", {2614.9_tflops, "memory"}},
        {"fp8", {2614.9_tflops, "memory"}}},
       {192'000'000'000, "web"},
       {5300_gbs, "web"},
       streaming,
       launch,
       &cdnaCurve,
       "xla-table (mi350)",
       {},
       nullptr,
       "xgmi",
       LevelKind::FullMesh,
       {8, "web"},
       {64_gbs, "memory"},
       &xgmiLibrary,
       {},
       {{50_gbs, "memory"}, {1, "memory"}, {940'000, "nccl-issues"}},
       unknownWidth},
      {{"cpu-host", "1x8", "virtual CPU devices of one process; start values for tests"},
       "cpu",
       {{"f32", {80'000'000'000, "convention"}},
        {"bf16", {80'000'000'000, "convention"}},
        {"f64", {40'000'000'000, "convention"}},
        {"int8", {80'000'000'000, "convention"}}},
       {4'294'967'296, "convention"},
       {10_gbs, "convention"},
       {wholePpm, "convention"},
       {10_us, "convention"},
       &hostCurve,
       "convention",
       {},
       nullptr,
       "memory",
       LevelKind::Switch,
       {256, "convention"},
       {5_gbs, "convention"},
       &hostLibrary,
       {},
       {{1_gbs, "convention"}, {8, "convention"}, {wholePpm, "convention"}},
       0},
  };
  return table;
}

static std::vector<Protocol> makeProtocols(const char *source, int64_t launch, int64_t bulkLaunch, int64_t hop,
                                           int64_t fastPpm) {
  std::vector<Protocol> protocols = {{{launch, source}, {hop, source}, {fastPpm, source}}};
  if (bulkLaunch > 0)
    protocols.push_back({{launch + bulkLaunch, source}, {hop, source}, {wholePpm, "convention"}});
  return protocols;
}

static Level makeDomain(const GpuFigures &gpu, int64_t size) {
  const LibraryFigures &library = *gpu.library;
  Level level;
  level.name = gpu.domainName;
  level.kind = gpu.domainKind;
  level.size = size;
  level.bytesPerSecond = gpu.domainBytesPerSecond;
  level.bytesPerSecond.widthPpm = library.widthPpm;
  level.devicesPerPort = {1, gpu.domainBytesPerSecond.source};
  if (library.localBytesPerSecond > 0)
    level.localBytesPerSecond = {library.localBytesPerSecond, library.source};
  level.protocols =
      makeProtocols(library.source, library.launchPs, library.bulkLaunchPs, library.hopPs, library.fastPpm);
  level.permuteProtocols =
      makeProtocols(library.source, library.permuteLaunchPs, library.permuteBulkLaunchPs, 0, library.permuteFastPpm);
  level.peerHopPs = {library.peerHopPs, library.source};
  if (gpu.domainKind == LevelKind::Switch)
    level.treeHopPs = {4_us, "nccl"};
  if (gpu.inNetworkPpm.value > 0)
    level.inNetwork = InNetworkReduction{{25_us, "nccl"}, gpu.inNetworkPpm};
  // Measured bus bandwidth divided by that of one link: the number of rings that DGX-1's cube mesh gives a group.
  if (gpu.domainKind == LevelKind::HybridMesh)
    level.groupLinks = {1, 2, 4, 2, 2, 4, 6};
  return level;
}

static Level makeNetwork(const NetworkFigures &network, int64_t nodes, int64_t widthPpm) {
  Level level;
  level.name = "node";
  level.kind = LevelKind::Switch;
  level.size = nodes;
  level.bytesPerSecond = network.portBytesPerSecond;
  level.bytesPerSecond.widthPpm = widthPpm;
  level.devicesPerPort = network.devicesPerPort;
  // Launches: about what remains of the published times of two nodes after hops and bytes.
  level.protocols = {{{30_us, "fit-net"}, {4_us, "nccl"}, {500'000, "convention"}},
                     {{50_us, "fit-net"}, {14_us, "nccl"}, network.reachedPpm}};
  level.permuteProtocols = {{{30_us, "fit-net"}, {4_us, "nccl"}, network.reachedPpm}};
  level.peerHopPs = {4_us, "nccl"};
  level.treeHopPs = {8.5_us, "nccl"};
  return level;
}

static ProductFigures makeProducts(const GpuFigures &gpu) {
  ProductFigures products;
  if (!gpu.products)
    return products;
  // What was measured on one chip alone.
  bool isMeasured = gpu.info.name == "h200-sxm";
  const char *source = isMeasured ? "fit-h200-ops" : "as h200-sxm";
  const ProductTable &table = *gpu.products;
  bool isOwn = isMeasured || table.source != hopperProducts.source;
  const char *tableSource = isOwn ? table.source : "as h200-sxm";
  products.units = gpu.units;
  products.launchPs = {table.launchPs, tableSource};
  products.wavePs = {table.wavePs, tableSource};
  products.splitPs = {table.splitPs, tableSource};
  if (table.sustainedPpm != wholePpm)
    products.sustainedPpm = {table.sustainedPpm, isMeasured ? "load-h200" : "as h200-sxm"};
  products.memoryPpm = {table.memoryPpm, tableSource};
  products.unalignedPpm = {310'000, source};
  products.vectorPpm = {300'000, isMeasured ? "read-h200-ops" : "as h200-sxm"};
  products.typeShares = {{"tf32", {895'000, source}},
                         {"f32", {870'000, source}},
                         {"int8", {wholePpm, source}},
                         {"fp8", {wholePpm, source}}};
  products.tiles = table.tiles;
  products.tilesSource = tableSource;
  return products;
}

static OpFigures makeOps(const GpuFigures &gpu) {
  OpFigures ops;
  if (!gpu.products)
    return ops;
  bool isMeasured = gpu.info.name == "h200-sxm";
  const char *fitted = isMeasured ? "fit-h200-kernels" : "as h200-sxm";
  ops.timePpm.fill({wholePpm, isMeasured ? "read-h200-ops" : "as h200-sxm"});
  ops.timePpm[static_cast<size_t>(OpFamily::Rows)] = {1'300'000, fitted};
  ops.arithmeticPpm = {650'000, fitted};
  ops.timePpm[static_cast<size_t>(OpFamily::DepthwiseConvolution)] = {1'300'000, fitted};
  ops.timePpm[static_cast<size_t>(OpFamily::VectorProduct)] = {1'250'000, isMeasured ? "fit-h200-ops" : "as h200-sxm"};
  ops.reductionPs = {0.18_us, fitted};
  return ops;
}

static Device makeDevice(const GpuFigures &gpu) {
  Device device;
  for (const TablePeak &peak : gpu.peaks)
    device.peaks.push_back({peak.type, peak.flopsPerSecond});
  device.memoryBytes = gpu.memoryBytes;
  device.pool = getDefaultPool(gpu.platform);
  device.memoryBytesPerSecond = gpu.memoryBytesPerSecond;
  device.memoryPpm = gpu.memoryPpm;
  device.launchPs = gpu.launchPs;
  device.matmulTile = {1, "convention"};
  device.matmulEfficiency = *gpu.efficiency;
  device.matmulEfficiencySource = gpu.efficiencySource;
  device.products = makeProducts(gpu);
  device.ops = makeOps(gpu);
  return device;
}

static Result<Machine> makeMachine(const GpuFigures &gpu, MachineShape shape) {
  if (shape.sizes.size() == 1)
    shape.sizes.insert(shape.sizes.begin(), 1);
  llvm::StringRef name = gpu.info.name;
  if (shape.slices != 1)
    return shapeError(name, shape, "only TPUs have slices", "write nodes x devices, as in 4x8");
  if (shape.sizes.size() != 2)
    return shapeError(name, shape, "the shape has two sizes, nodes x devices", "write it as in 4x8");
  if (shape.sizes[1] > gpu.domainMost.value)
    return shapeError(name, shape,
                      "a node has at most " + llvm::Twine(gpu.domainMost.value) + " devices on one " + gpu.domainName,
                      "use more nodes");
  Machine machine;
  machine.name = name.str() + ":" + printShape(shape);
  machine.platform = gpu.platform;
  machine.device = makeDevice(gpu);
  machine.stepWidthPpm = gpu.stepWidthPpm;
  machine.peakWidthPpm = peakWidth;
  machine.levels = {makeNetwork(gpu.network, shape.sizes[0], gpu.stepWidthPpm > 0 ? networkWidth : 0),
                    makeDomain(gpu, shape.sizes[1])};
  return machine;
}

std::vector<PresetInfo> listGpus() {
  std::vector<PresetInfo> list;
  for (const GpuFigures &gpu : getGpus())
    list.push_back(gpu.info);
  return list;
}

std::optional<Result<Machine>> buildGpu(llvm::StringRef name, const MachineShape &shape) {
  for (const GpuFigures &gpu : getGpus())
    if (gpu.info.name == name)
      return makeMachine(gpu, shape);
  return std::nullopt;
}

} // namespace partita::machine::presets
