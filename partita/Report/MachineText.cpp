//===- MachineText.cpp - `partita machines`: machines and prices as text --===//

#include "partita/Report/MachineText.h"

#include "partita/Machine/CollectivePrice.h"
#include "partita/Machine/MachineFile.h"
#include "partita/Machine/PermutePrice.h"
#include "partita/Machine/PlacementMatrix.h"
#include "partita/Machine/Presets.h"
#include "partita/Machine/TurnedOperands.h"
#include "partita/Report/ReductionText.h"
#include "partita/Support/Json.h"
#include "partita/Support/Saturating.h"
#include "partita/Support/Spelling.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#include <map>
#include <numeric>

namespace partita::report {

static std::string listAsText() {
  std::string text;
  for (const PresetInfo &info : listPresets())
    text += llvm::formatv("{0,-20} {1}\n", (info.name + ":" + info.exampleShape).str(), info.description);
  return text;
}

static std::string listAsJson() {
  llvm::json::Array list;
  for (const PresetInfo &info : listPresets())
    list.push_back(llvm::json::Object{
        {"name", info.name}, {"example_shape", info.exampleShape}, {"description", info.description}});
  return llvm::formatv("{0:2}\n", llvm::json::Value(std::move(list)));
}

/// `value` divided by `unit`, as text: 989170000000000 in units of 1e12 is 989.2.
static std::string printScaled(int64_t value, double unit) {
  return llvm::formatv("{0:F1}", static_cast<double>(value) / unit);
}

static void printLevel(const Level &level, llvm::raw_ostream &out) {
  out << "  "
      << llvm::formatv("{0,-8} {1,6}  {2,-11} {3,8} GB/s", level.name, level.size, getName(level.kind),
                       printScaled(level.bytesPerSecond.value, 1e9));
  if (level.devicesPerPort.value > 1)
    out << ", shared by " << level.devicesPerPort.value << " devices";
  out << ", hop " << printScaled(level.protocols.front().hopPs.value, 1e6) << " us";
  if (level.inNetwork)
    out << ", reduces in the network";
  out << "\n";
}

static std::string printMachine(const Machine &machine) {
  std::string text;
  llvm::raw_string_ostream out(text);
  const Device &device = machine.device;
  out << machine.name << ": " << machine.getNumDevices() << " devices"
      << (machine.platform.empty() ? "" : ", programs for " + machine.platform) << "\n  memory   "
      << printScaled(device.memoryBytes.value, 1e9) << " GB, " << printScaled(device.memoryBytesPerSecond.value, 1e9)
      << " GB/s\n  peak    ";
  for (const PeakRate &peak : device.peaks)
    out << " " << peak.type << " " << printScaled(peak.flopsPerSecond.value, 1e12);
  out << " TFLOP/s\nlevels, outermost first:\n";
  for (const Level &level : machine.levels)
    printLevel(level, out);
  return text;
}

static Result<std::string> printPlacedMesh(const Machine &machine, const MachineQuery &query) {
  Result<Mesh> mesh = parseMesh(query.mesh);
  if (!mesh)
    return mesh.error();
  Result<Placement> placement = findPlacement(query.placement, *mesh, machine);
  if (!placement)
    return placement.error();
  std::vector<int64_t> order = computeDeviceOrder(*placement, *mesh, machine);
  std::string placed = printPlacement(*placement, *mesh, machine);
  if (query.json)
    return llvm::formatv(
               "{0:2}\n",
               llvm::json::Value(llvm::json::Object{
                   {"machine", machine.name}, {"mesh", mesh->str()}, {"placement", placed}, {"device_order", order}}))
        .str();
  bool isRowMajor = llvm::is_sorted(order);
  return mesh->str() + " on " + machine.name + ": " + placed + "\ndevices in " +
         (isRowMajor ? "the machine's own order\n" : "another order than the machine's: see --json\n");
}

/// How many positions of each level an axis takes.
static llvm::json::Array makeRow(const LevelParts &parts, const Machine &machine) {
  llvm::SmallVector<int64_t, 4> sizes(machine.levels.size(), 1);
  for (const LevelPart &part : parts)
    sizes[part.level] *= part.size;
  return llvm::json::Array(sizes);
}

/// All placements of a mesh, as matrices in JSON.
static Result<std::string> printPlacements(const Machine &machine, const MachineQuery &query) {
  Result<Mesh> mesh = parseMesh(query.mesh);
  if (!mesh)
    return mesh.error();
  std::vector<Placement> placements = listPlacements(*mesh, machine);
  if (placements.empty()) {
    Result<Placement> placed = placeRowMajor(*mesh, machine);
    return placed ? Error::usage("there is no placement of mesh " + mesh->str()) : placed.error();
  }
  llvm::SmallVector<int64_t, 4> axes, levels;
  for (const MeshAxis &axis : mesh->axes)
    axes.push_back(axis.size);
  for (const Level &level : machine.levels)
    levels.push_back(level.size);
  auto numMatrices = static_cast<int64_t>(listMatrices(axes, levels).size());
  std::string text = mesh->str() + " on " + machine.name + ":\n";
  llvm::json::Array list;
  for (const Placement &placement : placements) {
    std::string words = printPlacement(placement, *mesh, machine);
    text += "  " + words + "\n";
    llvm::json::Array matrix;
    for (const LevelParts &parts : placement.axes)
      matrix.push_back(makeRow(parts, machine));
    list.push_back(llvm::json::Object{{"placement", words},
                                      {"matrix", std::move(matrix)},
                                      {"device_order", computeDeviceOrder(placement, *mesh, machine)}});
  }
  if (!query.json)
    return text;
  llvm::json::Object object{
      {"machine", machine.name}, {"mesh", mesh->str()}, {"matrices", numMatrices}, {"placements", std::move(list)}};
  return llvm::formatv("{0:2}\n", llvm::json::Value(std::move(object))).str();
}

namespace {

/// Prices one line after another; builds machines and placements once.
class PriceList {
public:
  explicit PriceList(const MachineQuery &query) : query(query) {}

  Result<std::string> run(const JsonValue &line, const SourceLocation &location);

private:
  struct Placed {
    Machine machine;
    Mesh mesh;
    Placement placement;
  };

  Result<const Placed *> find(const JsonValue &line, const SourceLocation &location);
  Result<const Machine *> findMachine(const JsonValue &line, const SourceLocation &location);
  Result<std::string> runOnDevice(const JsonValue &line, const SourceLocation &location);
  static Result<std::vector<int64_t>> findSources(const JsonValue &line, const Placed &where, const LevelParts &parts,
                                                  const SourceLocation &location);

  const MachineQuery &query;
  std::map<std::string, Placed> known;
  std::map<std::string, Machine> machines;
  Synthesizer synthesizer;
};

} // namespace

static std::string getText(const JsonValue &line, llvm::StringRef key, llvm::StringRef other) {
  const JsonValue *value = line.find(key);
  return value ? value->text : other.str();
}

/// The same error, at a location in a file.
static Error atLocation(const Error &error, const SourceLocation &location) {
  return Error::badInput(location, error.reason).withRemedy(error.remedy);
}

Result<const PriceList::Placed *> PriceList::find(const JsonValue &line, const SourceLocation &location) {
  std::string machineText = getText(line, "machine", query.machine);
  std::string meshText = getText(line, "mesh", query.mesh);
  std::string placementText = getText(line, "placement", query.placement);
  std::string key = machineText + "\n" + meshText + "\n" + placementText;
  if (auto found = known.find(key); found != known.end())
    return &found->second;
  Result<Machine> machine = resolveMachine(machineText);
  if (!machine)
    return atLocation(machine.error(), location);
  Result<Mesh> mesh = parseMesh(meshText);
  if (!mesh)
    return atLocation(mesh.error(), location);
  Result<Placement> placement = findPlacement(placementText, *mesh, *machine);
  if (!placement)
    return atLocation(placement.error(), location);
  return &known.emplace(key, Placed{std::move(*machine), std::move(*mesh), std::move(*placement)}).first->second;
}

Result<const Machine *> PriceList::findMachine(const JsonValue &line, const SourceLocation &location) {
  std::string text = getText(line, "machine", query.machine);
  auto found = machines.find(text);
  if (found == machines.end()) {
    Result<Machine> machine = resolveMachine(text);
    if (!machine)
      return atLocation(machine.error(), location);
    found = machines.emplace(text, std::move(*machine)).first;
  }
  return &found->second;
}

static std::string printTime(int64_t timePs) {
  return llvm::formatv("{0}\n", llvm::json::Value(llvm::json::Object{{"time_ps", timePs}}));
}

/// Bits of an element of a type that products have.
static std::optional<int64_t> findBits(llvm::StringRef type) {
  return llvm::StringSwitch<std::optional<int64_t>>(type)
      .Case("f64", 64)
      .Cases({"f32", "i32"}, 32)
      .Cases({"bf16", "f16"}, 16)
      .Cases({"i8", "f8E4M3FN", "f8E5M2"}, 8)
      .Default(std::nullopt);
}

/// `product`, of `sizes` [batch, m, k, n] and of `type`; or `copy`, which moves `bytes`.
Result<std::string> PriceList::runOnDevice(const JsonValue &line, const SourceLocation &location) {
  Result<const Machine *> machine = findMachine(line, location);
  if (!machine)
    return machine.error();
  const Device &device = (*machine)->device;
  if (getText(line, "kind", "") == "copy") {
    const JsonValue *bytes = line.find("bytes");
    if (!bytes || bytes->getInteger().value_or(-1) < 0)
      return Error::badInput(location, "a copy needs \"bytes\"").withRemedy("count what is read and what is written");
    int64_t moved = computeTransferPs(*bytes->getInteger(), device.memoryBytesPerSecond.value, device.memoryPpm.value);
    return printTime(std::min(maxTimePs, device.launchPs.value + moved));
  }
  llvm::SmallVector<int64_t, 4> sizes;
  if (const JsonValue *list = line.find("sizes"))
    for (const JsonValue &size : list->elements)
      sizes.push_back(size.getInteger().value_or(0));
  std::string type = getText(line, "type", "bf16"), precision = getText(line, "precision", "default");
  std::optional<int64_t> bits = findBits(type);
  constexpr int64_t mostSize = int64_t(1) << 24;
  bool isSized = sizes.size() == 4 && llvm::all_of(sizes, [](int64_t size) { return size >= 1 && size <= mostSize; });
  if (!isSized || !bits || !llvm::is_contained({"default", "high", "highest"}, precision))
    return Error::badInput(location, "a product needs \"sizes\" and a \"type\"")
        .withRemedy(R"(as in {"kind": "product", "sizes": [1, 512, 4096, 4096], "type": "bf16"}: batch, m, k, n)");
  auto [batch, m, k, n] = std::tuple(sizes[0], sizes[1], sizes[2], sizes[3]);
  auto multiply = [](std::initializer_list<int64_t> factors) {
    return std::accumulate(factors.begin(), factors.end(), int64_t(1), multiplySaturated);
  };
  int64_t elements =
      addSaturated(addSaturated(multiply({batch, m, k}), multiply({batch, k, n})), multiply({batch, m, n}));
  ProductPiece piece{batch,
                     m,
                     n,
                     k,
                     multiply({2, batch, m, n, k}),
                     multiply({elements, *bits}) / 8,
                     k * *bits % 128 == 0 && n * *bits % 128 == 0};
  ProductPrecision passes = precision == "highest" ? ProductPrecision::Highest
                            : precision == "high"  ? ProductPrecision::High
                                                   : ProductPrecision::Default;
  // The rows of the second operand are contracted.
  int64_t turnedBytes = multiply({batch, k, n, *bits}) / 8;
  return printTime(computeProductPs(device, ProductPricer(device), piece, type, passes, turnedBytes));
}

static std::string printPrice(const Machine &machine, const CollectivePrice &price) {
  llvm::json::Object wire;
  for (auto [level, bytes] : llvm::zip(machine.levels, price.wireBytes))
    wire[level.name] = bytes;
  return llvm::formatv("{0}\n", llvm::json::Value(llvm::json::Object{{"time_ps", price.timePs},
                                                                     {"form", getName(price.algorithm)},
                                                                     {"wire_bytes", std::move(wire)}}));
}

/// For a permute: for each device of the machine, the device whose bytes it receives. The request has `pairs` of
/// devices of the mesh, or a `shift` along the axes, by default one.
Result<std::vector<int64_t>> PriceList::findSources(const JsonValue &line, const Placed &where, const LevelParts &parts,
                                                    const SourceLocation &location) {
  const JsonValue *shift = line.find("shift"), *pairs = line.find("pairs");
  if (!pairs)
    return computeShiftSources(where.machine, parts, shift ? shift->getInteger().value_or(1) : 1);
  std::vector<int64_t> order = computeDeviceOrder(where.placement, where.mesh, where.machine);
  std::vector<int64_t> sources(order.size());
  std::iota(sources.begin(), sources.end(), 0);
  auto getDevice = [&](const JsonValue &value) {
    int64_t device = value.getInteger().value_or(-1);
    return device >= 0 && device < static_cast<int64_t>(order.size()) ? device : -1;
  };
  for (const JsonValue &pair : pairs->elements) {
    bool isPair = pair.elements.size() == 2 && getDevice(pair.elements[0]) >= 0 && getDevice(pair.elements[1]) >= 0;
    if (!isPair)
      return Error::badInput(location, "\"pairs\" has pairs of devices from 0 to " + std::to_string(order.size() - 1))
          .withRemedy("as in [[0, 1], [1, 0]]: who sends, and to whom");
    sources[static_cast<size_t>(order[static_cast<size_t>(getDevice(pair.elements[1]))])] =
        order[static_cast<size_t>(getDevice(pair.elements[0]))];
  }
  return sources;
}

Result<std::string> PriceList::run(const JsonValue &line, const SourceLocation &location) {
  static constexpr llvm::StringLiteral keys[] = {"machine", "mesh",  "placement", "kind", "axes",      "bytes",
                                                 "shift",   "pairs", "sizes",     "type", "precision", "programs"};
  for (const JsonMember &member : line.members)
    if (!llvm::is_contained(keys, member.name))
      return Error::badInput(location, "unknown key \"" + member.name + "\"")
          .withRemedy(
              "keys are machine, mesh, placement, kind, axes, bytes, shift, pairs, programs; of products sizes, type, "
              "precision");
  if (std::string kind = getText(line, "kind", ""); kind == "product" || kind == "copy")
    return runOnDevice(line, location);
  Result<const Placed *> placed = find(line, location);
  if (!placed)
    return placed.error();
  const Placed &where = **placed;
  std::optional<Collective> kind = findCollective(getText(line, "kind", ""));
  const JsonValue *bytes = line.find("bytes");
  const JsonValue *axes = line.find("axes");
  if (!kind || !bytes || bytes->getInteger().value_or(-1) < 0 || !axes || axes->kind != JsonValue::Kind::Array)
    return Error::badInput(location, "a line needs \"kind\", \"axes\" and \"bytes\"")
        .withRemedy(R"(as in {"kind": "all_reduce", "axes": ["data"], "bytes": 1048576})");
  LevelParts parts;
  for (const JsonValue &name : axes->elements) {
    std::optional<uint32_t> axis = where.mesh.findAxis(name.text);
    if (axis && llvm::count_if(axes->elements, [&](const JsonValue &v) { return v.text == name.text; }) > 1)
      return Error::badInput(location, "the axis \"" + name.text + "\" stands twice");
    if (!axis)
      return Error::badInput(location, "there is no axis \"" + name.text + "\" in mesh " + where.mesh.str())
          .withRemedy(adviseName(name.text, where.mesh.listNames(), "its axes"));
    llvm::append_range(parts, where.placement.axes[*axis]);
  }
  Result<std::vector<int64_t>> sources = findSources(line, where, parts, location);
  if (!sources)
    return sources.error();
  CollectiveRequest wanted{*kind, parts, *bytes->getInteger(), *sources};
  if (const JsonValue *most = line.find("programs")) {
    int64_t count = most->getInteger().value_or(-1);
    std::optional<std::string> text;
    if (count >= 0)
      text = printPrograms(synthesizer, where.machine, wanted, static_cast<size_t>(count));
    return text ? Result<std::string>(std::move(*text))
                : Error::badInput(location, "\"programs\" is how many programs to list, of another collective than a "
                                            "collective_permute");
  }
  return printPrice(where.machine, priceCollective(where.machine, wanted));
}

static Result<std::string> priceFile(const MachineQuery &query) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(query.price);
  if (!buffer)
    return Error::cannotReadOrWrite(SourceLocation{query.price, 0, 0}, "cannot read: " + buffer.getError().message());
  PriceList list(query);
  std::string text;
  unsigned number = 0;
  for (llvm::StringRef rest = (*buffer)->getBuffer(); !rest.empty();) {
    auto [line, next] = rest.split('\n');
    rest = next;
    SourceLocation location{query.price, ++number, 1};
    if (line.trim().empty())
      continue;
    Result<JsonValue> json = parseJson(line, query.price);
    if (!json)
      return Error::badInput(SourceLocation{query.price, number, json.error().location.column}, json.error().reason);
    Result<std::string> price = list.run(*json, location);
    if (!price)
      return price.error();
    text += *price;
  }
  return text;
}

Result<std::string> answerMachineQuery(const MachineQuery &query) {
  if (!query.price.empty())
    return priceFile(query);
  if (query.machine.empty())
    return query.json ? listAsJson() : listAsText();
  Result<Machine> machine = resolveMachine(query.machine);
  if (!machine)
    return machine.error();
  for (const std::string &note : machine->notes)
    llvm::errs() << "partita: note: " << note << "\n";
  if (query.placements && query.mesh.empty())
    return Error::usage("there is no mesh to place").withRemedy("give one with --mesh data=4,model=2");
  if (query.placements)
    return printPlacements(*machine, query);
  if (!query.mesh.empty())
    return printPlacedMesh(*machine, query);
  if (!query.json)
    return printMachine(*machine);
  std::string text;
  llvm::raw_string_ostream out(text);
  writeMachine(*machine, out);
  return text;
}

} // namespace partita::report
