//===- MachineReader.cpp - reads a machine from JSON ----------------------===//
//
// Each object is read through a `Fields`, which knows its path in the file,
// remembers the keys it was asked for and refuses the others.
//
//===----------------------------------------------------------------------===//

#include "partita/Machine/MachineBase.h"
#include "partita/Machine/MachineFile.h"
#include "partita/Machine/MemoryPool.h"
#include "partita/Machine/Mesh.h"
#include "partita/Machine/Presets.h"
#include "partita/Machine/Quantity.h"
#include "partita/Support/Json.h"
#include "partita/Support/Spelling.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MemoryBuffer.h"

namespace partita::machine {

/// The largest figure: prices of 2^62 bytes stay in range.
static constexpr int64_t mostFigure = int64_t(1) << 60;
/// Larger files are refused.
static constexpr uint64_t mostFileBytes = 1 << 20;

namespace {

/// What a figure counts, and its range.
struct Range {
  QuantityUnit unit = QuantityUnit::Count;
  int64_t least = 0;
  int64_t most = mostFigure;
};

constexpr Range bytesRange{QuantityUnit::Bytes, 1, mostFigure};
constexpr Range rateRange{QuantityUnit::BytesPerSecond, 1, mostFigure};
constexpr Range optionalRateRange{QuantityUnit::BytesPerSecond, 0, mostFigure};
constexpr Range flopsRange{QuantityUnit::FlopsPerSecond, 1, mostFigure};
constexpr Range ppmRange{QuantityUnit::Ppm, 1, wholePpm};
/// At most a second: times the hops of the largest machine, it stays in range.
constexpr Range timeRange{QuantityUnit::Picoseconds, 0, 1'000'000'000'000};
constexpr Range idealTimeRange{QuantityUnit::Picoseconds, 1, mostFigure};
constexpr Range widthRange{QuantityUnit::Ppm, 0, 100 * wholePpm};
constexpr Range tileRange{QuantityUnit::Count, 1, 1 << 16};
constexpr Range portRange{QuantityUnit::Count, 1, 1 << 20};

/// Keeps the first error; after it every read gives a default.
struct Context {
  llvm::StringRef file;
  Status error;

  void fail(const JsonValue &at, const llvm::Twine &reason, const llvm::Twine &remedy) {
    if (!error)
      error = Error::badInput(SourceLocation{file.str(), at.line, at.column}, reason.str()).withRemedy(remedy.str());
  }
};

/// A value of the file and where it stands: `device.memory_bytes`, `levels[1].size`.
struct Place {
  const JsonValue *value;
  std::string path;

  Place getElement(size_t index) const { return {&value->elements[index], path + "[" + std::to_string(index) + "]"}; }
};

class Fields {
public:
  Fields(Context &context, Place place) : context(context), place(std::move(place)) {
    if (this->place.value->kind != JsonValue::Kind::Object)
      context.fail(*this->place.value, describe() + " is not an object", "write it in braces, {\"key\": value}");
  }
  ~Fields() { refuseUnknown(); }
  Fields(const Fields &) = delete;
  Fields &operator=(const Fields &) = delete;

  /// The member of that key.
  std::optional<Place> find(llvm::StringRef key) {
    asked.push_back(key);
    if (const JsonValue *value = place.value->find(key))
      return Place{value, (place.path.empty() ? key : place.path + "." + key.str()).str()};
    return std::nullopt;
  }
  /// The member of that key, or an error.
  std::optional<Place> get(llvm::StringRef key) {
    std::optional<Place> member = find(key);
    if (!member)
      context.fail(*place.value, "the key \"" + key + "\" is missing in " + describe(),
                   "add it (docs/machines.md says what it means), or name a preset to start from: \"base\": "
                   "\"h100-sxm:1x8\"");
    return member;
  }

  std::string text(llvm::StringRef key);
  int64_t integer(llvm::StringRef key, Range range);
  Figure figure(llvm::StringRef key, Range range);
  Figure optionalFigure(llvm::StringRef key, Range range, Figure other);

private:
  std::string describe() const { return place.path.empty() ? "the machine" : "\"" + place.path + "\""; }
  void refuseUnknown();

  Context &context;
  Place place;
  llvm::SmallVector<llvm::StringRef, 12> asked;
};

} // namespace

void Fields::refuseUnknown() {
  for (const JsonMember &member : place.value->members) {
    if (llvm::is_contained(asked, member.name))
      continue;
    JsonValue at;
    at.line = member.line;
    at.column = member.column;
    context.fail(at, "unknown key \"" + member.name + "\" in " + describe(),
                 adviseName(member.name, asked, "keys here"));
    return;
  }
}

static int64_t readInteger(Context &context, const Place &place, Range range) {
  const JsonValue &value = *place.value;
  bool isNumber = value.kind == JsonValue::Kind::Number || value.kind == JsonValue::Kind::String;
  Result<int64_t> number = parseQuantity(isNumber ? value.text : "", range.unit);
  if (!number) {
    context.fail(value, "\"" + place.path + "\": " + (isNumber ? number.error().reason : "this is not a number"),
                 number.error().remedy);
    return range.least;
  }
  if (*number < range.least || *number > range.most)
    context.fail(value,
                 "\"" + place.path + "\" is " + llvm::Twine(*number) + ", which is not in " + llvm::Twine(range.least) +
                     ".." + llvm::Twine(range.most),
                 "check its unit, which the key names; a text may have another, as \"80 GiB\" or \"3.5 us\"");
  return *number;
}

static std::string readText(Context &context, const Place &place) {
  if (place.value->kind != JsonValue::Kind::String)
    context.fail(*place.value, "\"" + place.path + "\" is not a text", "write it in double quotes");
  return place.value->text;
}

static Figure readFigure(Context &context, const Place &place, Range range) {
  if (place.value->kind != JsonValue::Kind::Object)
    return {readInteger(context, place, range), ""};
  Fields fields(context, place);
  Figure figure;
  if (std::optional<Place> number = fields.get("value"))
    figure.value = readInteger(context, *number, range);
  if (std::optional<Place> source = fields.find("source"))
    figure.source = readText(context, *source);
  if (std::optional<Place> width = fields.find("width_ppm"))
    figure.widthPpm = readInteger(context, *width, widthRange);
  return figure;
}

std::string Fields::text(llvm::StringRef key) {
  std::optional<Place> member = get(key);
  return member ? readText(context, *member) : std::string();
}

int64_t Fields::integer(llvm::StringRef key, Range range) {
  std::optional<Place> member = get(key);
  return member ? readInteger(context, *member, range) : range.least;
}

Figure Fields::figure(llvm::StringRef key, Range range) {
  std::optional<Place> member = get(key);
  return member ? readFigure(context, *member, range) : Figure{range.least, ""};
}

Figure Fields::optionalFigure(llvm::StringRef key, Range range, Figure other) {
  std::optional<Place> member = find(key);
  return member ? readFigure(context, *member, range) : std::move(other);
}

/// The elements of an array; none if there is no value.
static std::vector<Place> readArray(Context &context, const std::optional<Place> &place) {
  std::vector<Place> elements;
  if (!place)
    return elements;
  if (place->value->kind != JsonValue::Kind::Array)
    context.fail(*place->value, "\"" + place->path + "\" is not an array", "write it in brackets, [...]");
  for (size_t index = 0; index < place->value->elements.size(); ++index)
    elements.push_back(place->getElement(index));
  return elements;
}

static std::vector<Protocol> readProtocols(Context &context, const std::optional<Place> &place) {
  std::vector<Protocol> protocols;
  for (const Place &element : readArray(context, place)) {
    Fields fields(context, element);
    Protocol protocol;
    protocol.launchPs = fields.figure("launch_ps", timeRange);
    protocol.hopPs = fields.figure("hop_ps", timeRange);
    protocol.ratePpm = fields.figure("rate_ppm", ppmRange);
    protocols.push_back(std::move(protocol));
  }
  if (place && protocols.empty())
    context.fail(*place->value, "\"" + place->path + "\" is empty", "give at least one protocol");
  return protocols;
}

static void readGroupLinks(Context &context, Fields &fields, Level &level, const Place &place) {
  std::optional<Place> links = fields.find("group_links");
  for (const Place &element : readArray(context, links))
    level.groupLinks.push_back(readInteger(context, element, portRange));
  bool isHybrid = level.kind == LevelKind::HybridMesh;
  if (isHybrid && static_cast<int64_t>(level.groupLinks.size()) + 1 < level.size)
    context.fail(links ? *links->value : *place.value,
                 "\"" + place.path + ".group_links\" has fewer entries than groups of 2 to " + llvm::Twine(level.size) +
                     " devices",
                 "say how many links each of these groups can use at once");
  if (!isHybrid && links)
    context.fail(*links->value, "\"" + links->path + "\": only a level of kind hybrid_mesh has it", "leave it out");
}

static LevelKind readKind(Context &context, Fields &fields) {
  std::optional<Place> member = fields.get("kind");
  if (!member)
    return LevelKind::Switch;
  std::optional<LevelKind> kind = findLevelKind(readText(context, *member));
  if (!kind)
    context.fail(*member->value, "\"" + member->path + "\": unknown kind of level \"" + member->value->text + "\"",
                 adviseName(member->value->text, {"switch", "ring", "line", "full_mesh", "hybrid_mesh"}, "kinds"));
  return kind.value_or(LevelKind::Switch);
}

static Level readLevel(Context &context, const Place &place) {
  Fields fields(context, place);
  Level level;
  level.name = fields.text("name");
  level.kind = readKind(context, fields);
  level.size = fields.integer("size", {QuantityUnit::Count, 1, maxDevices});
  level.bytesPerSecond = fields.figure("bytes_per_second", rateRange);
  level.devicesPerPort = fields.optionalFigure("devices_per_port", portRange, {1, ""});
  level.localBytesPerSecond = fields.optionalFigure("local_bytes_per_second", optionalRateRange, {});
  level.protocols = readProtocols(context, fields.get("protocols"));
  level.permuteProtocols = readProtocols(context, fields.find("permute_protocols"));
  level.peerHopPs = fields.optionalFigure("peer_hop_ps", timeRange, {});
  level.treeHopPs = fields.optionalFigure("tree_hop_ps", timeRange, {});
  if (std::optional<Place> member = fields.find("in_network_reduction")) {
    Fields inner(context, *member);
    level.inNetwork.emplace();
    level.inNetwork->latencyPs = inner.figure("latency_ps", timeRange);
    level.inNetwork->ratePpm = inner.figure("rate_ppm", ppmRange);
  }
  readGroupLinks(context, fields, level, place);
  if (level.name.empty())
    context.fail(*place.value, "\"" + place.path + ".name\" is empty", "name the level, as nvlink or node");
  return level;
}

static void readEfficiency(Context &context, Fields &fields, Device &device) {
  std::optional<Place> member = fields.find("matmul_efficiency");
  if (!member)
    return;
  Fields inner(context, *member);
  for (const Place &element : readArray(context, inner.get("points"))) {
    std::vector<Place> pair = readArray(context, element);
    if (pair.size() != 2)
      return context.fail(*element.value, "\"" + element.path + "\" is not [ideal_ps, ppm]",
                          "write two numbers, as [1000000, 500000] or [\"1 us\", \"50%\"]");
    EfficiencyPoint point{readInteger(context, pair[0], idealTimeRange), readInteger(context, pair[1], ppmRange)};
    if (!device.matmulEfficiency.empty() && point.idealPs <= device.matmulEfficiency.back().idealPs)
      return context.fail(*element.value, "\"" + element.path + "\": the points of the curve do not ascend",
                          "order them by time");
    device.matmulEfficiency.push_back(point);
  }
  if (std::optional<Place> source = inner.find("source"))
    device.matmulEfficiencySource = readText(context, *source);
}

/// The types that products have rates of.
static constexpr llvm::StringLiteral rateTypes[] = {"bf16", "f16", "tf32", "f32", "f64", "int8", "int4", "fp8", "fp4"};

static void readTiles(Context &context, const Place &place, ProductFigures &products) {
  Fields fields(context, place);
  for (const Place &element : readArray(context, fields.get("sizes"))) {
    std::vector<Place> numbers = readArray(context, element);
    if (numbers.size() != 3)
      return context.fail(*element.value, "\"" + element.path + "\" is not [rows, columns, ppm]",
                          "write three numbers, as [128, 256, 860000] or [128, 256, \"86%\"]");
    products.tiles.push_back({readInteger(context, numbers[0], tileRange), readInteger(context, numbers[1], tileRange),
                              readInteger(context, numbers[2], ppmRange)});
  }
  if (products.tiles.empty())
    context.fail(*place.value, "\"" + place.path + "\" has no sizes", "give at least one tile, or leave out products");
  if (std::optional<Place> source = fields.find("source"))
    products.tilesSource = readText(context, *source);
  if (std::optional<Place> width = fields.find("width_ppm"))
    products.tilesWidthPpm = readInteger(context, *width, widthRange);
}

static ProductFigures readProducts(Context &context, const Place &place) {
  Fields fields(context, place);
  ProductFigures products;
  products.units = fields.figure("units", {QuantityUnit::Count, 1, 1 << 20});
  products.launchPs = fields.figure("launch_ps", timeRange);
  products.wavePs = fields.optionalFigure("wave_ps", timeRange, {0, ""});
  products.splitPs = fields.optionalFigure("split_ps", timeRange, {0, ""});
  products.memoryPpm = fields.optionalFigure("memory_ppm", ppmRange, {wholePpm, ""});
  products.sustainedPpm = fields.optionalFigure("sustained_ppm", ppmRange, {wholePpm, ""});
  products.unalignedPpm = fields.optionalFigure("unaligned_ppm", ppmRange, {wholePpm, ""});
  products.vectorPpm = fields.optionalFigure("vector_ppm", {QuantityUnit::Ppm, 0, wholePpm}, {0, ""});
  if (std::optional<Place> member = fields.find("type_ppm")) {
    Fields types(context, *member);
    for (llvm::StringRef type : rateTypes)
      if (std::optional<Place> share = types.find(type))
        products.typeShares.push_back({type.str(), readFigure(context, *share, ppmRange)});
  }
  if (std::optional<Place> tiles = fields.get("tiles"))
    readTiles(context, *tiles, products);
  return products;
}

static OpFigures readOps(Context &context, const Place &place) {
  Fields fields(context, place);
  OpFigures ops;
  ops.arithmeticPpm = fields.optionalFigure("arithmetic_ppm", {QuantityUnit::Ppm, 0, wholePpm}, {0, ""});
  ops.reductionPs = fields.optionalFigure("reduction_ps", timeRange, {0, ""});
  if (std::optional<Place> member = fields.find("time_ppm")) {
    Fields families(context, *member);
    for (size_t family = 0; family < numOpFamilies; ++family)
      if (std::optional<Place> share = families.find(getName(static_cast<OpFamily>(family))))
        ops.timePpm[family] = readFigure(context, *share, {QuantityUnit::Ppm, 1, 1000 * wholePpm});
  }
  return ops;
}

static void readPeaks(Context &context, Fields &fields, Device &device) {
  std::optional<Place> member = fields.get("peak_flops_per_second");
  if (!member)
    return;
  Fields inner(context, *member);
  for (llvm::StringRef type : rateTypes)
    inner.find(type);
  for (const JsonMember &peak : member->value->members)
    device.peaks.push_back({peak.name, readFigure(context, {&peak.value, member->path + "." + peak.name}, flopsRange)});
  if (device.peaks.empty())
    context.fail(*member->value, "\"" + member->path + "\" is empty", "give the rate of a type, as \"bf16\": 3.12e14");
}

/// The pool; what the file does not say is that of its platform.
static MemoryPool readPool(Fields &fields, llvm::StringRef platform) {
  MemoryPool usual = getDefaultPool(platform);
  return {fields.optionalFigure("pool_ppm", ppmRange, {usual.sharePpm.value, ""}),
          fields.optionalFigure("pool_planned_ppm", ppmRange, {usual.plannedPpm.value, ""})};
}

static Device readDevice(Context &context, const Place &place, llvm::StringRef platform) {
  Fields fields(context, place);
  Device device;
  readPeaks(context, fields, device);
  device.memoryBytes = fields.figure("memory_bytes", bytesRange);
  device.pool = readPool(fields, platform);
  device.memoryBytesPerSecond = fields.figure("memory_bytes_per_second", rateRange);
  device.memoryPpm = fields.optionalFigure("memory_ppm", ppmRange, {wholePpm, ""});
  device.launchPs = fields.figure("launch_ps", timeRange);
  device.issuePs = fields.optionalFigure("issue_ps", timeRange, {0, ""});
  device.issuePeerPs = fields.optionalFigure("issue_peer_ps", timeRange, {0, ""});
  if (std::optional<Place> member = fields.find("issue_window"))
    device.issueWindow = readInteger(context, *member, {QuantityUnit::Count, 0, 64});
  if (std::optional<Place> member = fields.find("late_window"))
    device.lateWindow = readInteger(context, *member, {QuantityUnit::Count, 0, 64});
  device.matmulTile = fields.optionalFigure("matmul_tile", {QuantityUnit::Count, 1, 1 << 16}, {1, ""});
  readEfficiency(context, fields, device);
  if (std::optional<Place> member = fields.find("products"))
    device.products = readProducts(context, *member);
  if (std::optional<Place> member = fields.find("ops"))
    device.ops = readOps(context, *member);
  return device;
}

static void readLevels(Context &context, const std::optional<Place> &place, Machine &machine) {
  int64_t devices = 1;
  for (const Place &element : readArray(context, place)) {
    Level level = readLevel(context, element);
    if (machine.findLevel(level.name))
      context.fail(*element.value, "\"" + element.path + "\": the level \"" + level.name + "\" stands twice",
                   "give each level a name of its own");
    if (level.size > maxDevices / devices)
      return context.fail(*element.value, "\"" + element.path + "\": more than " + llvm::Twine(maxDevices) + " devices",
                          "make a level smaller: the devices are the product of the sizes");
    devices *= level.size;
    machine.levels.push_back(std::move(level));
  }
}

static std::string readPlatform(Context &context, Fields &fields) {
  std::optional<Place> member = fields.find("platform");
  if (!member)
    return "";
  std::string platform = readText(context, *member);
  if (!llvm::is_contained(listPlatforms(), platform))
    context.fail(*member->value, "\"" + member->path + "\": there is no platform \"" + platform + "\"",
                 adviseName(platform, listPlatforms(), "platforms"));
  return platform;
}

static void readRemarks(Context &context, Fields &fields, Machine &machine) {
  if (std::optional<Place> member = fields.find("hierarchical_collectives")) {
    if (member->value->kind != JsonValue::Kind::Bool)
      context.fail(*member->value, "\"" + member->path + "\" is not true or false", "write true or false");
    machine.hierarchicalCollectives = member->value->boolean;
  }
  if (std::optional<Place> member = fields.find("step_width_ppm"))
    machine.stepWidthPpm = readInteger(context, *member, widthRange);
  if (std::optional<Place> member = fields.find("peak_width_ppm"))
    machine.peakWidthPpm = readInteger(context, *member, widthRange);
  if (std::optional<Place> member = fields.find("sources")) {
    if (member->value->kind != JsonValue::Kind::Object)
      context.fail(*member->value, "\"" + member->path + "\" is not an object", "write {\"tag\": \"meaning\"}");
    for (const JsonMember &source : member->value->members)
      machine.sources.push_back({source.name, readText(context, {&source.value, member->path + "." + source.name})});
  }
  for (const Place &note : readArray(context, fields.find("notes")))
    machine.notes.push_back(readText(context, note));
}

static Machine readWhole(Context &context, const JsonValue &object) {
  Fields fields(context, {&object, ""});
  Machine machine;
  fields.integer("partita_machine", {QuantityUnit::Count, 1, 1});
  machine.name = fields.text("name");
  machine.platform = readPlatform(context, fields);
  if (std::optional<Place> device = fields.get("device"))
    machine.device = readDevice(context, *device, machine.platform);
  readLevels(context, fields.get("levels"), machine);
  readRemarks(context, fields, machine);
  fields.find("base");
  return machine;
}

Result<Machine> readMachine(llvm::StringRef text, llvm::StringRef file) {
  Result<JsonValue> json = parseJson(text, file);
  if (!json)
    return json.error();
  Result<JsonValue> merged = mergeWithBase(std::move(*json), file);
  if (!merged)
    return merged.error();
  Context context{file, std::nullopt};
  Machine machine = readWhole(context, *merged);
  if (context.error)
    return *context.error;
  return machine;
}

Result<Machine> resolveMachine(llvm::StringRef nameOrFile) {
  bool looksLikeFile = nameOrFile.contains('/') || nameOrFile.ends_with(".json");
  if (!looksLikeFile || isPresetName(nameOrFile))
    return buildPreset(nameOrFile);
  SourceLocation location{nameOrFile.str(), 0, 0};
  auto buffer = llvm::MemoryBuffer::getFile(nameOrFile, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return Error::cannotReadOrWrite(location, "cannot read: " + buffer.getError().message());
  if ((*buffer)->getBufferSize() > mostFileBytes)
    return Error::limit(location, "larger than " + std::to_string(mostFileBytes) + " bytes, which no machine is");
  return readMachine((*buffer)->getBuffer(), nameOrFile);
}

} // namespace partita::machine
