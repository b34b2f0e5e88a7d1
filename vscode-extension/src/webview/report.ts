/** A run's page: the form, and the report below it. */
import type { Compared, Place, RunFinding, RunForm, RunPage, RunReport, RunValue } from "../messages";
import { gridOf, statistics } from "./arrays";
import { difference } from "./difference";
import { form, type Form } from "./form";
import { heatMap } from "./heatmap";
import { content, element, keep, onMessage, send, toLine } from "./host";
import { table } from "./table";
import { timeline } from "./timeline";

const DEVICES: Partial<Record<string, string>> = { cpu: "CPU", cuda: "GPU" };

/** The current form, and the function, device and arguments for which it was made. */
let shown: { of: string; form: Form } | undefined;
let shownReport = "";
let asks = false;

/** Focuses the form if the user has to fill it in; called for a new page and when the page gets the focus. */
function lead(): void {
  if (asks && document.activeElement === document.body) {
    document.querySelector<HTMLElement>(".run-form :is(select, input, button)")?.focus();
  }
}
window.addEventListener("focus", lead);

onMessage((data) => {
  const page = data as RunPage;
  const { form: wanted, report } = page;
  const args = Object.fromEntries(wanted.arguments.map(({ name, value }) => [name, value] as const));
  keep({ source: page.source, entry: wanted.entry, device: wanted.device, args });
  const [top, below] = parts();
  const of = JSON.stringify([wanted.entry, wanted.device, wanted.arguments]);
  if (shown?.of !== of) {
    const focused = nameOf(document.activeElement);
    shown = { of, form: form(wanted) };
    top.replaceChildren(element("h1", `@${wanted.entry}`), shown.form.element);
    const fields = [...top.querySelectorAll<HTMLElement>("select, input, button")];
    const kept = fields.find((field) => focused !== "" && nameOf(field) === focused);
    kept?.focus();
  }
  shown.form.update(wanted);
  asks = wanted.asks;
  lead();
  below.classList.toggle("old", wanted.isOld);
  const nextReport = JSON.stringify([report, page.compared, page.hasPrevious]);
  if (nextReport !== shownReport) {
    shownReport = nextReport;
    const chosen = document.activeElement?.getAttribute("aria-label");
    below.replaceChildren(...(report ? ofReport(report, page) : []));
    [...below.querySelectorAll("select")].find((each) => each.getAttribute("aria-label") === chosen)?.focus();
  }
});
send({ ready: true });

/** Returns a name of a field that does not change when the field is redrawn. */
function nameOf(field: Element | null): string {
  return (field?.getAttribute("name") ?? "") || (field?.getAttribute("aria-label") ?? "");
}

function parts(): [HTMLElement, HTMLElement] {
  const [top, below] = content().querySelectorAll<HTMLElement>(":scope > section");
  if (top && below) {
    return [top, below];
  }
  const made: [HTMLElement, HTMLElement] = [element("section"), element("section")];
  content().replaceChildren(...made);
  return made;
}

function ofReport(report: RunReport, page: RunPage): HTMLElement[] {
  const wanted = page.form;
  const { device, outcome, message, output, output_truncated, findings, values, operations } = report;
  const given = (which: (value: RunValue) => boolean): HTMLElement[] =>
    values.filter(which).flatMap((each) => value(each, page));
  const where = device ? ` on ${DEVICES[device] ?? device}` : "";
  const said = element("p", message, outcome === "ok" ? "" : "error");
  said.append(...link(report.place));
  const isFine =
    outcome === "ok" || (outcome === "findings" && !findings.some(({ level }) => level === "error"));
  const what = outcome === "findings" ? counted(findings) : outcome;
  return [
    element(
      "h2",
      `${what}${where}${outcome === "refused" ? "" : `, ${seconds(report.seconds)}`}`,
      isFine ? "outcome" : "outcome error",
    ),
    ...(message ? [said] : []),
    ...(outcome === "refused" && wanted.device === "cuda" ? [onCpu(wanted)] : []),
    ...section("Findings", [...findings].sort(bySeverity).map(finding)),
    ...section("Output", output ? [element("pre", output)] : []),
    ...(output_truncated ? [element("p", "The output was longer; only the start is shown.", "note")] : []),
    ...given(({ changed, name }) => changed || !name.startsWith("%")),
    ...section("Timeline", operations.length > 0 ? [timeline(operations)] : []),
    ...given(({ changed, name }) => !changed && name.startsWith("%")),
  ];
}

const LEVELS: RunFinding["level"][] = ["error", "warning", "information"];

function bySeverity(one: RunFinding, other: RunFinding): number {
  return LEVELS.indexOf(one.level) - LEVELS.indexOf(other.level);
}

/** Summarizes the findings of a run: `findings: 2 errors, 1 warning`, or, without errors, `ok, 2 warnings`. */
function counted(findings: RunFinding[]): string {
  const parts = LEVELS.flatMap((level) => {
    const count = findings.filter((each) => each.level === level).length;
    const word = level === "information" ? "note" : level;
    return count > 0 ? [`${count} ${word}${count > 1 ? "s" : ""}`] : [];
  });
  return `${findings.some(({ level }) => level === "error") ? "findings:" : "ok,"} ${parts.join(", ")}`;
}

/** Returns the offer to run on the CPU, for a run that lacks a GPU. */
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

function value(given: RunValue, page: RunPage): HTMLElement[] {
  const grid = gridOf(given);
  const other = page.compared[given.name];
  const found = grid && other ? difference(grid, given.shape ?? [], other) : undefined;
  const shown = element("div", "", "value");
  shown.append(
    ...(grid
      ? [
          table(grid, given.name, found?.before),
          ...heatMap(grid),
          ...(found?.grid ? heatMap(found.grid, "difference: ") : []),
        ]
      : [element("pre", given.preview)]),
  );
  const about = grid
    ? [
        statistics(grid.elements),
        ...(grid.elements.length < grid.size
          ? [`the first ${grid.elements.length} of ${grid.size} elements`]
          : []),
      ]
    : [];
  const line = element("div", "", "about");
  line.append(
    ...about.map((text) => element("p", text, "note")),
    ...(grid ? [comparison(given.name, other, page.hasPrevious)] : []),
  );
  return section(`${given.name} : ${given.type}${given.changed ? " (changed)" : ""}`, [
    ...(line.childElementCount > 0 ? [line] : []),
    ...(found ? [element("p", found.summary, "compared")] : []),
    shown,
  ]);
}

/** Returns the choice of an array to compare with. */
function comparison(name: string, other: Compared | undefined, hasPrevious: boolean): HTMLElement {
  const made = element("select");
  made.setAttribute("aria-label", `compare ${name} with`);
  const add = (value: string, text: string, disabled = false): void => {
    const option = element("option", text);
    option.value = value;
    option.disabled = disabled;
    option.selected = value === (other?.with ?? "");
    made.append(option);
  };
  add("", "Compare with …");
  add("previous", "The previous run", !hasPrevious && other?.with !== "previous");
  add("file", other?.with === "file" ? other.label : "A .npy file …");
  made.addEventListener("change", () => {
    send({ compare: name, with: made.value as "" | Compared["with"] });
  });
  return made;
}

/** Formats a duration. */
function seconds(value: number): string {
  return value < 1 ? `${Number((value * 1e3).toPrecision(2))} ms` : `${value.toFixed(2)} s`;
}

function section(title: string, children: HTMLElement[]): HTMLElement[] {
  return children.length === 0 ? [] : [element("h2", title), ...children];
}
