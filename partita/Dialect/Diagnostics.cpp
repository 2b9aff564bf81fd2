//===- Diagnostics.cpp - MLIR's diagnostics as our errors -----------------===//

#include "partita/Dialect/Diagnostics.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace partita {

/// Whether a file belongs to Python or to a package that is installed, not to the user.
static bool isInstalled(llvm::StringRef file) { return file.contains("/lib/python3"); }

std::optional<SourceLocation> findSourceLocation(Location location) {
  std::optional<SourceLocation> installed;
  // Call sites nest as deep as calls do and share their parts. The loop follows each part once.
  llvm::SmallVector<Location> todo{location};
  llvm::SmallDenseSet<Location, 8> seen;
  while (!todo.empty()) {
    Location next = todo.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (auto file = dyn_cast<FileLineColLoc>(next)) {
      SourceLocation source{file.getFilename().str(), file.getLine(), file.getColumn()};
      if (!isInstalled(source.file))
        return source;
      if (!installed)
        installed = std::move(source);
    } else if (auto name = dyn_cast<NameLoc>(next))
      todo.push_back(name.getChildLoc());
    else if (auto call = dyn_cast<CallSiteLoc>(next))
      todo.append({call.getCaller(), call.getCallee()});
    else if (auto fused = dyn_cast<FusedLoc>(next))
      todo.append(fused.getLocations().rbegin(), fused.getLocations().rend());
  }
  return installed;
}

SourceLocation locationOf(Operation *op) { return findSourceLocation(op->getLoc()).value_or(SourceLocation{}); }

DiagnosticCollector::DiagnosticCollector(MLIRContext *context, llvm::StringRef file)
    : file(file), handler(context, [this](Diagnostic &diagnostic) { return handle(diagnostic); }) {}

LogicalResult DiagnosticCollector::handle(Diagnostic &diagnostic) {
  // Warnings and remarks go on to the outer handler.
  if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
    return failure();
  if (error)
    return success();
  SourceLocation location = findSourceLocation(diagnostic.getLocation()).value_or(SourceLocation{file, 0, 0});
  std::string reason = diagnostic.str();
  // A note that prints the whole op adds little to its location.
  for (Diagnostic &note : diagnostic.getNotes())
    if (std::string text = note.str(); !llvm::StringRef(text).starts_with("see current operation"))
      reason += "\n  note: " + text;
  error = Error::badInput(std::move(location), std::move(reason));
  return success();
}

Error DiagnosticCollector::takeError(llvm::StringRef fallback) {
  return error ? std::move(*error) : Error::internal(fallback.str());
}

} // namespace partita
