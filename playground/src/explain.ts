/** The page of a rule, which the server has as Markdown; its examples open in the editor. */
import { LSPPlugin } from "@codemirror/lsp-client";
import type { Program } from "./document";
import { button, byId, element, facts } from "./shared";

const LINK = /^(?:.*\/)?(GA\d{3})\.md$/;

/** Shows the page of the rule with that code; `open` opens an example in the editor. */
export async function explain(program: Program, code: string, open: (text: string) => void): Promise<void> {
  const panel = byId("explain");
  let text: string;
  try {
    ({ text } = await program.client.request<object, { text: string }>("workspace/textDocumentContent", {
      uri: `gpuasync:/rules/${code}.md`,
    }));
  } catch (error) {
    panel.replaceChildren(element("p", error instanceof Error ? error.message : String(error)));
    return;
  }
  const plugin = LSPPlugin.get(program.view);
  if (!plugin) {
    return;
  }
  panel.innerHTML = plugin.docToHTML({ kind: "markdown", value: text }); // sanitized, as hovers are
  for (const anchor of panel.querySelectorAll("a")) {
    const [, linked] = LINK.exec(anchor.getAttribute("href") ?? "") ?? [];
    if (linked === undefined) {
      anchor.replaceWith(...anchor.childNodes); // to a page of the documentation, which is not here
    } else {
      anchor.replaceWith(
        button(anchor.textContent, () => {
          void explain(program, linked, open);
        }),
      );
    }
  }
  for (const block of panel.querySelectorAll("pre")) {
    block.tabIndex = 0;
  }
  const example = facts.rules[code];
  if (example !== undefined) {
    panel.querySelector("pre")?.after(
      button("Open the example in the editor", () => {
        open(example);
      }),
    );
  }
  panel.scrollTop = 0;
}
