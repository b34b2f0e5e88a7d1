/** The page of a run's report. */
import type { Place, RunFinding, RunReport, RunValue } from "../messages";
import { rows } from "./arrays";
import { heatMap } from "./heatmap";
import { content, element, onMessage, toLine } from "./host";
import { table } from "./table";
import { timeline } from "./timeline";

onMessage((data) => {
  const report = data as RunReport;
  const { entry, device, outcome, message, output, output_truncated, findings, values, operations } = report;
  content().replaceChildren(
    element("h1", `@${entry} on ${device}: ${outcome}`, outcome === "ok" ? "" : "error"),
    ...(message ? [element("p", message, outcome === "ok" ? "" : "error")] : []),
    element("p", `${report.seconds.toFixed(2)} s`, "note"),
    ...section("Findings", findings.map(finding)),
    ...section("Output", output ? [element("pre", output)] : []),
    ...(output_truncated ? [element("p", "The output was longer; only its beginning is here.", "note")] : []),
    ...values.flatMap(value),
    ...section("Timeline", operations.length > 0 ? [timeline(operations)] : []),
  );
});

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

function value({ name, type, preview, changed }: RunValue): HTMLElement[] {
  const array = rows(preview);
  const shown = element("div", "", "value");
  shown.append(...(array ? [table(array), ...heatMap(array)] : [element("pre", preview)]));
  return section(`${name} : ${type}${changed ? " (changed)" : ""}`, [shown]);
}

function section(title: string, children: HTMLElement[]): HTMLElement[] {
  return children.length === 0 ? [] : [element("h2", title), ...children];
}
