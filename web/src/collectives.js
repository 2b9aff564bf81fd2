// Collectives by axis and by source line.

import { axisX, barX, plot, stackX } from "@observablehq/plot";
import { figure, make, place, section, table } from "./dom.js";
import { byteUnits, chooseUnit, printBytes, printCount, printTime, roomFor, timeUnits } from "./units.js";

const kinds = ["all_gather", "reduce_scatter", "all_reduce", "all_to_all", "collective_permute"];
const color = (kind) => `var(--class-${kinds.indexOf(kind) + 1 || 6})`;
const title = (kind) => kind.replaceAll("_", " ");

function draw(rows, width, isCompared) {
  const isTimed = rows.some((row) => row.time_ps !== null);
  const amount = (row) => (isTimed ? row.time_ps : row.wire_bytes);
  const sums = new Map();
  for (const row of rows) sums.set(row.lane, (sums.get(row.lane) ?? 0) + amount(row));
  const unit = chooseUnit(Math.max(1, ...sums.values()), isTimed ? timeUnits : byteUnits);
  const lanes = [...sums.keys()];
  return plot({
    width,
    height: 66 + 34 * lanes.length,
    marginBottom: 44,
    marginLeft: roomFor(lanes),
    marginRight: 30,
    x: {
      label: isTimed ? `time on the network (${unit.name})` : `bytes sent by a device (${unit.name})`,
      labelOffset: 36,
    },
    y: { domain: lanes, label: null },
    color: { type: "identity" },
    marks: [
      barX(
        rows,
        stackX({
          x: (row) => amount(row) / unit.size,
          y: "lane",
          fill: (row) => color(row.kind),
          order: (row) => kinds.indexOf(row.kind),
          ariaLabel: (row) =>
            `${row.lane}: ${title(row.kind)} ${isTimed ? printTime(row.time_ps) : printBytes(row.wire_bytes)}`,
          title: (row) =>
            `${title(row.kind)} over ${row.axis}\n${printCount(row.count)} times, ${printBytes(row.bytes)}, ${printTime(row.time_ps)}`,
        }),
      ),
      axisX(),
    ],
  });
}

export function drawCollectives(plans, width) {
  const isCompared = plans.length > 1;
  const rows = plans
    .flatMap((plan) =>
      plan.collectives.map((entry) => {
        const axis = entry.axes.join(" + ") || "–";
        return { ...entry, plan: plan.name, axis, lane: isCompared ? `${axis} (${plan.name})` : axis };
      }),
    )
    .sort((a, b) => a.axis.localeCompare(b.axis, "en"));
  if (!rows.length) return section("collectives", "Collectives", make("p", {}, "Devices exchange nothing."));
  const used = new Set(rows.map((row) => row.kind));
  const own = isCompared ? [{ title: "plan", get: (row) => row.plan }] : [];
  const byAxis = table({
    id: "by-axis",
    caption: "By kind and axes",
    rows,
    columns: [
      ...own,
      { title: "collective", get: (row) => row.kind },
      { title: "axes", get: (row) => row.axis },
      { title: "count", get: (row) => row.count, print: printCount, number: true },
      { title: "payload", get: (row) => row.bytes, print: printBytes, number: true },
      { title: "a device sends", get: (row) => row.wire_bytes, print: printBytes, number: true },
      { title: "time", get: (row) => row.time_ps, print: printTime, number: true },
    ],
  });
  return section(
    "collectives",
    "Collectives",
    figure("Collectives by axis", draw(rows, width, isCompared)),
    make(
      "ul",
      { class: "legend" },
      [...used]
        .sort((a, b) => kinds.indexOf(a) - kinds.indexOf(b))
        .map((kind) =>
          make("li", {}, make("span", { class: "swatch", style: `background:${color(kind)}` }), title(kind)),
        ),
    ),
    byAxis,
    listLines(plans, own),
  );
}

/** `all_gather {data, model} 0; all_to_all {data} 0 -> 1` as `all_gather over data, model of dim 0; ...`. */
const describeSteps = (steps) =>
  steps
    .split("; ")
    .map((step) => step.replace(/ \{([^}]*)\}/, " over $1").replace(/ (\d+)( -> \d+)?$/, " of dim $1$2"))
    .join("; ");

/** The row of a source line, for links from the timeline. */
export const lineId = (plan, loc) => `line-${plan}-${loc}`.replace(/[^\w.:/-]/g, "_");

function listLines(plans, own) {
  const rows = plans.flatMap((plan, number) =>
    plan.lines.map((line) => ({ ...line, plan: plan.name, rowId: lineId(number, line.loc) })),
  );
  return table({
    id: "by-line",
    caption: "By source line",
    rows,
    sortBy: own.length + 5,
    columns: [
      ...own,
      { title: "source line", get: (row) => row.loc, print: place },
      {
        title: "what moves",
        get: (row) => row.steps.join("; "),
        print: (_, row) =>
          make(
            "span",
            {},
            row.steps.map((step) => make("code", { class: "step" }, describeSteps(step))),
          ),
      },
      { title: "values", get: (row) => row.values, number: true },
      { title: "count", get: (row) => row.count, print: printCount, number: true },
      { title: "payload", get: (row) => row.bytes, print: printBytes, number: true },
      { title: "time", get: (row) => row.time_ps ?? 0, print: printTime, number: true },
      { title: "exposed", get: (row) => row.exposed_ps ?? 0, print: printTime, number: true },
      { title: "because of", get: (row) => row.tactics.join(", ") || "–" },
    ],
    filter: (row) => `${row.loc} ${row.steps.map(describeSteps).join(" ")} ${row.tactics.join(" ")}`.toLowerCase(),
  });
}
