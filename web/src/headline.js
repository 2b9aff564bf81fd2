// What the plan is and costs, for those who read no further.

import { make, section } from "./dom.js";
import { printBytes, printShare, printTime, printWidth } from "./units.js";

function verdict(figures) {
  if (figures.peak_bytes === null) return null;
  if (figures.fits === null) return make("span", { class: "verdict" }, "not known whether it fits");
  return make("span", { class: `verdict ${figures.fits ? "good" : "bad"}` }, figures.fits ? "fits" : "does not fit");
}

const card = (id, title, value, ...lines) =>
  make(
    "div",
    { class: "card", "data-card": id },
    make("h3", {}, title),
    make("p", { class: "value" }, value),
    ...lines.filter(Boolean).map((line) => make("p", {}, line)),
  );

const shown = (figures, key, print) =>
  make("span", { "data-figure": key, "data-value": figures[key] }, print(figures[key]));

/** As the command line says it: a bound that is reached is a proof, one below a hundredth of the time says nothing. */
function describeDistance({ lower_bound_ps: bound, time_ps: time }) {
  if (!bound || bound < 0.01 * time) return "not known";
  return bound >= 0.9995 * time ? "none" : `at most ${printShare(time - bound, time)}`;
}

function listCards({ figures, unpriced, changes }) {
  if (figures.time_ps === null)
    return [
      card("machine", "No machine", "Time and memory are not known", "Name a machine when you plan (machine=, --machine) to see what this costs."),
    ];
  const show = (key, print) => shown(figures, key, print);
  const line = (...parts) => make("span", {}, ...parts);
  const least = unpriced ? "at least " : "",
    bound = figures.lower_bound_ps;
  return [
    card(
      "time",
      "Time of a step",
      line(least, show("time_ps", printTime), printWidth(figures.time_width_ppm)),
      line("compute ", show("compute_ps", printTime)),
      line("exposed communication ", show("exposed_communication_ps", printTime)),
      timeBar(figures),
    ),
    card(
      "memory",
      "Peak memory of a device",
      line(least, show("peak_bytes", printBytes), printWidth(figures.peak_width_ppm)),
      line("of ", show("limit_bytes", printBytes), ": ", verdict(figures)),
      memoryBar(figures),
    ),
    card(
      "bound",
      "Distance from the best possible",
      describeDistance(figures),
      bound
        ? line(`no plan of ${changes.length ? "the program so rewritten" : "this program"} is faster than `, show("lower_bound_ps", printTime))
        : "no lower bound is known",
      figures.mfu >= 0.001
        ? line(
            show("mfu", (share) => printShare(share, 1)),
            " of the peak flops (MFU)",
          )
        : null,
    ),
  ];
}

const part = (name, share) => make("span", { class: name, style: `width:${Math.min(100, 100 * share).toFixed(2)}%` });

const timeBar = (figures) =>
  make(
    "span",
    { class: "bar", "aria-hidden": "true" },
    part("compute", figures.compute_ps / figures.time_ps),
    part("exposed", figures.exposed_communication_ps / figures.time_ps),
  );

const memoryBar = (figures) =>
  make(
    "span",
    { class: "bar", "aria-hidden": "true" },
    part(
      figures.fits === false ? "over" : "used",
      figures.peak_bytes / Math.max(figures.limit_bytes, figures.peak_bytes),
    ),
  );

function describe(plan, isCompared) {
  const where = [
    plan.mesh && `mesh ${plan.mesh}`,
    plan.machine && `on ${plan.machine}`,
    plan.placement && `placed ${plan.placement}`,
  ];
  return make(
    "article",
    { class: "plan" },
    isCompared ? make("h3", { class: "plan-name" }, plan.name) : null,
    make("p", { class: "strategy" }, plan.strategy.charAt(0).toUpperCase() + plan.strategy.slice(1)),
    make("p", { class: "where" }, where.filter(Boolean).join(", ")),
    plan.changes.map((line) => make("p", { class: "change" }, line)),
    plan.remarks.map((remark) => make("p", { class: "remark" }, remark)),
    make("div", { class: "cards" }, listCards(plan)),
    plan.words.length
      ? make(
          "details",
          {},
          make("summary", {}, "Its tactics in words"),
          make(
            "ul",
            { class: "words" },
            plan.words.map((line) => make("li", {}, line.trim())),
          ),
        )
      : null,
  );
}

export function drawHeadline(plans) {
  const isCompared = plans.length > 1;
  return section(
    "headline",
    isCompared ? "The plans" : "The plan",
    make(
      "div",
      { class: "plans" },
      plans.map((plan) => describe(plan, isCompared)),
    ),
  );
}
