//===- UnevenTiles.h - tiles on dims that axes do not divide --------------===//
//
// A schedule or a spec that splits 50257 rows over 8 devices asks for padding:
//
//   findUnevenTiles   the dims that have to be longer, and by what they divide
//   redirectTiles     the tiles of arguments, on what these are padded to: at the
//                     border of the program an argument has its own size, and no
//                     axis that does not divide it
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PADDING_UNEVENTILES_H
#define PARTITA_PADDING_UNEVENTILES_H

#include "partita/Graph/LinkedDims.h"
#include "partita/Padding/Rooms.h"
#include "partita/Schedule/PlanSource.h"

namespace partita::padding {

/// The classes of dims along which windows slide whose number is not that of steps of the stride (DimLinks.h): only if
/// the program is padded, if only by nothing, can devices split them.
std::vector<uint8_t> findSlidDims(const Graph &graph, const LinkedDims &linked);

/// The classes of dims that slices, pads and concatenations make a little longer or shorter, so that `parts` devices do
/// not divide both: if all of them are padded, rows move between pieces.
std::vector<uint8_t> findCutDims(const Graph &graph, const LinkedDims &linked, int64_t parts);

/// The dims that tiles and specs of `source`, which are not optional, split over axes of `mesh` that do not divide
/// them, along which windows slide, or that are cut. Presets are expanded. A tile with several dims to choose from
/// needs padding only if no dim divides.
std::vector<PadEntry> findUnevenTiles(const Graph &graph, const PlanSource &source, const Mesh &mesh);

/// The same for a schedule that the user did not ask to leave sizes as they are.
void redirectTiles(PlanSource &source, const Graph &padded);

} // namespace partita::padding

#endif
