//===- JsonList.h - writes a JSON array with one entry per line -----------===//

#ifndef PARTITA_SUPPORT_JSONLIST_H
#define PARTITA_SUPPORT_JSONLIST_H

#include "llvm/Support/JSON.h"

#include <utility>

namespace partita {

/// Writes a member behind others of an object: `,`, the key, and an array with one entry per line, which is easy to
/// read and to compare. `write` gets the writer of an entry and the entry.
template <typename Range, typename Write>
void writeJsonList(llvm::raw_ostream &out, llvm::StringRef key, const Range &range, Write write) {
  out << ",\n\"" << key << "\": [";
  bool isFirst = true;
  for (const auto &entry : range) {
    out << (std::exchange(isFirst, false) ? "\n" : ",\n");
    llvm::json::OStream json(out);
    write(json, entry);
  }
  out << "]";
}

} // namespace partita

#endif
