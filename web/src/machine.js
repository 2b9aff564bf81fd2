// The mesh on the machine, and what goes over each of its links.

import { barX, axisX, plot, text } from "@observablehq/plot";
import { figure, make, section, table } from "./dom.js";
import { byteUnits, chooseUnit, printBytes, printCount, printShare, printTime, roomFor } from "./units.js";

const mostDrawn = 64;

/** How many boxes of each level are drawn: all, or a few of the outer levels where there are many devices. */
function countDrawn(levels) {
  let left = mostDrawn;
  return [...levels]
    .reverse()
    .map(({ size }) => {
      const drawn = Math.min(size, Math.max(1, left));
      left = Math.floor(left / drawn);
      return drawn;
    })
    .reverse();
}

function drawDevice(plan, number) {
  const place = plan.topology.order.indexOf(number);
  const sizes = plan.topology.axes.map((axis) => axis.size);
  let rest = place;
  const at = [...sizes]
    .reverse()
    .map((size) => {
      const index = rest % size;
      rest = Math.floor(rest / size);
      return index;
    })
    .reverse();
  const last = at[at.length - 1],
    hue = sizes.length ? last % 8 : 0;
  const title = plan.topology.axes.map((axis, index) => `${axis.name} ${at[index]}`).join(", ");
  return make(
    "span",
    { class: `device hue-${hue + 1}`, title: `device ${number}: ${title}` },
    place < 0 ? "" : at.join(","),
  );
}

function drawLevel(plan, drawn, depth, first) {
  const { levels } = plan.topology;
  if (depth === levels.length) return drawDevice(plan, first);
  const inside = levels.slice(depth + 1).reduce((product, level) => product * level.size, 1);
  const boxes = Array.from({ length: drawn[depth] }, (_, index) =>
    drawLevel(plan, drawn, depth + 1, first + index * inside),
  );
  const missing = levels[depth].size - drawn[depth];
  return make(
    "div",
    { class: `level depth-${depth}` },
    make("span", { class: "level-name" }, levels[depth].name),
    make("div", { class: "boxes" }, boxes),
    missing > 0 ? make("span", { class: "missing" }, `and ${printCount(missing)} more alike`) : null,
  );
}

/** Bars that begin at zero and end at `most` bytes, so that those of several plans can be compared. */
function drawTraffic(plan, width, most) {
  const levels = plan.topology.levels.filter((level) => level.size > 1);
  const unit = chooseUnit(Math.max(1, most), byteUnits);
  const x = (d) => d.bytes / unit.size;
  return plot({
    width,
    height: 66 + 30 * levels.length,
    marginBottom: 44,
    marginLeft: roomFor(levels.map((level) => level.name)),
    marginRight: 90,
    x: {
      label: `bytes that a device sends in a step (${unit.name})`,
      domain: [0, most / unit.size],
      labelOffset: 36,
    },
    y: { domain: levels.map((level) => level.name), label: null },
    marks: [
      barX(levels, {
        x,
        y: "name",
        fill: "var(--link)",
        ariaLabel: (d) => `${d.name} ${printBytes(d.bytes)}`,
        title: (d) => `${d.name}\n${printBytes(d.bytes)}, busy ${printTime(d.busy_ps)}`,
      }),
      text(levels, { x, y: "name", text: (d) => printBytes(d.bytes), dx: 6, textAnchor: "start" }),
      axisX(),
    ],
  });
}

function listLinks(plan, number, isCompared) {
  return table({
    id: `links-${number}`,
    caption: `Links${isCompared ? ` of ${plan.name}` : ""}, outermost first`,
    rows: plan.topology.levels,
    columns: [
      { title: "link", get: (row) => row.name },
      { title: "kind", get: (row) => row.kind.replace("_", " ") },
      { title: "joins", get: (row) => row.size, number: true },
      { title: "rate", get: (row) => row.bytes_per_second, print: (value) => `${printBytes(value)}/s`, number: true },
      { title: "axes", get: (row) => row.axes.join(", ") || "–" },
      { title: "a device sends", get: (row) => row.bytes, print: printBytes, number: true },
      { title: "busy", get: (row) => row.busy_ps, print: printTime, number: true },
      {
        title: "share of the step",
        get: (row) => row.busy_ps / plan.figures.time_ps,
        print: (value) => printShare(value, 1),
        number: true,
      },
    ],
  });
}

function describeColors({ topology: { axes } }) {
  return axes.length > 1 ? ` Boxes of one color have the same place along ${axes[axes.length - 1].name}.` : "";
}

function drawOne(plan, number, width, isCompared, most) {
  const names = plan.topology.axes.map((axis) => `${axis.name}=${axis.size}`).join(", ");
  return make(
    "article",
    {},
    isCompared ? make("h3", {}, plan.name) : null,
    make("p", {}, `Each box is a device with its place in the mesh (${names}).${describeColors(plan)}`),
    make(
      "div",
      { class: "devices", role: "img", "aria-label": `The mesh ${names} on ${plan.machine}` },
      drawLevel(plan, countDrawn(plan.topology.levels), 0, 0),
    ),
    plan.topology.levels.some((level) => level.bytes)
      ? figure(
          "Bytes on each link",
          drawTraffic(plan, width, most),
          "All devices send alike: all links of one level carry the same number of bytes.",
        )
      : null,
    listLinks(plan, number, isCompared),
  );
}

export function drawMachine(plans, width) {
  const known = plans.filter((plan) => plan.topology);
  if (!known.length) return null;
  const most = Math.max(...known.flatMap((plan) => plan.topology.levels.map((level) => level.bytes)));
  const each = known.length > 1 ? Math.max(340, width / known.length - 20) : width;
  return section(
    "machine",
    "The mesh on the machine",
    make(
      "div",
      { class: "plans" },
      known.map((plan, number) => drawOne(plan, number, each, known.length > 1, most)),
    ),
  );
}
