//===- InputCheck.cpp - checks a file before it is parsed -----------------===//

#include "partita/Program/InputCheck.h"

#include "llvm/ADT/StringExtras.h"

namespace partita::program {

bool isBytecode(llvm::StringRef bytes) { return bytes.starts_with("ML\xEFR"); }

/// Tells users how to convert other tools' serialized programs to text.
static constexpr const char *textRemedy =
    "turn it into text first: with a jax.export.Exported e, write e.mlir_module() to a file; with a lowered "
    "function, lowered.as_text(debug_info=True)";

/// The producer's name follows the magic number and the version, and ends with a zero byte.
static llvm::StringRef getProducer(llvm::StringRef bytes) {
  llvm::StringRef rest = bytes.drop_front(std::min<size_t>(bytes.size(), 5));
  return rest.take_until([](char c) { return c == '\0'; }).take_front(64);
}

static Status checkBytecode(llvm::StringRef bytes, const SourceLocation &location) {
  llvm::StringRef producer = getProducer(bytes);
  if (producer.starts_with("MLIR22") || producer.starts_with("Partita"))
    return std::nullopt;
  if (producer.starts_with("StableHLO"))
    return Error::unsupported(location, "this is a portable StableHLO artifact (" + producer.str() + ")")
        .withRemedy(textRemedy);
  std::string name = llvm::all_of(producer, llvm::isPrint) ? producer.str() : "unknown";
  return Error::unsupported(location, "this is MLIR bytecode of another producer (" + name + ")")
      .withRemedy(textRemedy);
}

/// Recognizes by its first bytes a file that is not a program.
static Status checkKind(llvm::StringRef bytes, const SourceLocation &location) {
  if (bytes.trim().empty())
    return Error::badInput(location, "the file is empty").withRemedy("give a StableHLO program in MLIR text");
  if (bytes.starts_with("\x1F\x8B"))
    return Error::badInput(location, "the file is compressed with gzip").withRemedy("gunzip it first");
  if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF"))
    return Error::badInput(location, "the file is UTF-16 text").withRemedy("save it as UTF-8");
  if (bytes.starts_with("\xEF\xBB\xBF"))
    return Error::badInput(location, "the file starts with a byte order mark")
        .withRemedy("save it as UTF-8 without one");
  if (bytes.contains('\0'))
    return Error::badInput(location, "the file is binary, and not MLIR bytecode")
        .withRemedy("give a StableHLO program in MLIR text");
  return std::nullopt;
}

namespace {

/// Follows brackets through MLIR text: strings and comments hide them, `->` is no bracket.
class DepthScan {
public:
  explicit DepthScan(llvm::StringRef text) : text(text) {}

  /// Offset of the first bracket beyond `limit` levels, if there is one.
  std::optional<size_t> findBeyond(int64_t limit);

private:
  void skipString();
  void skipComment();

  llvm::StringRef text;
  size_t at = 0;
};

} // namespace

void DepthScan::skipString() {
  for (++at; at < text.size() && text[at] != '"' && text[at] != '\n'; ++at)
    if (text[at] == '\\')
      ++at;
}

void DepthScan::skipComment() {
  size_t end = text.find('\n', at);
  at = end == llvm::StringRef::npos ? text.size() : end;
}

std::optional<size_t> DepthScan::findBeyond(int64_t limit) {
  int64_t depth = 0;
  for (; at < text.size(); ++at) {
    switch (text[at]) {
    case '"':
      skipString();
      break;
    case '/':
      if (text.substr(at).starts_with("//"))
        skipComment();
      break;
    case '(':
    case '[':
    case '{':
    case '<':
      if (++depth > limit)
        return at;
      break;
    case '>':
      if (at > 0 && text[at - 1] == '-')
        break;
      [[fallthrough]];
    case ')':
    case ']':
    case '}':
      depth = std::max<int64_t>(depth - 1, 0);
      break;
    default:
      break;
    }
  }
  return std::nullopt;
}

static SourceLocation locate(llvm::StringRef text, size_t offset, llvm::StringRef file) {
  llvm::StringRef before = text.take_front(offset);
  size_t lineStart = before.rfind('\n');
  unsigned column = offset - (lineStart == llvm::StringRef::npos ? 0 : lineStart + 1) + 1;
  return SourceLocation{file.str(), static_cast<unsigned>(before.count('\n')) + 1, column};
}

Status checkProgramBytes(llvm::StringRef bytes, llvm::StringRef file, const Limits &limits) {
  SourceLocation start{file.str(), 1, 1};
  if (static_cast<int64_t>(bytes.size()) > limits.maxFileBytes)
    return beyondLimit(start, "the file has " + std::to_string(bytes.size()) + " bytes", "max-file-bytes",
                       limits.maxFileBytes);
  if (isBytecode(bytes))
    return checkBytecode(bytes, start);
  if (Status error = checkKind(bytes, start))
    return error;
  if (std::optional<size_t> offset = DepthScan(bytes).findBeyond(limits.maxDepth))
    return beyondLimit(locate(bytes, *offset, file), "brackets are nested deeper here", "max-depth", limits.maxDepth);
  return std::nullopt;
}

} // namespace partita::program
