/** The page of a run: its form, and the report below it. */
import type { Place, RunFinding, RunForm, RunReport, RunValue } from "../messages";
import { gridOf, statistics } from "./arrays";
import { form } from "./form";
import { heatMap } from "./heatmap";
import { content, element, onMessage, send, toLine } from "./host";
import { table } from "./table";
import { timeline } from "./timeline";

let shownForm = "";
let shownReport = "";

onMessage((data) => {
  const { form: wanted, report } = data as { form: RunForm; report: RunReport | null };
  const [top, below] = parts();
  const nextForm = JSON.stringify(wanted);
  if (nextForm !== shownForm) {
    // What has the focus keeps it where the form is drawn anew.
    const focused = document.activeElement?.textContent;
    shownForm = nextForm;
    top.replaceChildren(element("h1", `@${wanted.entry}`), form(wanted));
    [...top.querySelectorAll("button")].find(({ textContent }) => textContent === focused)?.focus();
  }
  below.classList.toggle("old", wanted.isOld);
  const nextReport = JSON.stringify(report);
  if (nextReport !== shownReport) {
    shownReport = nextReport;
    below.replaceChildren(...(report ? ofReport(report, wanted) : []));
  }
});
send({ ready: true });

function parts(): [HTMLElement, HTMLElement] {
  const [top, below] = content().querySelectorAll<HTMLElement>(":scope > section");
  if (top && below) {
    return [top, below];
  }
  const made: [HTMLElement, HTMLElement] = [element("section"), element("section")];
  content().replaceChildren(...made);
  return made;
}

function ofReport(report: RunReport, wanted: RunForm): HTMLElement[] {
  const { device, outcome, message, output, output_truncated, findings, values, operations } = report;
  const where = device ? ` on ${device}` : "";
  const said = element("p", message, outcome === "ok" ? "" : "error");
  said.append(...link(report.place));
  return [
    element(
      "h2",
      `${outcome}${where}, ${report.seconds.toFixed(2)} s`,
      outcome === "ok" ? "outcome" : "outcome error",
    ),
    ...(message ? [said] : []),
    ...(outcome === "refused" && wanted.device === "cuda" ? [onCpu(wanted)] : []),
    ...section("Findings", findings.map(finding)),
    ...section("Output", output ? [element("pre", output)] : []),
    ...(output_truncated ? [element("p", "The output was longer; only its beginning is here.", "note")] : []),
    ...values.flatMap(value),
    ...section("Timeline", operations.length > 0 ? [timeline(operations)] : []),
  ];
}

/** What a run that no GPU can do is offered. */
function onCpu(wanted: RunForm): HTMLElement {
  const made = element("button", "Run on the CPU");
  made.addEventListener("click", () => {
    const args = Object.fromEntries(wanted.arguments.map(({ name, value }) => [name, value] as const));
    send({ run: { device: "cpu", args } });
  });
  return made;
}

function finding({ name, level, place, message, related }: RunFinding): HTMLElement {
  const made = element("div", "", `finding ${level}`);
  made.append(element("strong", name), " ", message, ...link(place));
  for (const other of related) {
    const line = element("div", other.message, "related");
    line.append(...link(other.place));
    made.append(line);
  }
  return made;
}

function link({ line }: Place): (HTMLElement | string)[] {
  return line > 0 ? [" ", toLine(element("a", `line ${line}`), line - 1)] : [];
}

function value(given: RunValue): HTMLElement[] {
  const grid = gridOf(given);
  const shown = element("div", "", "value");
  shown.append(...(grid ? [table(grid, given.name), ...heatMap(grid)] : [element("pre", given.preview)]));
  const about = grid
    ? [
        statistics(grid.elements),
        ...(grid.elements.length < grid.size
          ? [`the first ${grid.elements.length} of ${grid.size} elements`]
          : []),
      ]
    : [];
  return section(`${given.name} : ${given.type}${given.changed ? " (changed)" : ""}`, [
    ...about.map((text) => element("p", text, "note")),
    shown,
  ]);
}

function section(title: string, children: HTMLElement[]): HTMLElement[] {
  return children.length === 0 ? [] : [element("h2", title), ...children];
}
