//===- ProblemReader.h - reads the contest's problem files ----------------===//
//
// A file is JSON, plain or gzipped:
//
//   {"problem": {"name": "example",
//     "nodes": {"intervals": [[0, 3], [1, 4]], "costs": [[5, 7], [2]], "usages": [[4, 1], [3]]},
//     "edges": {"nodes": [[0, 1]], "costs": [[0, 9]]},
//     "usage_limit": 6}}
//
// The files have up to 140 MB of numbers, so they are read without a tree of
// JSON values.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SOLVE_PROBLEMREADER_H
#define PARTITA_SOLVE_PROBLEMREADER_H

#include "partita/Solve/ChoiceProblem.h"
#include "partita/Support/Error.h"
#include "partita/Support/Limits.h"

namespace partita::solve {

/// The problem in `text`. `file` is used in errors only.
Result<ChoiceProblem> parseProblem(llvm::StringRef text, llvm::StringRef file);

/// The problem in the file `path`, which may be gzipped.
Result<ChoiceProblem> readProblem(llvm::StringRef path, const Limits &limits);

} // namespace partita::solve

#endif
