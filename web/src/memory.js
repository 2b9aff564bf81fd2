// Peak memory by class, and memory over the step.

import { areaY, axisX, axisY, barX, gridY, lineY, plot, ruleX, ruleY, text } from "@observablehq/plot";
import { figure, make, place, section, table } from "./dom.js";
import { byteUnits, chooseUnit, nameLimit, printBytes, printShare, printTime, roomFor, timeUnits } from "./units.js";

const classes = [
  "parameters",
  "optimizer_state",
  "state",
  "gradients",
  "activations",
  "gathered_parameters",
  "reshard_buffers",
  "arguments",
  "other",
];
const titles = {
  gathered_parameters: "buffers: gathered parameters",
  reshard_buffers: "buffers: resharding",
  arguments: "inputs",
};
const title = (category) => titles[category] ?? category.replace("_", " ");
const color = (category) => `var(--class-${category.replaceAll("_", "-")})`;

/** The classes of all plans in one list, in a fixed order, with where each begins. */
function stack(plans) {
  return plans.flatMap((plan) => {
    let from = 0;
    return classes.flatMap((category) => {
      const found = plan.memory.classes.find((each) => each.category === category);
      if (!found) return [];
      const entry = {
        plan: plan.name,
        category,
        bytes: found.bytes,
        from,
        to: from + found.bytes,
        of: plan.figures.peak_bytes,
      };
      from += found.bytes;
      return [entry];
    });
  });
}

/** How far a scale of bytes reaches: to the limit, unless that would leave next to nothing of the plans. */
function findReach(plans) {
  const peak = Math.max(...plans.map((plan) => plan.figures.peak_bytes));
  const limit = Math.max(...plans.map((plan) => plan.figures.limit_bytes));
  return limit > 4 * peak ? { most: peak, isCut: true } : { most: Math.max(peak, limit), isCut: false };
}

function drawClasses(plans, width) {
  const parts = stack(plans),
    isCompared = plans.length > 1;
  const { most, isCut } = findReach(plans);
  const unit = chooseUnit(most, byteUnits);
  const label = (d) => ((d.bytes / most) * width > 8 * title(d.category).length ? title(d.category) : "");
  const limits = isCut ? [] : plans;
  return plot({
    width,
    height: 76 + 46 * plans.length,
    marginBottom: 44,
    marginLeft: isCompared ? roomFor(plans.map((plan) => plan.name)) : 20,
    marginRight: 30,
    marginTop: 24,
    x: { domain: [0, (most * 1.02) / unit.size], label: `bytes of a device (${unit.name})`, labelOffset: 36 },
    y: { domain: plans.map((plan) => plan.name), label: null, axis: isCompared ? "left" : null },
    color: { type: "identity" },
    marks: [
      barX(parts, {
        x1: (d) => d.from / unit.size,
        x2: (d) => d.to / unit.size,
        y: "plan",
        fill: (d) => color(d.category),
        className: "classes",
        ariaLabel: (d) => `${d.plan}: ${title(d.category)} ${printBytes(d.bytes)}`,
        title: (d) => `${title(d.category)}\n${printBytes(d.bytes)}, ${printShare(d.bytes, d.of)} of the peak`,
      }),
      text(parts, { x: (d) => (d.from + d.to) / 2 / unit.size, y: "plan", text: label, fill: "var(--on-class)" }),
      ruleX(new Set(limits.map((plan) => plan.figures.limit_bytes / unit.size)), limitLook),
      text(plans.slice(0, 1), {
        x: (plan) => (isCut ? most : plan.figures.limit_bytes) / unit.size,
        frameAnchor: "top",
        dy: -12,
        text: (plan) => nameLimit(plan.figures.limit_bytes, isCut, width),
        fill: "var(--limit)",
        // Left of its line it would leave the chart where the limit is a small part of the peak.
        textAnchor: isCut || plans[0].figures.limit_bytes > most / 2 ? "end" : "start",
        className: "limit-name",
      }),
    ],
  });
}

const limitLook = { stroke: "var(--limit)", strokeWidth: 2, strokeDasharray: "5 3", className: "limit" };

const legend = (used) =>
  make(
    "ul",
    { class: "legend" },
    classes
      .filter((category) => used.has(category))
      .map((category) =>
        make("li", {}, make("span", { class: "swatch", style: `background:${color(category)}` }), title(category)),
      ),
  );

function drawCurve(plans, width) {
  const points = plans.flatMap((plan) => plan.memory.curve.map(([ps, bytes]) => ({ plan: plan.name, ps, bytes })));
  const time = chooseUnit(Math.max(...points.map((d) => d.ps)), timeUnits);
  const { most, isCut } = findReach(plans);
  const unit = chooseUnit(most, byteUnits);
  const position = { x: (d) => d.ps / time.size, y: (d) => d.bytes / unit.size, curve: "step-after", z: "plan" };
  const stroke = (d) => planColor(plans.findIndex((plan) => plan.name === d.plan));
  const limits = isCut ? [] : plans;
  const peaks = plans.length > 1 ? [] : findPeaks(plans, points);
  // Near the limit the label of a peak stands below the curve, so that it does not cover the limit's. Labels of several
  // plans would cover each other: a legend has them.
  const isFarFromLimit = (d) => limits.every((plan) => Math.abs(plan.figures.limit_bytes - d.bytes) > most / 10);
  const peakLook = {
    x: position.x,
    y: position.y,
    text: (d) => printBytes(d.bytes),
    fill: stroke,
  };
  return plot({
    width,
    height: 280,
    marginBottom: 44,
    marginLeft: 60,
    marginRight: 30,
    marginTop: 24,
    x: { label: `time (${time.name})`, labelOffset: 36 },
    y: { domain: [0, (most * 1.08) / unit.size], label: `bytes alive (${unit.name})` },
    color: { type: "identity" },
    marks: [
      gridY(),
      axisX(),
      axisY(),
      plans.length === 1 ? areaY(points, { ...position, fill: "var(--plan-1)", fillOpacity: 0.25 }) : null,
      lineY(points, { ...position, stroke, strokeWidth: 1.5, className: "memory-line" }),
      ruleY(new Set(limits.map((plan) => plan.figures.limit_bytes / unit.size)), limitLook),
      text(plans.slice(0, 1), {
        y: (plan) => (isCut ? most * 1.08 : plan.figures.limit_bytes) / unit.size,
        frameAnchor: "right",
        dy: -8,
        text: (plan) => nameLimit(plan.figures.limit_bytes, isCut, width),
        fill: "var(--limit)",
      }),
      text(peaks.filter(isFarFromLimit), { ...peakLook, dy: -4, lineAnchor: "bottom" }),
      text(
        peaks.filter((d) => !isFarFromLimit(d)),
        { ...peakLook, dy: 6, lineAnchor: "top" },
      ),
    ],
  });
}

const planColor = (number) => `var(--plan-${(number % 4) + 1})`;

const planLegend = (plans) =>
  make(
    "ul",
    { class: "legend" },
    plans.map((plan, number) =>
      make(
        "li",
        {},
        make("span", { class: "swatch", style: `background:${planColor(number)}` }),
        `${plan.name}: at most ${printBytes(plan.figures.peak_bytes)}`,
      ),
    ),
  );

const findPeaks = (plans, points) =>
  plans.map((plan) => points.filter((d) => d.plan === plan.name).reduce((a, b) => (b.bytes > a.bytes ? b : a)));

function listValues(plans) {
  const rows = plans.flatMap((plan) =>
    plan.memory.classes.flatMap((entry) =>
      entry.values.map((value) => ({ ...value, category: entry.category, plan: plan.name })),
    ),
  );
  return table({
    id: "at-peak",
    caption: "The largest values at the peak",
    rows,
    sortBy: plans.length > 1 ? 4 : 3,
    most: 20,
    columns: [
      ...(plans.length > 1 ? [{ title: "plan", get: (row) => row.plan }] : []),
      { title: "value", get: (row) => row.value, print: (value) => make("code", {}, value), look: "name" },
      { title: "class", get: (row) => title(row.category) },
      { title: "source line", get: (row) => row.loc, print: place },
      { title: "bytes", get: (row) => row.bytes, print: printBytes, number: true },
    ],
    filter: (row) => `${row.value} ${row.category} ${row.loc}`.toLowerCase(),
  });
}

function listClasses(plans) {
  return table({
    id: "classes",
    caption: "Peak memory by class",
    rows: stack(plans),
    columns: [
      ...(plans.length > 1 ? [{ title: "plan", get: (row) => row.plan }] : []),
      { title: "class", get: (row) => title(row.category) },
      { title: "bytes", get: (row) => row.bytes, print: printBytes, number: true },
      {
        title: "share of the peak",
        get: (row) => row.bytes / row.of,
        print: (value) => printShare(value, 1),
        number: true,
      },
    ],
  });
}

export function drawMemory(plans, width) {
  const known = plans.filter((plan) => plan.memory?.classes.length);
  if (!known.length) return null;
  const curved = known.filter((plan) => plan.memory.curve.length);
  const used = new Set(stack(known).map((part) => part.category));
  const sum = known.map((plan) => `${printBytes(plan.figures.peak_bytes)}${sayWhen(plan)}`).join("; ");
  return section(
    "memory",
    "Memory of a device",
    figure(`Peak memory by class: ${sum}`, drawClasses(known, width)),
    legend(used),
    curved.length
      ? figure(
          "Memory over one step, with the limit",
          drawCurve(curved, width),
          "Bytes alive while each op runs. Iterations of a loop after the simulated ones are drawn at the loop's highest.",
        )
      : null,
    curved.length > 1 ? planLegend(curved) : null,
    make(
      "details",
      { class: "as-table" },
      make("summary", {}, "These figures as tables"),
      listClasses(known),
      listValues(known),
    ),
  );
}

/** When the peak is; large pages may be without memory over time. */
function sayWhen(plan) {
  const { curve } = plan.memory;
  return curve.length ? ` at ${printTime(curve.reduce((a, b) => (b[1] > a[1] ? b : a))[0])}` : "";
}
