//===- CollectivePrograms.cpp - collectives in steps, as plans have them --===//

#include "partita/Schedule/CollectivePrograms.h"

#include "partita/Support/Spelling.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace partita::schedule {

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

/// Keeps the first error, with its location.
class ProgramReader {
public:
  explicit ProgramReader(llvm::StringRef file) : file(file) {}

  Result<std::vector<CollectiveProgram>> run(const JsonValue &json) {
    if (json.kind != JsonValue::Kind::Array)
      fail(json, "\"reductions\" must be a list");
    for (const JsonValue &element : json.elements)
      if (!error)
        programs.push_back(readProgram(element));
    if (error)
      return std::move(*error);
    return std::move(programs);
  }

private:
  void fail(const JsonValue &at, std::string reason, std::string remedy = "") {
    if (!error)
      error = Error::badInput({file.str(), at.line, at.column}, std::move(reason)).withRemedy(std::move(remedy));
  }

  const JsonValue &find(const JsonValue &json, llvm::StringRef key) {
    const JsonValue *found = json.find(key);
    if (!found)
      fail(json, "the member \"" + key.str() + "\" is missing");
    return found ? *found : json;
  }

  StepKind readKind(const JsonValue &json, llvm::ArrayRef<StepKind> known) {
    std::optional<StepKind> kind = json.kind == JsonValue::Kind::String ? findStepKind(json.text) : std::nullopt;
    if (kind && llvm::is_contained(known, *kind))
      return *kind;
    std::vector<llvm::StringRef> names;
    for (StepKind each : known)
      names.push_back(getName(each));
    fail(json, "expected the name of a collective", "known are " + llvm::join(names, ", "));
    return known.front();
  }

  std::vector<std::string> readAxes(const JsonValue &json) {
    std::vector<std::string> axes;
    if (json.kind != JsonValue::Kind::Array || json.elements.empty())
      fail(json, "expected a list of axes");
    for (const JsonValue &element : json.elements)
      if (element.kind == JsonValue::Kind::String)
        axes.push_back(element.text);
      else
        fail(element, "expected the name of an axis");
    return axes;
  }

  void readBytes(const JsonValue &json, CollectiveProgram &program) {
    std::optional<int64_t> least, most;
    if (json.kind == JsonValue::Kind::Array && json.elements.size() == 2) {
      least = json.elements[0].getInteger();
      most = json.elements[1].getInteger();
    }
    if (!least || !most || *least < 0 || *most < *least)
      return fail(json, "expected the least and the most bytes, such as [0, 1048576]");
    program.leastBytes = *least;
    program.mostBytes = *most;
  }

  /// An all_to_all is nothing but exchanges, which are steps of nothing else.
  static llvm::ArrayRef<StepKind> getSteps(StepKind goal) {
    static constexpr StepKind exchange[] = {StepKind::AllToAll};
    static constexpr StepKind others[] = {StepKind::AllReduce, StepKind::ReduceScatter, StepKind::AllGather,
                                          StepKind::Slice};
    return goal == StepKind::AllToAll ? llvm::ArrayRef(exchange) : llvm::ArrayRef(others);
  }

  CollectiveProgram::Step readStep(const JsonValue &json, StepKind goal) {
    if (json.kind != JsonValue::Kind::Array || json.elements.size() != 2) {
      fail(json, "expected a step, such as [\"all_reduce\", [\"data\"]]");
      return {};
    }
    return {readKind(json.elements[0], getSteps(goal)), readAxes(json.elements[1])};
  }

  CollectiveProgram readProgram(const JsonValue &json) {
    constexpr llvm::StringRef known[] = {"collective", "axes", "bytes", "steps"};
    CollectiveProgram program;
    program.location = {file.str(), json.line, json.column};
    if (json.kind != JsonValue::Kind::Object) {
      fail(json, "expected an object");
      return program;
    }
    for (const JsonMember &member : json.members)
      if (!llvm::is_contained(known, member.name))
        fail(member.value, "unknown member \"" + member.name + "\"", adviseName(member.name, known, "known"));
    program.goal = readKind(find(json, "collective"),
                            {StepKind::AllReduce, StepKind::ReduceScatter, StepKind::AllGather, StepKind::AllToAll});
    program.axes = readAxes(find(json, "axes"));
    if (const JsonValue *bytes = json.find("bytes"))
      readBytes(*bytes, program);
    const JsonValue &steps = find(json, "steps");
    if (steps.kind != JsonValue::Kind::Array || steps.elements.empty())
      fail(steps, "expected a list of steps");
    for (const JsonValue &step : steps.elements)
      if (!error)
        program.steps.push_back(readStep(step, program.goal));
    return program;
  }

  llvm::StringRef file;
  std::vector<CollectiveProgram> programs;
  Status error;
};

} // namespace

Result<std::vector<CollectiveProgram>> readPrograms(const JsonValue &json, llvm::StringRef file) {
  return ProgramReader(file).run(json);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static void writeAxes(llvm::ArrayRef<std::string> axes, llvm::json::OStream &json) {
  for (const std::string &axis : axes)
    json.value(axis);
}

static void writeProgram(const CollectiveProgram &program, llvm::json::OStream &json) {
  json.attribute("collective", getName(program.goal));
  json.attributeArray("axes", [&] { writeAxes(program.axes, json); });
  if (program.leastBytes > 0 || program.mostBytes < INT64_MAX)
    json.attributeArray("bytes", [&] {
      json.value(program.leastBytes);
      json.value(program.mostBytes);
    });
  json.attributeArray("steps", [&] {
    for (const CollectiveProgram::Step &step : program.steps)
      json.array([&] {
        json.value(getName(step.kind));
        json.array([&] { writeAxes(step.axes, json); });
      });
  });
}

void writePrograms(llvm::ArrayRef<CollectiveProgram> programs, llvm::json::OStream &json) {
  json.array([&] {
    for (const CollectiveProgram &program : programs)
      json.object([&] { writeProgram(program, json); });
  });
}

std::vector<std::string> collectAxes(llvm::ArrayRef<CollectiveProgram> programs) {
  std::vector<std::string> axes;
  for (const CollectiveProgram &program : programs) {
    llvm::append_range(axes, program.axes);
    for (const CollectiveProgram::Step &step : program.steps)
      llvm::append_range(axes, step.axes);
  }
  return axes;
}

std::string printProgramSteps(const CollectiveProgram &program) {
  std::vector<std::string> texts;
  for (const CollectiveProgram::Step &step : program.steps)
    texts.push_back(getName(step.kind).str() + " over " + llvm::join(step.axes, ", "));
  return llvm::join(texts, "; ");
}

} // namespace partita::schedule
