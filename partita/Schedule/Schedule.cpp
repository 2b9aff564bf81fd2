//===- Schedule.cpp - reads a list of tactics from JSON -------------------===//

#include "partita/Schedule/Schedule.h"

#include "partita/Schedule/ScheduleWords.h"
#include "partita/Support/Spelling.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace partita::schedule {

static constexpr llvm::StringRef actionWords[] = {"atomic", "cut", "side", "assign", "tile", "group"};

llvm::StringRef getWord(ActionKind kind) { return actionWords[static_cast<unsigned>(kind)]; }

static constexpr llvm::StringRef presetWords[] = {"data_parallel", "zero2", "zero3", "fsdp", "megatron"};

llvm::StringRef getWord(PresetKind kind) { return presetWords[static_cast<unsigned>(kind)]; }

llvm::ArrayRef<PresetMember> getPresetMembers() {
  static const PresetMember members[] = {
      {"batch", &Preset::batch, {PresetKind::DataParallel, PresetKind::Fsdp}},
      {"state", &Preset::state, {PresetKind::Zero3, PresetKind::Fsdp}},
      {"parameters", &Preset::parameters, {PresetKind::Zero2}},
      {"optimizer", &Preset::optimizer, {PresetKind::Zero2}},
      {"column", &Preset::column, {PresetKind::Megatron}},
      {"row", &Preset::row, {PresetKind::Megatron}},
  };
  return members;
}

static bool hasBatch(PresetKind kind) { return kind == PresetKind::DataParallel || kind == PresetKind::Fsdp; }

bool hasDim(ActionKind kind) {
  return kind == ActionKind::Tile || kind == ActionKind::Side || kind == ActionKind::Assign;
}

namespace {

/// Keeps the first error, with its location.
class ScheduleReader {
public:
  explicit ScheduleReader(llvm::StringRef file) : file(file) {}

  Result<Schedule> run(const JsonValue &json);

private:
  void readTactic(const JsonValue &json);
  void readAutomatic(const JsonValue &json);
  void readPreset(const JsonValue &json);
  void readTemporal(const JsonValue &json);
  void readSums(const JsonValue &json, TemporalTactic &temporal);
  void readRemat(const JsonValue &json);
  void readPadding(const JsonValue &json);
  void readReorderEntry(const JsonValue &json, ReorderTactic &tactic);
  void readReorder(const JsonValue &json);
  void readPadEntry(const JsonValue &json, PadTactic &tactic);
  void readPipeline(const JsonValue &json);
  void readReductions(const JsonValue &json);
  std::vector<Pattern> readPatterns(const JsonValue &json);
  void readAxis(const JsonValue &json, Tactic &tactic);
  std::vector<std::string> readWords(const JsonValue &json, llvm::StringRef key);
  void readEntries(const JsonValue &json, ActionKind kind, Tactic &tactic);
  void readEntry(const JsonValue &json, ActionKind kind, Tactic &tactic);
  std::optional<uint32_t> readDim(const JsonValue &json, ActionKind kind);
  std::vector<uint32_t> readDims(const JsonValue &json);
  std::optional<Pattern> readPattern(const JsonValue &json);
  std::string chooseName(const JsonValue *name);
  const JsonValue *find(const JsonValue &json, llvm::StringRef key, JsonValue::Kind kind, llvm::StringRef expected);
  void refuseOthers(const JsonValue &json, llvm::ArrayRef<llvm::StringRef> known);

  SourceLocation locationOf(const JsonValue &json) const { return {file.str(), json.line, json.column}; }
  void fail(Error why) {
    if (!error)
      error = std::move(why);
  }
  void fail(const JsonValue &at, std::string reason, std::string remedy = "") {
    fail(Error::badInput(locationOf(at), std::move(reason)).withRemedy(std::move(remedy)));
  }

  llvm::StringRef file;
  Schedule schedule;
  llvm::StringSet<> names;
  /// For each name that occurs more than once, the last number that was appended to it.
  llvm::StringMap<unsigned> lastNumbers;
  Status error;
};

} // namespace

const JsonValue *ScheduleReader::find(const JsonValue &json, llvm::StringRef key, JsonValue::Kind kind,
                                      llvm::StringRef expected) {
  const JsonValue *found = json.find(key);
  if (found && found->kind != kind) {
    fail(*found, "\"" + key.str() + "\" must be " + expected.str());
    return nullptr;
  }
  return found;
}

void ScheduleReader::refuseOthers(const JsonValue &json, llvm::ArrayRef<llvm::StringRef> known) {
  if (json.kind != JsonValue::Kind::Object)
    return fail(json, "expected an object");
  for (const JsonMember &member : json.members)
    if (!llvm::is_contained(known, member.name))
      fail(Error::badInput({file.str(), member.line, member.column}, "unknown member \"" + member.name + "\"")
               .withRemedy(adviseName(member.name, known, "known")));
}

/// Makes the name unique: reports, plans and conflicts refer to tactics by name.
std::string ScheduleReader::chooseName(const JsonValue *name) {
  std::string base = name && !name->text.empty() ? name->text : "tactic";
  if (names.insert(base).second)
    return base;
  // All numbers up to the last one are in use; testing each again would take quadratic time.
  unsigned &number = lastNumbers.try_emplace(base, 1).first->second;
  std::string chosen;
  do
    chosen = base + " (" + std::to_string(++number) + ")";
  while (!names.insert(chosen).second);
  return chosen;
}

std::optional<uint32_t> ScheduleReader::readDim(const JsonValue &json, ActionKind kind) {
  bool mayBeWord = kind == ActionKind::Tile;
  if (mayBeWord && json.kind == JsonValue::Kind::String && json.text == firstDivisible)
    return std::nullopt;
  std::optional<int64_t> number = json.getInteger();
  if (number && *number >= 0 && *number <= UINT16_MAX)
    return static_cast<uint32_t>(*number);
  if (kind == ActionKind::Assign)
    fail(json, "expected the number of a factor");
  fail(json,
       std::string("expected the number of a dim") + (mayBeWord ? ", a list of them or \"first_divisible\"" : ""));
  return std::nullopt;
}

/// Dims to choose from.
std::vector<uint32_t> ScheduleReader::readDims(const JsonValue &json) {
  if (json.elements.empty())
    fail(json, "the list of dims is empty");
  std::vector<uint32_t> dims;
  for (const JsonValue &element : json.elements)
    dims.push_back(readDim(element, ActionKind::Side).value_or(0));
  return dims;
}

std::optional<Pattern> ScheduleReader::readPattern(const JsonValue &json) {
  if (json.kind != JsonValue::Kind::String) {
    fail(json, "expected a pattern");
    return std::nullopt;
  }
  Result<Pattern> pattern = Pattern::parse(json.text, locationOf(json));
  if (pattern)
    return std::move(*pattern);
  fail(pattern.error());
  return std::nullopt;
}

void ScheduleReader::readEntry(const JsonValue &json, ActionKind kind, Tactic &tactic) {
  const JsonValue *text = &json;
  std::optional<uint32_t> dim;
  std::vector<uint32_t> otherDims;
  if (hasDim(kind)) {
    if (json.kind != JsonValue::Kind::Array || json.elements.size() != 2)
      return fail(json, std::string("expected a pattern and a ") + (kind == ActionKind::Assign ? "factor" : "dim") +
                            ", as [\"params/.*\", 0]");
    text = &json.elements[0];
    const JsonValue &where = json.elements[1];
    if (kind == ActionKind::Tile && where.kind == JsonValue::Kind::Array) {
      otherDims = readDims(where);
      if (error)
        return;
      dim = otherDims.front();
      otherDims.erase(otherDims.begin());
    } else {
      dim = readDim(where, kind);
    }
  }
  std::vector<Pattern> uses;
  if (kind == ActionKind::Group) {
    if (json.kind != JsonValue::Kind::Array || json.elements.size() != 2 ||
        json.elements[1].kind != JsonValue::Kind::Array)
      return fail(json, "expected a pattern and a list of patterns, as [\"params/w\", [\"jit(f)/dot_general#0\"]]");
    text = &json.elements[0];
    for (const JsonValue &use : json.elements[1].elements)
      if (std::optional<Pattern> pattern = readPattern(use))
        uses.push_back(std::move(*pattern));
  }
  if (std::optional<Pattern> pattern = readPattern(*text))
    tactic.entries.push_back(
        {kind, std::move(*pattern), dim, locationOf(*text), std::move(uses), std::move(otherDims)});
}

void ScheduleReader::readEntries(const JsonValue &json, ActionKind kind, Tactic &tactic) {
  const JsonValue *list = find(json, getWord(kind), JsonValue::Kind::Array, "a list");
  if (!list)
    return;
  for (const JsonValue &element : list->elements)
    if (!error)
      readEntry(element, kind, tactic);
}

std::vector<std::string> ScheduleReader::readWords(const JsonValue &json, llvm::StringRef key) {
  std::vector<std::string> words;
  const JsonValue *list = find(json, key, JsonValue::Kind::Array, "a list");
  if (!list)
    return words;
  for (const JsonValue &element : list->elements) {
    if (element.kind != JsonValue::Kind::String)
      fail(element, "expected a string");
    words.push_back(element.text);
  }
  return words;
}

void ScheduleReader::readAutomatic(const JsonValue &json) {
  refuseOthers(json, {"name", "auto", "axes"});
  const JsonValue *settings =
      find(json, "auto", JsonValue::Kind::Object, "an object, as {\"goals\": [\"fit\", \"time\"]}");
  if (error)
    return;
  refuseOthers(*settings, {"goals"});
  Tactic tactic;
  tactic.location = locationOf(json);
  tactic.axisLocation = tactic.location;
  tactic.name = chooseName(find(json, "name", JsonValue::Kind::String, "a string"));
  tactic.automatic = AutomaticTactic{readWords(*settings, "goals"), readWords(json, "axes")};
  schedule.tactics.push_back(std::move(tactic));
}

/// One pattern, or a list of them.
std::vector<Pattern> ScheduleReader::readPatterns(const JsonValue &json) {
  std::vector<Pattern> patterns;
  llvm::ArrayRef<JsonValue> texts(json);
  if (json.kind == JsonValue::Kind::Array)
    texts = json.elements;
  for (const JsonValue &text : texts)
    if (std::optional<Pattern> pattern = readPattern(text))
      patterns.push_back(std::move(*pattern));
  return patterns;
}

void ScheduleReader::readPreset(const JsonValue &json) {
  const JsonValue *word = find(json, "preset", JsonValue::Kind::String, "a string");
  if (!word)
    return;
  const auto *known = llvm::find(presetWords, word->text);
  if (known == std::end(presetWords))
    return fail(*word, "there is no preset '" + word->text + "'",
                "known are " + llvm::join(llvm::ArrayRef(presetWords), ", "));
  Tactic tactic;
  Preset &preset = tactic.preset.emplace();
  preset.kind = static_cast<PresetKind>(known - std::begin(presetWords));
  std::vector<llvm::StringRef> allowed = {"name", "preset", "axis", "optional"};
  if (hasBatch(preset.kind))
    allowed.push_back("dim");
  for (const PresetMember &member : getPresetMembers())
    if (member.isOf(preset.kind))
      allowed.push_back(member.word);
  refuseOthers(json, allowed);
  tactic.location = locationOf(json);
  const JsonValue *name = find(json, "name", JsonValue::Kind::String, "a string");
  tactic.name = name && !name->text.empty() ? name->text : word->text;
  readAxis(json, tactic);
  for (const PresetMember &member : getPresetMembers())
    if (const JsonValue *patterns = json.find(member.word))
      preset.*member.patterns = readPatterns(*patterns);
  if (const JsonValue *dim = json.find("dim"))
    preset.dim = readDim(*dim, ActionKind::Side);
  schedule.tactics.push_back(std::move(tactic));
}

void ScheduleReader::readAxis(const JsonValue &json, Tactic &tactic) {
  const JsonValue *axis = find(json, "axis", JsonValue::Kind::String, "a string");
  if (!axis)
    return fail(json, "the member \"axis\" is missing");
  tactic.axis = axis->text;
  tactic.axisLocation = locationOf(*axis);
  if (const JsonValue *optional = find(json, "optional", JsonValue::Kind::Bool, "true or false"))
    tactic.isOptional = optional->boolean;
}

/// How sums over the microbatches are kept, and how often costly ops may run.
void ScheduleReader::readSums(const JsonValue &json, TemporalTactic &temporal) {
  const JsonValue *type = find(json, "accumulate_type", JsonValue::Kind::String, "a string");
  temporal.inSingle = type && type->text == "f32";
  if (type && !temporal.inSingle && type->text != "own")
    fail(*type, "there is no accumulate_type '" + type->text + "'",
         "known are \"own\", which keeps each sum's type, and \"f32\"");
  if (const JsonValue *axis = find(json, "scatter", JsonValue::Kind::String, "a string"))
    temporal.scatter = axis->text;
  const JsonValue *passes = json.find("passes");
  temporal.passes = passes ? passes->getInteger().value_or(0) : 1;
  if (temporal.passes < 1)
    fail(*passes, "expected the number of passes over the batch, 1 or more");
}

/// A number of microbatches, or `"auto"`; nothing if it is neither.
static std::optional<int64_t> readCount(const JsonValue &json) {
  if (json.kind == JsonValue::Kind::String)
    return json.text == "auto" ? std::optional(automaticMicrobatches) : std::nullopt;
  std::optional<int64_t> count = json.getInteger();
  return count && *count >= 1 && *count <= maxMicrobatches ? count : std::nullopt;
}

/// `{"micro": 8}`: the axis of time and how many microbatches it has.
void ScheduleReader::readTemporal(const JsonValue &json) {
  refuseOthers(json, {"name", "temporal", "tile", "accumulate_type", "passes", "scatter"});
  const JsonValue *axes = find(json, "temporal", JsonValue::Kind::Object, "an object, as {\"micro\": 8}");
  if (error)
    return;
  if (schedule.temporal)
    return fail(json, "there is another temporal tactic", "one schedule has one: multiply their counts");
  std::optional<int64_t> count = axes->members.size() == 1 ? readCount(axes->members[0].value) : std::nullopt;
  if (!count)
    return fail(*axes, "expected an axis and its number of microbatches, as {\"micro\": 8}, from 1 to " +
                           std::to_string(maxMicrobatches) + ", or \"auto\"");
  Tactic tactic;
  readEntries(json, ActionKind::Tile, tactic);
  std::string name = chooseName(find(json, "name", JsonValue::Kind::String, "a string"));
  schedule.temporal = TemporalTactic{name, axes->members[0].name, *count, std::move(tactic.entries)};
  schedule.temporal->location = locationOf(json);
  readSums(json, *schedule.temporal);
}

/// Several tactics are one: what is computed again has no order.
void ScheduleReader::readRemat(const JsonValue &json) {
  refuseOthers(json, {"name", "recompute", "keep"});
  if (error)
    return;
  if (!schedule.remat)
    schedule.remat = RematTactic{chooseName(find(json, "name", JsonValue::Kind::String, "a string")), {}, {}};
  RematTactic &remat = *schedule.remat;
  remat.location = locationOf(json);
  if (const JsonValue *patterns = json.find("recompute"))
    llvm::append_range(remat.recompute, readPatterns(*patterns));
  if (const JsonValue *patterns = json.find("keep"))
    llvm::append_range(remat.keep, readPatterns(*patterns));
}

/// `["params/wte", 0, 8]`: dim 0 shall divide by 8.
void ScheduleReader::readPadEntry(const JsonValue &json, PadTactic &tactic) {
  constexpr int64_t maxMultiple = 1 << 20;
  bool isEntry = json.kind == JsonValue::Kind::Array && json.elements.size() == 3;
  std::optional<int64_t> multiple = isEntry ? json.elements[2].getInteger() : std::nullopt;
  if (!multiple || *multiple < 1 || *multiple > maxMultiple)
    return fail(json, "expected a pattern, a dim and the number that shall divide it, as [\"params/wte\", 0, 8]");
  std::optional<Pattern> pattern = readPattern(json.elements[0]);
  std::optional<uint32_t> dim = readDim(json.elements[1], ActionKind::Side);
  if (pattern && dim)
    tactic.entries.push_back({std::move(*pattern), *dim, *multiple, locationOf(json.elements[0])});
}

/// Several tactics are one. `false` leaves sizes as they are.
void ScheduleReader::readPadding(const JsonValue &json) {
  refuseOthers(json, {"name", "pad", "store", "poison"});
  const JsonValue *entries = json.find("pad");
  if (entries->kind == JsonValue::Kind::Bool && !entries->boolean) {
    schedule.mayPad = false;
    return;
  }
  if (!find(json, "pad", JsonValue::Kind::Array, "a list, as [[\"params/wte\", 0, 8]], or false") || error)
    return;
  if (!schedule.padding)
    schedule.padding = PadTactic{chooseName(find(json, "name", JsonValue::Kind::String, "a string")), {}};
  schedule.padding->location = locationOf(json);
  if (const JsonValue *store = find(json, "store", JsonValue::Kind::Bool, "true or false"))
    schedule.padding->isStored = store->boolean;
  if (const JsonValue *poison = find(json, "poison", JsonValue::Kind::Bool, "true or false"))
    schedule.padding->isPoisoned = poison->boolean;
  for (const JsonValue &entry : entries->elements)
    if (!error)
      readPadEntry(entry, *schedule.padding);
}

/// `["params/qkv", 1, 8]`: 8 devices shall have a piece of each part of dim 1.
void ScheduleReader::readReorderEntry(const JsonValue &json, ReorderTactic &tactic) {
  constexpr int64_t maxGroups = 1 << 20;
  bool isEntry = json.kind == JsonValue::Kind::Array && json.elements.size() == 3;
  std::optional<int64_t> groups = isEntry ? json.elements[2].getInteger() : std::nullopt;
  if (!groups || *groups < 1 || *groups > maxGroups)
    return fail(json, "expected a pattern, a dim and the number of devices that split it, as [\"params/qkv\", 1, 8]");
  std::optional<Pattern> pattern = readPattern(json.elements[0]);
  std::optional<uint32_t> dim = readDim(json.elements[1], ActionKind::Side);
  if (pattern && dim)
    tactic.entries.push_back({std::move(*pattern), *dim, *groups, locationOf(json.elements[0])});
}

/// Several tactics are one.
void ScheduleReader::readReorder(const JsonValue &json) {
  refuseOthers(json, {"name", "reorder", "store"});
  const JsonValue *entries = find(json, "reorder", JsonValue::Kind::Array, "a list, as [[\"params/qkv\", 1, 8]]");
  if (!entries || error)
    return;
  if (!schedule.reorder)
    schedule.reorder = ReorderTactic{chooseName(find(json, "name", JsonValue::Kind::String, "a string")), {}};
  schedule.reorder->location = locationOf(json);
  if (const JsonValue *store = find(json, "store", JsonValue::Kind::Bool, "true or false"))
    schedule.reorder->isStored = store->boolean;
  for (const JsonValue &entry : entries->elements)
    if (!error)
      readReorderEntry(entry, *schedule.reorder);
}

/// `{"axis": "pipe", "pipeline": [PATTERN, ...], "microbatches": 8, "repeats": 2}`.
void ScheduleReader::readPipeline(const JsonValue &json) {
  refuseOthers(json, {"name", "axis", "pipeline", "microbatches", "repeats", "store"});
  if (error)
    return;
  if (findPipelineTactic(schedule))
    return fail(json, "there is another pipeline", "one schedule has one: name all stacks in it");
  Tactic tactic;
  tactic.location = locationOf(json);
  tactic.name = chooseName(find(json, "name", JsonValue::Kind::String, "a string"));
  readAxis(json, tactic);
  tactic.pipeline.emplace().stacks = readPatterns(*json.find("pipeline"));
  const JsonValue *count = json.find("microbatches");
  if (!count)
    return fail(json, "the member \"microbatches\" is missing", "give a number, such as 8");
  std::optional<int64_t> microbatches = count->getInteger();
  if (!microbatches || *microbatches < 1 || *microbatches > maxMicrobatches)
    return fail(*count, "expected a number of microbatches, from 1 to " + std::to_string(maxMicrobatches));
  tactic.pipeline->microbatches = *microbatches;
  if (const JsonValue *repeats = json.find("repeats")) {
    std::optional<int64_t> number = repeats->getInteger();
    if (!number || *number < 1 || *number > maxRepeats)
      return fail(*repeats, "expected a number of repeats, from 1 to " + std::to_string(maxRepeats));
    tactic.pipeline->repeats = *number;
  }
  if (const JsonValue *store = find(json, "store", JsonValue::Kind::Bool, "true or false")) {
    tactic.pipeline->isStored = store->boolean;
    if (store->boolean && tactic.pipeline->repeats == 1)
      return fail(*store, "\"store\" belongs to circular pipelines",
                  "leave it out: without \"repeats\" layers are stored in their order");
  }
  schedule.tactics.push_back(std::move(tactic));
}

void ScheduleReader::readTactic(const JsonValue &json) {
  if (json.find("preset"))
    return readPreset(json);
  if (json.find("recompute") || json.find("keep"))
    return readRemat(json);
  if (json.find("temporal"))
    return readTemporal(json);
  if (json.find("pad"))
    return readPadding(json);
  if (json.find("reorder"))
    return readReorder(json);
  if (json.find("pipeline"))
    return readPipeline(json);
  refuseOthers(json, {"name", "axis", "tile", "atomic", "cut", "side", "assign", "group", "optional", "auto", "axes"});
  if (error)
    return;
  if (json.find("auto"))
    return readAutomatic(json);
  if (const JsonValue *axes = json.find("axes"))
    return fail(*axes, "\"axes\" belongs to automatic tactics", "a manual tactic has one \"axis\"");
  Tactic tactic;
  tactic.location = locationOf(json);
  tactic.name = chooseName(find(json, "name", JsonValue::Kind::String, "a string"));
  readAxis(json, tactic);
  for (ActionKind kind : actionKinds)
    readEntries(json, kind, tactic);
  schedule.tactics.push_back(std::move(tactic));
}

void ScheduleReader::readReductions(const JsonValue &json) {
  if (json.kind == JsonValue::Kind::String && json.text == automaticReductions) {
    schedule.choosesReductions = true;
    return;
  }
  Result<std::vector<CollectiveProgram>> programs = readPrograms(json, file);
  if (programs)
    schedule.reductions = std::move(*programs);
  else
    fail(programs.error());
}

Result<Schedule> ScheduleReader::run(const JsonValue &json) {
  refuseOthers(json, {"shardings", "tactics", "reductions"});
  const JsonValue *shardings = find(json, "shardings", JsonValue::Kind::Array, "a list");
  const JsonValue *tactics = find(json, "tactics", JsonValue::Kind::Array, "a list");
  if (!tactics && !shardings)
    fail(json, "the member \"tactics\" is missing");
  if (shardings && !error) {
    Result<std::vector<PartitionRule>> rules = readPartitionRules(*shardings, file);
    if (rules)
      schedule.shardings = std::move(*rules);
    else
      fail(rules.error());
  }
  if (tactics)
    for (const JsonValue &tactic : tactics->elements)
      if (!error)
        readTactic(tactic);
  if (const JsonValue *reductions = json.find("reductions"); reductions && !error)
    readReductions(*reductions);
  if (error)
    return std::move(*error);
  return std::move(schedule);
}

const Tactic *findPipelineTactic(const Schedule &schedule) {
  auto found = llvm::find_if(schedule.tactics, [](const Tactic &tactic) { return tactic.pipeline.has_value(); });
  return found == schedule.tactics.end() ? nullptr : &*found;
}

Tactic *findPipelineTactic(Schedule &schedule) {
  return const_cast<Tactic *>(findPipelineTactic(std::as_const(schedule)));
}

Result<Schedule> readSchedule(const JsonValue &json, llvm::StringRef file) { return ScheduleReader(file).run(json); }

Result<Schedule> readScheduleOrPlan(const JsonValue &json, llvm::StringRef file) {
  if (!json.find("partita_plan"))
    return readSchedule(json, file);
  const JsonValue *inner = json.find("schedule");
  if (!inner || inner->kind != JsonValue::Kind::Object)
    return Error::badInput(SourceLocation{file.str(), json.line, json.column}, "this plan was made without a schedule")
        .withRemedy("replay it with --plan");
  Result<Schedule> schedule = readSchedule(*inner, file);
  if (!schedule)
    return schedule;
  for (Tactic &tactic : schedule->tactics)
    tactic.isOptional = true;
  for (PartitionRule &rule : schedule->shardings)
    rule.isOptional = true;
  // They were chosen for the sizes of that program.
  schedule->choosesReductions |= !schedule->reductions.empty();
  schedule->reductions.clear();
  return schedule;
}

Result<Schedule> readSchedule(llvm::StringRef text, llvm::StringRef file) {
  Result<JsonValue> json = parseJson(text, file);
  return json ? readScheduleOrPlan(*json, file) : json.error();
}

} // namespace partita::schedule
