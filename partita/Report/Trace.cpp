//===- Trace.cpp - a timeline as a file for trace viewers -----------------===//

#include "partita/Report/Trace.h"

#include "partita/Cost/ReshardPlanPrice.h"
#include "partita/Pipeline/Ticks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

namespace partita::report {

namespace {

class TraceWriter {
public:
  TraceWriter(const Timeline &timeline, const TraceNames &names, llvm::raw_ostream &out)
      : timeline(timeline), names(names), graph(*names.graph), json(out) {}

  void write() {
    json.object([&] {
      json.attribute("displayTimeUnit", "ns");
      json.attributeArray("traceEvents", [&] {
        writeMetadata("process_name", 0, "name", "one step of one device");
        for (uint32_t stream = 0; stream < names.streams.size(); ++stream)
          writeThread(stream);
        for (const TimelineEvent &event : timeline.events) {
          writeEvent(event);
          writeMemory(event);
        }
        for (uint32_t level = 0; level + 1 < names.streams.size(); ++level)
          writeTraffic(level);
        writePipelines();
      });
    });
  }

private:
  /// Perfetto counts whole nanoseconds, and drops an event that overlaps the one before it on a track: what ends where
  /// the next one starts must do so in nanoseconds, too.
  static int64_t toNanoseconds(int64_t timePs) { return timePs / 1000; }

  /// In microseconds, as the format has it.
  void writeTime(llvm::StringRef key, int64_t timeNs) {
    json.attributeBegin(key);
    json.rawValue(llvm::formatv("{0}.{1:D3}", timeNs / 1000, timeNs % 1000).str());
    json.attributeEnd();
  }

  /// Writes names and the order of streams, which a viewer shows beside the events.
  void writeMetadata(llvm::StringRef what, uint32_t stream, llvm::StringRef key, llvm::json::Value value,
                     int process = 0) {
    json.object([&] {
      json.attribute("ph", "M");
      json.attribute("name", what);
      json.attribute("pid", process);
      json.attribute("tid", stream);
      json.attributeObject("args", [&] { json.attribute(key, value); });
    });
  }

  void writeThread(uint32_t stream) {
    writeMetadata("thread_name", stream, "name", names.streams[stream]);
    writeMetadata("thread_sort_index", stream, "sort_index", stream);
  }

  std::string getName(const TimelineEvent &event) const {
    if (event.op.isValid())
      return graph.getName(graph.ops[event.op].opName).str();
    if (event.reshard.isValid())
      return printSteps(names.planner->getAxes(), (*names.planner)[(*names.reshards)[event.reshard].plan]);
    return llvm::formatv("{0} more iterations", event.iterations).str();
  }

  void writeArguments(const TimelineEvent &event) {
    if (event.op.isValid()) {
      const Op &op = graph.ops[event.op];
      json.attribute("name", graph.getFullName(op.name, op.occurrence));
      json.attribute("place", graph.getName(op.location));
      return;
    }
    if (!event.reshard.isValid())
      return;
    const Reshard &reshard = (*names.reshards)[event.reshard];
    const Cell &cell = graph.cells[reshard.cell];
    const ReshardPlan &plan = (*names.planner)[reshard.plan];
    json.attribute("value", graph.getFullName(cell.name, cell.occurrence));
    json.attribute("from", printPartialSharding(names.planner->getAxes(), plan.from));
    json.attribute("to", printPartialSharding(names.planner->getAxes(), plan.to));
  }

  /// What takes less than a nanosecond is not seen.
  void writeEvent(const TimelineEvent &event) {
    if (toNanoseconds(event.startPs) == toNanoseconds(event.endPs))
      return;
    json.object([&] {
      json.attribute("ph", "X");
      json.attribute("name", getName(event));
      json.attribute("pid", 0);
      json.attribute("tid", event.stream);
      int64_t start = toNanoseconds(event.startPs);
      writeTime("ts", start);
      writeTime("dur", toNanoseconds(event.endPs) - start);
      json.attributeObject("args", [&] { writeArguments(event); });
    });
  }

  void writeMemory(const TimelineEvent &event) {
    if (!event.op.isValid() || names.liveBytes.empty() || names.liveBytes[event.op] == lastBytes)
      return;
    lastBytes = names.liveBytes[event.op];
    writeCounter("memory", event.startPs, "bytes", lastBytes);
  }

  void writeCounter(llvm::StringRef name, int64_t timePs, llvm::StringRef unit, int64_t value) {
    json.object([&] {
      json.attribute("ph", "C");
      json.attribute("name", name);
      json.attribute("pid", 0);
      writeTime("ts", toNanoseconds(timePs));
      json.attributeObject("args", [&] { json.attribute(unit, value); });
    });
  }

  int64_t getSentBytes(const TimelineEvent &event, uint32_t level) const {
    auto get = [&](const auto &table, auto id) {
      auto found = table.find(id);
      return found == table.end() || level >= found->second.size() ? 0 : found->second[level];
    };
    if (event.iterations > 0)
      return std::min(get(names.loopBytes, event.loop), INT64_MAX / event.iterations) * event.iterations;
    if (!event.reshard.isValid())
      return get(names.opBytes, event.op);
    __int128 bytes = get(names.reshardBytes, event.reshard);
    return static_cast<int64_t>(event.wholePs > 0 ? bytes * (event.endPs - event.startPs) / event.wholePs : bytes);
  }

  void writeTraffic(uint32_t level);
  void writePipelines();
  void writeStage(const PipelineRun &run, int64_t stage);

  const Timeline &timeline;
  const TraceNames &names;
  const Graph &graph;
  llvm::json::OStream json;
  int64_t lastBytes = -1;
};

} // namespace

/// Writes the rate at which a device sends over the level, whenever it changes.
void TraceWriter::writeTraffic(uint32_t level) {
  std::map<int64_t, int64_t> changes;
  for (const TimelineEvent &event : timeline.events) {
    double seconds = static_cast<double>(event.endPs - event.startPs) / 1e12;
    auto rate = static_cast<int64_t>(static_cast<double>(getSentBytes(event, level)) / seconds);
    if (rate == 0)
      continue;
    changes[event.startPs] += rate;
    changes[event.endPs] -= rate;
  }
  int64_t rate = 0;
  for (auto [timePs, change] : changes) {
    rate += change;
    if (change != 0)
      writeCounter(names.streams[level + 1] + " traffic", timePs, "bytes_per_second", rate);
  }
}

/// The microbatches that a stage has, tick by tick. Where it has none, there is nothing.
void TraceWriter::writeStage(const PipelineRun &run, int64_t stage) {
  int64_t position = run.isReversed ? run.stages - 1 - stage : stage;
  for (int64_t tick = position; tick < run.ticks; ++tick) {
    // As in Pipeline/Ticks.h: groups of microbatches, each of which goes around all repeats.
    int64_t turn = tick - position, place = turn % (run.stages * run.repeats);
    int64_t repeat = place / run.stages;
    int64_t microbatch = turn - (turn / (run.stages * run.repeats) * (run.repeats - 1) + repeat) * run.stages;
    if (microbatch >= run.microbatches)
      continue;
    std::string name = "microbatch " + std::to_string(microbatch) +
                       (run.repeats > 1 ? ", repeat " + std::to_string(repeat) : "") +
                       (run.isReversed ? ", backward" : "");
    json.object([&] {
      int64_t begin = run.startPs + tick * run.tickPs;
      json.attribute("ph", "X");
      json.attribute("name", name);
      json.attribute("pid", 1);
      json.attribute("tid", stage);
      writeTime("ts", toNanoseconds(begin));
      writeTime("dur", toNanoseconds(begin + run.tickPs) - toNanoseconds(begin));
    });
  }
}

void TraceWriter::writePipelines() {
  int64_t numStages = 0;
  for (const PipelineRun &run : names.pipelines)
    numStages = std::max(numStages, run.stages);
  if (numStages > 0)
    writeMetadata("process_name", 0, "name", "stages of the pipeline", 1);
  for (int64_t stage = 0; stage < numStages; ++stage) {
    writeMetadata("thread_name", stage, "name", "stage " + std::to_string(stage), 1);
    writeMetadata("thread_sort_index", stage, "sort_index", stage, 1);
    for (const PipelineRun &run : names.pipelines)
      if (stage < run.stages)
        writeStage(run, stage);
  }
}

std::vector<PipelineRun> findPipelines(const Graph &graph, const Schedule &schedule, const Timeline &timeline) {
  const Tactic *tactic = schedule::findPipelineTactic(schedule);
  if (!tactic)
    return {};
  std::map<RegionId, PipelineRun> runs;
  for (const Op &op : graph.ops.raw()) {
    llvm::StringRef name = graph.getName(op.name);
    bool isReversed = name == pipeline::reversedMicrobatchNumbers;
    if (!isReversed && name != pipeline::microbatchNumbers)
      continue;
    PipelineRun &run = runs[op.region];
    run.stages = graph.getShape(graph.definitions[op.firstDefinition]).front();
    run.ticks = graph.regions[op.region].trips;
    run.isReversed = isReversed;
    run.microbatches = tactic->pipeline->microbatches;
    run.repeats = tactic->pipeline->repeats;
  }
  std::vector<PipelineRun> found;
  for (const TimelineEvent &event : timeline.events) {
    auto run = runs.find(event.loop);
    if (event.stream != simulate::computeStream || event.iterations <= 0 || run == runs.end())
      continue;
    // The iteration before is shown op by op.
    run->second.tickPs = (event.endPs - event.startPs) / event.iterations;
    run->second.startPs = event.endPs - run->second.tickPs * run->second.ticks;
    found.push_back(run->second);
  }
  return found;
}

void writeTrace(const Timeline &timeline, const TraceNames &names, llvm::raw_ostream &out) {
  TraceWriter(timeline, names, out).write();
  out << "\n";
}

/// Adds `times` times the bytes of each level.
static void addBytes(std::vector<int64_t> &sum, llvm::ArrayRef<int64_t> bytes, int64_t times) {
  sum.resize(std::max(sum.size(), bytes.size()));
  for (size_t level = 0; level < bytes.size(); ++level)
    sum[level] += bytes[level] * times;
}

/// Adds what runs once in `region` to one iteration of each loop around it.
static void addToLoops(const Price &price, RegionId region, llvm::ArrayRef<int64_t> bytes, TraceNames &names) {
  const Graph &graph = price.plan.getGraph();
  for (RegionId loop = region; loop.isValid(); loop = graph.regions[loop].parent)
    if (int64_t times = price.model.getTimes(loop); times > 0)
      addBytes(names.loopBytes[loop], bytes, price.model.getTimes(region) / times);
}

static void addTraffic(const Price &price, TraceNames &names) {
  const Plan &plan = price.plan;
  std::map<ReshardPlanId, std::vector<int64_t>> known;
  for (ReshardId id : idRange<ReshardId>(plan.reshards.size())) {
    ReshardPlanId number = plan.reshards[id].plan;
    auto [entry, isNew] = known.try_emplace(number);
    const ReshardPlan &steps = plan.planner[number];
    for (size_t step = 0; isNew && step < steps.steps.size(); ++step)
      addBytes(entry->second, priceStep(price.model, steps, step).wireBytes, 1);
    names.reshardBytes[id] = entry->second;
    addToLoops(price, plan.reshards[id].region, entry->second, names);
  }
  for (const auto &[existing, once] : llvm::zip_equal(plan.existing, price.existing)) {
    std::vector<int64_t> bytes;
    addBytes(bytes, once.wireBytes, existing.times);
    addBytes(names.opBytes[existing.op], bytes, 1);
    addToLoops(price, plan.getGraph().ops[existing.op].region, bytes, names);
  }
}

std::string printTrace(const Price &price, const Timeline &timeline) {
  TraceNames names;
  names.graph = &price.plan.getGraph();
  names.reshards = &price.plan.reshards;
  names.planner = &price.plan.planner;
  names.streams.push_back("compute");
  for (const Level &level : price.getMachine().levels)
    names.streams.push_back(level.name);
  for (int64_t bytes : computeLiveBytes(price))
    names.liveBytes.push_back(bytes);
  addTraffic(price, names);
  if (price.plan.schedule)
    names.pipelines = findPipelines(*names.graph, *price.plan.schedule, timeline);
  std::string text;
  llvm::raw_string_ostream out(text);
  writeTrace(timeline, names, out);
  return text;
}

} // namespace partita::report
