//===- MachineReader.cpp - reads a machine from JSON ----------------------===//
//
// Each object is read through a `Fields`, which remembers the keys it was asked
// for and refuses the others.
//
//===----------------------------------------------------------------------===//

#include "partita/Machine/MachineFile.h"
#include "partita/Machine/Mesh.h"
#include "partita/Machine/Presets.h"
#include "partita/Support/Json.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MemoryBuffer.h"

namespace partita::machine {

/// The largest figure: prices of 2^62 bytes stay in range.
static constexpr int64_t mostFigure = int64_t(1) << 60;
/// Larger files are refused.
static constexpr uint64_t mostFileBytes = 1 << 20;

namespace {

/// The range of a figure.
struct Range {
  int64_t least = 0;
  int64_t most = mostFigure;
};

constexpr Range anyRange{0, mostFigure};
constexpr Range positiveRange{1, mostFigure};
constexpr Range ppmRange{1, wholePpm};
/// At most a second: times the hops of the largest machine, it stays in range.
constexpr Range timeRange{0, 1'000'000'000'000};

/// Keeps the first error; after it every read gives a default.
struct Context {
  llvm::StringRef file;
  Status error;

  void fail(const JsonValue &at, const llvm::Twine &reason, llvm::StringRef remedy = "") {
    if (!error)
      error = Error::badInput(SourceLocation{file.str(), at.line, at.column}, reason.str()).withRemedy(remedy.str());
  }
};

class Fields {
public:
  Fields(Context &context, const JsonValue &object, llvm::StringRef what) : context(context), object(object) {
    if (object.kind != JsonValue::Kind::Object)
      context.fail(object, what + " is not an object");
  }
  ~Fields() { refuseUnknown(); }
  Fields(const Fields &) = delete;
  Fields &operator=(const Fields &) = delete;

  /// The member of that key, or null.
  const JsonValue *find(llvm::StringRef key) {
    asked.push_back(key);
    return object.find(key);
  }
  /// The member of that key, or null and an error.
  const JsonValue *get(llvm::StringRef key) {
    const JsonValue *value = find(key);
    if (!value)
      context.fail(object, "the key \"" + key + "\" is missing");
    return value;
  }

  std::string text(llvm::StringRef key);
  int64_t integer(llvm::StringRef key, Range range);
  Figure figure(llvm::StringRef key, Range range);
  Figure optionalFigure(llvm::StringRef key, Range range, Figure other);

private:
  void refuseUnknown();

  Context &context;
  const JsonValue &object;
  llvm::SmallVector<llvm::StringRef, 12> asked;
};

} // namespace

void Fields::refuseUnknown() {
  for (const JsonMember &member : object.members) {
    if (llvm::is_contained(asked, member.name))
      continue;
    std::string keys;
    for (llvm::StringRef key : asked)
      keys += (keys.empty() ? "" : ", ") + key.str();
    JsonValue at;
    at.line = member.line;
    at.column = member.column;
    context.fail(at, "unknown key \"" + member.name + "\"", "keys here are " + keys);
    return;
  }
}

static int64_t readInteger(Context &context, const JsonValue &value, llvm::StringRef key, Range range) {
  std::optional<int64_t> number = value.getInteger();
  if (!number)
    context.fail(value, "\"" + key + "\" is not an integer");
  else if (*number < range.least || *number > range.most)
    context.fail(value, "\"" + key + "\" is " + llvm::Twine(*number) + ", which is not in " + llvm::Twine(range.least) +
                            ".." + llvm::Twine(range.most));
  return number.value_or(range.least);
}

static std::string readText(Context &context, const JsonValue &value, llvm::StringRef key) {
  if (value.kind != JsonValue::Kind::String)
    context.fail(value, "\"" + key + "\" is not a string");
  return value.text;
}

static Figure readFigure(Context &context, const JsonValue &value, llvm::StringRef key, Range range) {
  if (value.kind != JsonValue::Kind::Object)
    return {readInteger(context, value, key, range), ""};
  Fields fields(context, value, key);
  Figure figure;
  if (const JsonValue *number = fields.get("value"))
    figure.value = readInteger(context, *number, key, range);
  if (const JsonValue *source = fields.find("source"))
    figure.source = readText(context, *source, "source");
  return figure;
}

std::string Fields::text(llvm::StringRef key) {
  const JsonValue *value = get(key);
  return value ? readText(context, *value, key) : std::string();
}

int64_t Fields::integer(llvm::StringRef key, Range range) {
  const JsonValue *value = get(key);
  return value ? readInteger(context, *value, key, range) : range.least;
}

Figure Fields::figure(llvm::StringRef key, Range range) {
  const JsonValue *value = get(key);
  return value ? readFigure(context, *value, key, range) : Figure{range.least, ""};
}

Figure Fields::optionalFigure(llvm::StringRef key, Range range, Figure other) {
  const JsonValue *value = find(key);
  return value ? readFigure(context, *value, key, range) : std::move(other);
}

static llvm::ArrayRef<JsonValue> readArray(Context &context, const JsonValue *value, llvm::StringRef key) {
  if (value && value->kind != JsonValue::Kind::Array)
    context.fail(*value, "\"" + key + "\" is not an array");
  return value ? llvm::ArrayRef(value->elements) : llvm::ArrayRef<JsonValue>();
}

static std::vector<Protocol> readProtocols(Context &context, const JsonValue *value, llvm::StringRef key) {
  std::vector<Protocol> protocols;
  for (const JsonValue &element : readArray(context, value, key)) {
    Fields fields(context, element, "a protocol");
    Protocol protocol;
    protocol.launchPs = fields.figure("launch_ps", timeRange);
    protocol.hopPs = fields.figure("hop_ps", timeRange);
    protocol.ratePpm = fields.figure("rate_ppm", ppmRange);
    protocols.push_back(std::move(protocol));
  }
  if (value && protocols.empty())
    context.fail(*value, "\"" + key + "\" is empty", "give at least one protocol");
  return protocols;
}

static void readGroupLinks(Context &context, Fields &fields, Level &level, const JsonValue &object) {
  const JsonValue *value = fields.find("group_links");
  for (const JsonValue &element : readArray(context, value, "group_links"))
    level.groupLinks.push_back(readInteger(context, element, "group_links", {1, 1 << 20}));
  bool isHybrid = level.kind == LevelKind::HybridMesh;
  if (isHybrid && static_cast<int64_t>(level.groupLinks.size()) + 1 < level.size)
    context.fail(value ? *value : object,
                 "\"group_links\" has fewer entries than groups of 2 to " + llvm::Twine(level.size) + " devices");
  if (!isHybrid && value)
    context.fail(*value, "only a level of kind hybrid_mesh has \"group_links\"");
}

static LevelKind readKind(Context &context, Fields &fields) {
  const JsonValue *value = fields.get("kind");
  if (!value)
    return LevelKind::Switch;
  std::optional<LevelKind> kind = findLevelKind(readText(context, *value, "kind"));
  if (!kind)
    context.fail(*value, "unknown kind of level \"" + value->text + "\"",
                 "kinds are switch, ring, line, full_mesh, hybrid_mesh");
  return kind.value_or(LevelKind::Switch);
}

static Level readLevel(Context &context, const JsonValue &object) {
  Fields fields(context, object, "a level");
  Level level;
  level.name = fields.text("name");
  level.kind = readKind(context, fields);
  level.size = fields.integer("size", {1, maxDevices});
  level.bytesPerSecond = fields.figure("bytes_per_second", positiveRange);
  level.devicesPerPort = fields.optionalFigure("devices_per_port", {1, 1 << 20}, {1, ""});
  level.localBytesPerSecond = fields.optionalFigure("local_bytes_per_second", anyRange, {});
  level.protocols = readProtocols(context, fields.get("protocols"), "protocols");
  level.permuteProtocols = readProtocols(context, fields.find("permute_protocols"), "permute_protocols");
  level.peerHopPs = fields.optionalFigure("peer_hop_ps", timeRange, {});
  level.treeHopPs = fields.optionalFigure("tree_hop_ps", timeRange, {});
  if (const JsonValue *value = fields.find("in_network_reduction")) {
    Fields inner(context, *value, "\"in_network_reduction\"");
    level.inNetwork.emplace();
    level.inNetwork->latencyPs = inner.figure("latency_ps", timeRange);
    level.inNetwork->ratePpm = inner.figure("rate_ppm", ppmRange);
  }
  readGroupLinks(context, fields, level, object);
  if (level.name.empty())
    context.fail(object, "the level has no name");
  return level;
}

static void readEfficiency(Context &context, Fields &fields, Device &device) {
  const JsonValue *value = fields.find("matmul_efficiency");
  if (!value)
    return;
  Fields inner(context, *value, "\"matmul_efficiency\"");
  for (const JsonValue &element : readArray(context, inner.get("points"), "points")) {
    llvm::ArrayRef<JsonValue> pair = readArray(context, &element, "points");
    if (pair.size() != 2)
      return context.fail(element, "a point of the curve is not [ideal_ps, ppm]");
    EfficiencyPoint point{readInteger(context, pair[0], "ideal_ps", positiveRange),
                          readInteger(context, pair[1], "ppm", ppmRange)};
    if (!device.matmulEfficiency.empty() && point.idealPs <= device.matmulEfficiency.back().idealPs)
      return context.fail(element, "the points of the curve do not ascend");
    device.matmulEfficiency.push_back(point);
  }
  if (const JsonValue *source = inner.find("source"))
    device.matmulEfficiencySource = readText(context, *source, "source");
}

static void readPeaks(Context &context, Fields &fields, Device &device) {
  static constexpr llvm::StringLiteral types[] = {"bf16", "f16", "tf32", "f32", "f64", "int8", "int4", "fp8", "fp4"};
  const JsonValue *value = fields.get("peak_flops_per_second");
  if (!value)
    return;
  Fields inner(context, *value, "\"peak_flops_per_second\"");
  for (llvm::StringRef type : types)
    inner.find(type);
  for (const JsonMember &member : value->members)
    device.peaks.push_back({member.name, readFigure(context, member.value, member.name, positiveRange)});
  if (device.peaks.empty())
    context.fail(*value, "\"peak_flops_per_second\" is empty");
}

static Device readDevice(Context &context, const JsonValue &object) {
  Fields fields(context, object, "\"device\"");
  Device device;
  readPeaks(context, fields, device);
  device.memoryBytes = fields.figure("memory_bytes", positiveRange);
  device.memoryBytesPerSecond = fields.figure("memory_bytes_per_second", positiveRange);
  device.memoryPpm = fields.optionalFigure("memory_ppm", ppmRange, {wholePpm, ""});
  device.launchPs = fields.figure("launch_ps", timeRange);
  device.issuePs = fields.optionalFigure("issue_ps", timeRange, {0, ""});
  device.matmulTile = fields.optionalFigure("matmul_tile", {1, 1 << 16}, {1, ""});
  readEfficiency(context, fields, device);
  return device;
}

static void readLevels(Context &context, const JsonValue *value, Machine &machine) {
  int64_t devices = 1;
  for (const JsonValue &element : readArray(context, value, "levels")) {
    Level level = readLevel(context, element);
    if (machine.findLevel(level.name))
      context.fail(element, "the level \"" + level.name + "\" stands twice");
    if (level.size > maxDevices / devices)
      return context.fail(element, "more than " + llvm::Twine(maxDevices) + " devices");
    devices *= level.size;
    machine.levels.push_back(std::move(level));
  }
}

static void readRemarks(Context &context, Fields &fields, Machine &machine) {
  if (const JsonValue *value = fields.find("hierarchical_collectives")) {
    if (value->kind != JsonValue::Kind::Bool)
      context.fail(*value, "\"hierarchical_collectives\" is not true or false");
    machine.hierarchicalCollectives = value->boolean;
  }
  if (const JsonValue *value = fields.find("sources")) {
    if (value->kind != JsonValue::Kind::Object)
      context.fail(*value, "\"sources\" is not an object");
    for (const JsonMember &member : value->members)
      machine.sources.push_back({member.name, readText(context, member.value, member.name)});
  }
  for (const JsonValue &note : readArray(context, fields.find("notes"), "notes"))
    machine.notes.push_back(readText(context, note, "notes"));
}

static Machine readWhole(Context &context, const JsonValue &object) {
  Fields fields(context, object, "the machine");
  Machine machine;
  fields.integer("partita_machine", {1, 1});
  machine.name = fields.text("name");
  if (const JsonValue *device = fields.get("device"))
    machine.device = readDevice(context, *device);
  readLevels(context, fields.get("levels"), machine);
  readRemarks(context, fields, machine);
  return machine;
}

Result<Machine> readMachine(llvm::StringRef text, llvm::StringRef file) {
  Result<JsonValue> json = parseJson(text, file);
  if (!json)
    return json.error();
  Context context{file, std::nullopt};
  Machine machine = readWhole(context, *json);
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
