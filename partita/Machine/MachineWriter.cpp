//===- MachineWriter.cpp - writes a machine as JSON -----------------------===//

#include "partita/Machine/MachineFile.h"

#include "llvm/Support/JSON.h"

namespace partita::machine {

using llvm::json::OStream;

static void writeFigure(OStream &json, llvm::StringRef key, const Figure &figure) {
  if (figure.source.empty() && figure.widthPpm == 0)
    return json.attribute(key, figure.value);
  json.attributeBegin(key);
  // On one line: a machine has a hundred figures.
  json.rawValue([&](llvm::raw_ostream &out) {
    out << "{\"value\": " << figure.value;
    if (!figure.source.empty())
      out << ", \"source\": " << llvm::json::Value(figure.source);
    if (figure.widthPpm > 0)
      out << ", \"width_ppm\": " << figure.widthPpm;
    out << "}";
  });
  json.attributeEnd();
}

static void writeProtocols(OStream &json, llvm::StringRef key, const std::vector<Protocol> &protocols) {
  json.attributeArray(key, [&] {
    for (const Protocol &protocol : protocols)
      json.object([&] {
        writeFigure(json, "launch_ps", protocol.launchPs);
        writeFigure(json, "hop_ps", protocol.hopPs);
        writeFigure(json, "rate_ppm", protocol.ratePpm);
      });
  });
}

static void writeLevel(OStream &json, const Level &level) {
  json.attribute("name", level.name);
  json.attribute("kind", getName(level.kind));
  json.attribute("size", level.size);
  writeFigure(json, "bytes_per_second", level.bytesPerSecond);
  writeFigure(json, "devices_per_port", level.devicesPerPort);
  if (level.localBytesPerSecond.value != 0)
    writeFigure(json, "local_bytes_per_second", level.localBytesPerSecond);
  writeProtocols(json, "protocols", level.protocols);
  if (!level.permuteProtocols.empty())
    writeProtocols(json, "permute_protocols", level.permuteProtocols);
  writeFigure(json, "peer_hop_ps", level.peerHopPs);
  if (level.treeHopPs.value != 0)
    writeFigure(json, "tree_hop_ps", level.treeHopPs);
  if (level.inNetwork)
    json.attributeObject("in_network_reduction", [&] {
      writeFigure(json, "latency_ps", level.inNetwork->latencyPs);
      writeFigure(json, "rate_ppm", level.inNetwork->ratePpm);
    });
  if (!level.groupLinks.empty())
    json.attributeArray("group_links", [&] {
      for (int64_t links : level.groupLinks)
        json.value(links);
    });
}

static void writeProducts(OStream &json, const ProductFigures &products) {
  writeFigure(json, "units", products.units);
  writeFigure(json, "launch_ps", products.launchPs);
  writeFigure(json, "wave_ps", products.wavePs);
  writeFigure(json, "split_ps", products.splitPs);
  writeFigure(json, "memory_ppm", products.memoryPpm);
  writeFigure(json, "sustained_ppm", products.sustainedPpm);
  writeFigure(json, "unaligned_ppm", products.unalignedPpm);
  writeFigure(json, "vector_ppm", products.vectorPpm);
  json.attributeObject("type_ppm", [&] {
    for (const ProductTypeShare &share : products.typeShares)
      writeFigure(json, share.type, share.ratePpm);
  });
  json.attributeObject("tiles", [&] {
    json.attributeArray("sizes", [&] {
      for (const ProductTile &tile : products.tiles)
        json.rawValue("[" + std::to_string(tile.rows) + ", " + std::to_string(tile.columns) + ", " +
                      std::to_string(tile.ratePpm) + "]");
    });
    if (!products.tilesSource.empty())
      json.attribute("source", products.tilesSource);
    if (products.tilesWidthPpm > 0)
      json.attribute("width_ppm", products.tilesWidthPpm);
  });
}

static bool saysNothing(const Figure &figure) {
  return figure.value == wholePpm && figure.source.empty() && figure.widthPpm == 0;
}

static void writeOps(OStream &json, const OpFigures &ops) {
  if (ops.arithmeticPpm.value > 0)
    writeFigure(json, "arithmetic_ppm", ops.arithmeticPpm);
  if (ops.reductionPs.value > 0)
    writeFigure(json, "reduction_ps", ops.reductionPs);
  json.attributeObject("time_ppm", [&] {
    for (size_t family = 0; family < numOpFamilies; ++family)
      if (!saysNothing(ops.timePpm[family]))
        writeFigure(json, getName(static_cast<OpFamily>(family)), ops.timePpm[family]);
  });
}

static void writeDevice(OStream &json, const Device &device) {
  json.attributeObject("peak_flops_per_second", [&] {
    for (const PeakRate &peak : device.peaks)
      writeFigure(json, peak.type, peak.flopsPerSecond);
  });
  writeFigure(json, "memory_bytes", device.memoryBytes);
  writeFigure(json, "pool_ppm", device.pool.sharePpm);
  writeFigure(json, "pool_planned_ppm", device.pool.plannedPpm);
  writeFigure(json, "memory_bytes_per_second", device.memoryBytesPerSecond);
  writeFigure(json, "memory_ppm", device.memoryPpm);
  writeFigure(json, "launch_ps", device.launchPs);
  if (device.issuePs.value > 0)
    writeFigure(json, "issue_ps", device.issuePs);
  if (device.issuePeerPs.value > 0)
    writeFigure(json, "issue_peer_ps", device.issuePeerPs);
  if (device.issueWindow)
    json.attribute("issue_window", *device.issueWindow);
  if (device.lateWindow)
    json.attribute("late_window", *device.lateWindow);
  writeFigure(json, "matmul_tile", device.matmulTile);
  json.attributeObject("matmul_efficiency", [&] {
    json.attributeArray("points", [&] {
      for (const EfficiencyPoint &point : device.matmulEfficiency)
        json.rawValue("[" + std::to_string(point.idealPs) + ", " + std::to_string(point.ppm) + "]");
    });
    if (!device.matmulEfficiencySource.empty())
      json.attribute("source", device.matmulEfficiencySource);
  });
  if (!device.products.tiles.empty())
    json.attributeObject("products", [&] { writeProducts(json, device.products); });
  if (device.ops != OpFigures())
    json.attributeObject("ops", [&] { writeOps(json, device.ops); });
}

void writeMachine(const Machine &machine, llvm::raw_ostream &out) {
  OStream json(out, 2);
  json.object([&] {
    json.attribute("partita_machine", 1);
    json.attribute("name", machine.name);
    if (!machine.platform.empty())
      json.attribute("platform", machine.platform);
    json.attributeObject("device", [&] { writeDevice(json, machine.device); });
    json.attributeArray("levels", [&] {
      for (const Level &level : machine.levels)
        json.object([&] { writeLevel(json, level); });
    });
    json.attribute("hierarchical_collectives", machine.hierarchicalCollectives);
    if (machine.stepWidthPpm > 0)
      json.attribute("step_width_ppm", machine.stepWidthPpm);
    if (machine.peakWidthPpm > 0)
      json.attribute("peak_width_ppm", machine.peakWidthPpm);
    json.attributeObject("sources", [&] {
      for (const SourceNote &source : machine.sources)
        json.attribute(source.tag, source.text);
    });
    if (!machine.notes.empty())
      json.attributeArray("notes", [&] {
        for (const std::string &note : machine.notes)
          json.value(note);
      });
  });
  out << "\n";
}

} // namespace partita::machine
