//===- ReductionText.h - programs of a collective as JSON -----------------===//

#ifndef PARTITA_REPORT_REDUCTIONTEXT_H
#define PARTITA_REPORT_REDUCTIONTEXT_H

#include "partita/Machine/Reduce/Synthesis.h"
#include "partita/Report/Rooms.h"

namespace partita::report {

/// `{"factors": [{"level", "size"}], "plain_ps", "fastest": {...}, "programs": [{"steps": [["reduce_scatter",
/// ["nvlink"]], ...], "time_ps", "reordered"}, ...]}`: the programs of a collective, at most `most`, the fastest first.
/// Nothing if it is a permute. All of them are proven.
std::optional<std::string> printPrograms(Synthesizer &synthesizer, const Machine &machine,
                                         const CollectiveRequest &request, size_t most);

} // namespace partita::report

#endif
