/** The panel with the pages of the rules, which the server provides as Markdown; their examples open in the editor. */
import { LSPPlugin } from "@codemirror/lsp-client";
import type { Program } from "./document";
import { button, byId, element, facts, reasonOf } from "./shared";

const LINK = /^(?:.*\/)?(GA\d{3})\.md$/;

export class Explain {
  private readonly panel = byId("explain");

  /** `open` opens the example of a rule in the editor. */
  constructor(
    private readonly program: Program,
    private readonly open: (code: string) => void,
  ) {
    this.list();
  }

  /** Shows the list of all rules. */
  list(): void {
    const rules = element("ul", "", "rules");
    for (const [code, { name }] of Object.entries(facts.rules)) {
      const item = element("li");
      item.append(this.link(`${code} ${name}`, code));
      rules.append(item);
    }
    this.panel.replaceChildren(element("h1", "Rules"), rules);
  }

  /** Shows the page of the rule `code`. */
  async show(code: string): Promise<void> {
    let text: string;
    try {
      ({ text } = await this.program.client.request<object, { text: string }>("workspace/textDocumentContent", {
        uri: `gpuasync:/rules/${code}.md`,
      }));
    } catch (error) {
      this.panel.replaceChildren(element("p", reasonOf(error)));
      return;
    }
    const plugin = LSPPlugin.get(this.program.view);
    if (!plugin) {
      return;
    }
    this.panel.innerHTML = plugin.docToHTML({ kind: "markdown", value: text }); // Sanitized, like hovers.
    for (const anchor of this.panel.querySelectorAll("a")) {
      const [, linked] = LINK.exec(anchor.getAttribute("href") ?? "") ?? [];
      if (linked === undefined) {
        anchor.replaceWith(...anchor.childNodes); // A link to a documentation page, which the playground lacks.
      } else {
        anchor.replaceWith(this.link(anchor.textContent, linked));
      }
    }
    for (const block of this.panel.querySelectorAll("pre")) {
      block.tabIndex = 0;
    }
    if (code in facts.rules) {
      this.panel.querySelector("pre")?.after(
        button("Open the example in the editor", () => {
          this.open(code);
        }),
      );
    }
    const all = button("All rules", () => {
      this.list();
      this.panel.focus();
    });
    this.panel.prepend(all);
    this.panel.scrollTop = 0;
  }

  private link(text: string, code: string): HTMLButtonElement {
    return button(text, () => {
      void this.show(code).then(() => {
        this.panel.focus(); // The focused button no longer exists.
      });
    });
  }
}
