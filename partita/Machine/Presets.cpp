//===- Presets.cpp - machines known by name -------------------------------===//

#include "partita/Machine/Presets.h"

#include "partita/Machine/Mesh.h"
#include "partita/Machine/PresetTables.h"
#include "partita/Support/Spelling.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

namespace partita::machine {

namespace presets {

std::string printShape(const MachineShape &shape) {
  std::string text;
  for (int64_t size : shape.sizes)
    text += (text.empty() ? "" : "x") + std::to_string(size);
  return shape.slices == 1 ? text : std::to_string(shape.slices) + "*" + text;
}

Error shapeError(llvm::StringRef name, const MachineShape &shape, const llvm::Twine &reason, llvm::StringRef remedy) {
  return Error::usage(("machine '" + name + ":" + printShape(shape) + "': " + reason).str()).withRemedy(remedy.str());
}

std::vector<SourceNote> listSources() {
  return {
      {"gcp-v3", "cloud.google.com/tpu/docs/v3"},
      {"gcp-v4", "cloud.google.com/tpu/docs/v4"},
      {"gcp-v5e", "docs.cloud.google.com/tpu/docs/v5e"},
      {"gcp-v5p", "docs.cloud.google.com/tpu/docs/v5p"},
      {"gcp-7x", "docs.cloud.google.com/tpu/docs/tpu7x, its table of v5p, v6e and 7x"},
      {"jax", "jax-ml/jax jax/_src/tpu_info.py"},
      {"jax-pool", "docs.jax.dev, GPU memory allocation: 75% of the memory unless XLA_PYTHON_CLIENT_MEM_FRACTION or "
                   "XLA_CLIENT_MEM_FRACTION is set"},
      {"xla-slop",
       "openxla/xla xla_gpu_memory_limit_slop_factor, 95 by default: what its scheduler plans with; less the 6% that "
       "estimates may be short"},
      {"book", "jax-ml/scaling-book tpus.md, sharding.md, training.md"},
      {"maxtext", "AI-Hypercomputer/maxtext accelerator_to_spec_map.py, custom_model.md"},
      {"tpu-recipes", "AI-Hypercomputer/tpu-recipes microbenchmarks, measured"},
      {"xla", "openxla/xla backends/gpu/target_config/specs; peaks are cores x units x ops x clock x 2"},
      {"xla-table", "openxla/xla default matmul and collective tables, measured"},
      {"nccl", "NVIDIA/nccl src/graph/tuning.cc"},
      {"nccl-issues", "figures in threads of NVIDIA/nccl and NVIDIA/nccl-tests"},
      {"torchtitan", "pytorch/torchtitan benchmarks"},
      {"kempner", "KempnerInstitute/KempnerForge benchmarks"},
      {"team", "measured on one H200: copies of large arrays"},
      {"web", "pages of third parties"},
      {"derived", "arithmetic from published figures of the same chip"},
      {"memory", "data sheets from memory: not read, to be checked"},
      {"convention", "a choice, not a fact"},
      {"fit-v100",
       "fitted: 5 parameters, every second size of vTrain's all-reduce table, 2-8 V100; group_links: its 1 GiB rows"},
      {"fit-a100", "fitted: 5 parameters, every second size of vTrain's all-reduce table, 2-8 A100"},
      {"fit-h100", "fitted: 9 parameters, every second size of XLA's collective table for sm_90"},
      {"fit-b200", "fitted: 9 parameters, every second size of XLA's collective table for sm_100"},
      {"fit-gb200", "fitted: 9 parameters, every second size of XLA's collective table for GB200"},
      {"fit-mi350", "fitted: 4 parameters, every second size of XLA's collective table for gfx950"},
      {"fit-h200-ops", "fitted: 19 parameters, half of the products timed on an H200 (bench/gpu_ops.py)"},
      {"read-h200-ops", "chosen by hand, with all ops timed on an H200 in view (bench/gpu_ops.py)"},
      {"fit-h200-kernels", "fitted: half of the ops timed on an H200 that are no products (bench/gpu_ops.py)"},
      {"load-h200",
       "chosen by hand, between what products alone and what whole layers keep of their rates in a second of load "
       "on an H200 (bench/gpu_sustained.py)"},
      {"fit-b200-gemm", "fitted: 7 parameters, half of the bf16 rows of XLA's matmul table for B200"},
      {"fit-net", "chosen by hand: 2 parameters, five all-reduces of two H100 on two nodes, from nccl-issues"},
      {"fit-7x", "chosen by hand: 1 parameter, ten all-gathers of tpu-recipes on 2x2x1 and 2x2x2"},
      {"as h100-sxm", "taken over from that preset"},
      {"as h200-sxm", "taken over from that preset"},
      {"as b200", "taken over from that preset"},
      {"as tpu-v5e", "taken over from that preset"},
      {"as tpu-v6e", "taken over from that preset"},
      {"xla-table (mi350)", "openxla/xla default matmul table for gfx950, the next generation"},
  };
}

static void collectTags(const Figure &figure, llvm::StringSet<> &tags) { tags.insert(figure.source); }

static void collectTags(const Level &level, llvm::StringSet<> &tags) {
  for (const Figure *figure :
       {&level.bytesPerSecond, &level.devicesPerPort, &level.localBytesPerSecond, &level.peerHopPs, &level.treeHopPs})
    collectTags(*figure, tags);
  for (const std::vector<Protocol> *list : {&level.protocols, &level.permuteProtocols})
    for (const Protocol &protocol : *list)
      for (const Figure *figure : {&protocol.launchPs, &protocol.hopPs, &protocol.ratePpm})
        collectTags(*figure, tags);
  if (level.inNetwork) {
    collectTags(level.inNetwork->latencyPs, tags);
    collectTags(level.inNetwork->ratePpm, tags);
  }
}

std::vector<SourceNote> selectSources(const Machine &machine) {
  llvm::StringSet<> tags;
  const Device &device = machine.device;
  for (const PeakRate &peak : device.peaks)
    collectTags(peak.flopsPerSecond, tags);
  for (const Figure *figure : {&device.memoryBytes, &device.pool.sharePpm, &device.pool.plannedPpm,
                               &device.memoryBytesPerSecond, &device.memoryPpm, &device.launchPs, &device.matmulTile})
    collectTags(*figure, tags);
  tags.insert(device.matmulEfficiencySource);
  const ProductFigures &products = device.products;
  for (const Figure *figure :
       {&products.units, &products.launchPs, &products.wavePs, &products.splitPs, &products.sustainedPpm,
        &products.memoryPpm, &products.unalignedPpm, &products.vectorPpm})
    collectTags(*figure, tags);
  for (const ProductTypeShare &share : products.typeShares)
    collectTags(share.ratePpm, tags);
  tags.insert(products.tilesSource);
  collectTags(device.ops.arithmeticPpm, tags);
  collectTags(device.ops.reductionPs, tags);
  for (const Figure &figure : device.ops.timePpm)
    collectTags(figure, tags);
  for (const Level &level : machine.levels)
    collectTags(level, tags);
  std::vector<SourceNote> used = listSources();
  llvm::erase_if(used, [&](const SourceNote &source) { return !tags.contains(source.tag); });
  return used;
}

} // namespace presets

using namespace presets;

std::vector<PresetInfo> listPresets() {
  std::vector<PresetInfo> list = listTpus();
  llvm::append_range(list, listGpus());
  return list;
}

bool isPresetName(llvm::StringRef text) {
  llvm::StringRef name = text.split(':').first;
  return parseCloudName(text).has_value() ||
         llvm::any_of(listPresets(), [&](const PresetInfo &info) { return info.name == name; });
}

/// Parses `2*16x16`; nothing if the text has another form. The number of devices is bounded as in a mesh.
static std::optional<MachineShape> parseShape(llvm::StringRef text) {
  MachineShape shape;
  if (auto [slices, torus] = text.split('*'); text.contains('*')) {
    if (slices.getAsInteger(10, shape.slices) || shape.slices < 1 || shape.slices > maxDevices)
      return std::nullopt;
    text = torus;
  }
  int64_t devices = shape.slices;
  llvm::SmallVector<llvm::StringRef, 3> parts;
  text.split(parts, 'x');
  for (llvm::StringRef part : parts) {
    int64_t size = 0;
    if (part.getAsInteger(10, size) || size < 1 || size > maxDevices / devices)
      return std::nullopt;
    devices *= size;
    shape.sizes.push_back(size);
  }
  return shape;
}

static Result<Machine> buildNamed(llvm::StringRef name, llvm::StringRef shapeText) {
  std::vector<PresetInfo> list = listPresets();
  auto info = llvm::find_if(list, [&](const PresetInfo &entry) { return entry.name == name; });
  if (info == list.end()) {
    std::vector<llvm::StringRef> names;
    for (const PresetInfo &entry : list)
      names.push_back(entry.name);
    return Error::usage("unknown machine '" + name.str() + "'").withRemedy(adviseName(name, names, "known machines"));
  }
  std::string example = "give its shape, as in " + name.str() + ":" + info->exampleShape.str();
  if (shapeText.empty())
    return Error::usage("machine '" + name.str() + "' has no shape").withRemedy(example);
  std::optional<MachineShape> shape = parseShape(shapeText);
  if (!shape)
    return Error::usage("machine '" + name.str() + ":" + shapeText.str() + "': the shape is not sizes with x between " +
                        "them, of at most " + std::to_string(maxDevices) + " devices")
        .withRemedy(example);
  std::optional<Result<Machine>> machine = buildTpu(name, *shape);
  if (!machine)
    machine = buildGpu(name, *shape);
  if (*machine && (*machine)->getNumDevices() > maxDevices)
    return shapeError(name, *shape, "more than " + llvm::Twine(maxDevices) + " devices", example);
  if (*machine)
    (*machine)->sources = selectSources(**machine);
  return *machine;
}

Result<Machine> buildPreset(llvm::StringRef text) {
  std::optional<Result<CloudName>> cloud = parseCloudName(text);
  if (!cloud) {
    auto [name, shape] = text.split(':');
    return buildNamed(name, shape);
  }
  if (!*cloud)
    return cloud->error();
  Result<Machine> machine = buildNamed((*cloud)->preset, (*cloud)->shape);
  if (machine)
    machine->notes.insert(machine->notes.begin(), (*cloud)->note);
  return machine;
}

} // namespace partita::machine
