//===- Trace.cpp - a timeline as a file for trace viewers -----------------===//

#include "partita/Report/Trace.h"

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
      });
    });
  }

private:
  /// Exact: a picosecond is a millionth of a microsecond.
  void writeTime(llvm::StringRef key, int64_t timePs) {
    json.attributeBegin(key);
    json.rawValue(llvm::formatv("{0}.{1:D6}", timePs / 1'000'000, timePs % 1'000'000).str());
    json.attributeEnd();
  }

  /// Writes names and the order of streams, which a viewer shows beside the events.
  void writeMetadata(llvm::StringRef what, uint32_t stream, llvm::StringRef key, llvm::json::Value value) {
    json.object([&] {
      json.attribute("ph", "M");
      json.attribute("name", what);
      json.attribute("pid", 0);
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

  void writeEvent(const TimelineEvent &event) {
    json.object([&] {
      json.attribute("ph", "X");
      json.attribute("name", getName(event));
      json.attribute("pid", 0);
      json.attribute("tid", event.stream);
      writeTime("ts", event.startPs);
      writeTime("dur", event.endPs - event.startPs);
      json.attributeObject("args", [&] { writeArguments(event); });
    });
  }

  void writeMemory(const TimelineEvent &event) {
    if (!event.op.isValid() || names.liveBytes.empty() || names.liveBytes[event.op] == lastBytes)
      return;
    lastBytes = names.liveBytes[event.op];
    json.object([&] {
      json.attribute("ph", "C");
      json.attribute("name", "memory");
      json.attribute("pid", 0);
      writeTime("ts", event.startPs);
      json.attributeObject("args", [&] { json.attribute("bytes", lastBytes); });
    });
  }

  const Timeline &timeline;
  const TraceNames &names;
  const Graph &graph;
  llvm::json::OStream json;
  int64_t lastBytes = -1;
};

} // namespace

void writeTrace(const Timeline &timeline, const TraceNames &names, llvm::raw_ostream &out) {
  TraceWriter(timeline, names, out).write();
  out << "\n";
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
  std::string text;
  llvm::raw_string_ostream out(text);
  writeTrace(timeline, names, out);
  return text;
}

} // namespace partita::report
