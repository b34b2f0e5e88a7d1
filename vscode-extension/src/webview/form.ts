/** The form above the report of a run: arguments, device, Run and Cancel, and the current activity. */
import type { FormArgument, RunForm } from "../messages";
import { OPEN_EXTENT } from "../signature";
import { element, send, toLine } from "./host";

const FILLS = [
  ["iota", "0, 1, 2, …"],
  ["ones", "ones"],
  ["zeros", "zeros"],
  ["random", "random"],
  ["file", "file (.npy)"],
] as const;
const DEVICES = [
  ["auto", "GPU, else CPU"],
  ["cpu", "CPU"],
  ["cuda", "GPU"],
] as const;

export interface Form {
  element: HTMLElement;
  /** Shows the current activity of the run; keeps edits and the focus. */
  update: (wanted: RunForm) => void;
}

export function form(wanted: RunForm): Form {
  const made = element("form", "", "run-form");
  const fields = wanted.arguments.map(field);
  const values = (): Record<string, string> =>
    Object.fromEntries(fields.map(({ name, value }) => [name, value()] as const));
  for (const { name, row, browse } of fields) {
    browse?.addEventListener("click", () => {
      send({ browse: name, args: values() });
    });
    made.append(row);
  }
  const device = select("Device", DEVICES, wanted.device);
  const run = element("button", "Run");
  run.name = "run";
  const cancel = element("button", "Cancel", "secondary");
  cancel.type = "button";
  cancel.addEventListener("click", () => {
    send({ cancel: true });
  });
  const state = element("span", "", "state");
  state.setAttribute("role", "status");
  const last = element("div", "", "row");
  last.append(device, run, cancel, state);
  made.append(last);
  made.addEventListener("submit", (event) => {
    event.preventDefault();
    send({ run: { device: device.value as RunForm["device"], args: values() } });
  });
  const update = ({ isOld, running, line, state: said }: RunForm): void => {
    run.textContent = isOld ? "Run Again" : "Run";
    if (!running && document.activeElement === cancel) {
      run.focus();
    }
    cancel.hidden = !running;
    state.replaceChildren(line > 0 ? toLine(element("a", said), line - 1) : said);
  };
  return { element: made, update };
}

interface Field {
  name: string;
  row: HTMLElement;
  value: () => string;
  browse?: HTMLElement;
}

function field({ name, type, value, size }: FormArgument): Field {
  const row = element("div", "", "argument");
  const controls = element("div", "", "row");
  row.append(element("code", `%${name} : ${type}`), controls);
  if (!/^(?:memref|tensor|vector)</.test(type)) {
    const number = text(`Value of %${name}`, value || String(size ?? 1), ".+");
    controls.append(number);
    if (size !== undefined) {
      controls.append(element("span", "a size: the length of the arrays", "note"));
    }
    return { name, row, value: () => number.value };
  }
  const known = /^(iota|ones|zeros|random)(?::(\d+))?(?:@([\dx]+))?$/.exec(value);
  const fill = select(`Contents of %${name}`, FILLS, known?.[1] ?? (value ? "file" : "iota"));
  const seed = text(`Seed of %${name}`, known?.[2] ?? "0", "\\d+");
  seed.size = 6;
  const open = /^\w+<[^,>]*/.exec(type)?.[0].match(/\?/g)?.length ?? 0;
  const extents = text(
    open === 1 ? `Size of %${name}` : `The ${open} dynamic sizes of %${name}`,
    known?.[3] ?? Array<number>(open).fill(OPEN_EXTENT).join("x"),
    Array<string>(open).fill("\\d+").join("x"),
  );
  extents.size = 12;
  const file = text(`File of %${name}`, known ? "" : value, ".+\\.npy");
  const browse = element("button", "Browse…");
  browse.type = "button";
  browse.setAttribute("aria-label", `Browse… for the file of %${name}`);
  const [seedField, sizeField] = [named("seed", seed), named(open === 1 ? "size" : "sizes", extents)];
  const update = (): void => {
    seedField.hidden = fill.value !== "random";
    file.hidden = browse.hidden = fill.value !== "file";
    sizeField.hidden = fill.value === "file" || open === 0;
    // A disabled field is excluded from validation.
    seed.disabled = seedField.hidden;
    file.disabled = file.hidden;
    extents.disabled = sizeField.hidden;
  };
  fill.addEventListener("change", update);
  update();
  controls.append(fill, seedField, sizeField, file, browse);
  const spec = (): string => {
    if (fill.value === "file") {
      return file.value;
    }
    const filled = fill.value === "random" ? `random:${seed.value}` : fill.value;
    return open > 0 ? `${filled}@${extents.value}` : filled;
  };
  return { name, row, value: spec, browse };
}

/** Returns a field with a label before it. */
function named(word: string, input: HTMLInputElement): HTMLLabelElement {
  const made = element("label", `${word} `);
  made.append(input);
  return made;
}

function text(label: string, value: string, pattern: string): HTMLInputElement {
  const made = element("input");
  made.type = "text";
  made.required = true;
  made.pattern = pattern;
  made.value = value;
  made.title = label;
  made.setAttribute("aria-label", label);
  return made;
}

function select(
  label: string,
  options: readonly (readonly [string, string])[],
  value: string,
): HTMLSelectElement {
  const made = element("select");
  made.setAttribute("aria-label", label);
  for (const [name, words] of options) {
    const option = element("option", words);
    option.value = name;
    option.selected = name === value;
    made.append(option);
  }
  return made;
}
