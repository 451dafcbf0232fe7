/** How the source editor inserts what its menu offers, in Markdown and in HTML. A `$0` is where the cursor stands afterwards. */
import type { EditorView } from "@codemirror/view";
import { CHOICES, type ChoiceName, choiceText, today } from "./choices.ts";
import type { Texts } from "./screen.ts";
import type { MenuChoice } from "./source_completion.ts";
import { insertBlock, insertTemplate, insertText, plainHtml } from "./source_insert.ts";
import { type Format, setHeading, toggleList, toggleQuote } from "./source_text.ts";

/** What inserts the choices of one format. */
export interface Insertions {
  insert(view: EditorView, name: ChoiceName): void;
  readonly menu: readonly MenuChoice[];
}

/** What the menu gets from the screen. */
export interface InsertionOptions {
  readonly format: Format;
  readonly texts: Texts;
  /** Buttons of plugins. */
  readonly added: readonly HTMLButtonElement[];
  /** Chooses pictures. */
  pictures(): void;
}

const TABLES: Readonly<Record<Format, string>> = {
  markdown: "| $0 |  |  |\n| --- | --- | --- |\n|  |  |  |\n|  |  |  |",
  html: `<table>
<thead>
<tr><th>$0</th><th></th><th></th></tr>
</thead>
<tbody>
<tr><td></td><td></td><td></td></tr>
<tr><td></td><td></td><td></td></tr>
</tbody>
</table>`,
};

/** The insertions of a format. */
export function insertions({ format, texts, added, pictures }: InsertionOptions): Insertions {
  const block = (text: string) => (view: EditorView) => insertTemplate(view, text);
  const heading = (level: number) => (view: EditorView) => setHeading(view, format, level);
  const list = (kind: "bullet" | "ordered" | "task") => (view: EditorView) => toggleList(view, format, kind);
  const box = (kind: string) => block(`<p class="callout ${kind}">$0</p>`);
  const summary = plainHtml(texts.summary ?? "");
  const inner = format === "markdown" ? "\n$0\n" : "<p>$0</p>";
  const runs: Readonly<Record<ChoiceName, (view: EditorView) => void>> = {
    h1: heading(1),
    h2: heading(2),
    h3: heading(3),
    h4: heading(4),
    bullet: list("bullet"),
    ordered: list("ordered"),
    task: list("task"),
    table: block(TABLES[format]),
    code: block(format === "markdown" ? "```$0\n\n```" : "<pre><code>$0</code></pre>"),
    quote: (view) => toggleQuote(view, format),
    info: box("info"),
    success: box("success"),
    warning: box("warning"),
    danger: box("danger"),
    details: block(`<details><summary>${summary}</summary>\n${inner}\n</details>`),
    rule: (view) => insertBlock(view, format === "markdown" ? "---" : "<hr>"),
    picture: pictures,
    date: (view) => insertText(view, today()),
  };
  return {
    insert: (view, name) => runs[name](view),
    menu: [
      ...CHOICES.map((name) => ({ text: choiceText(name, texts), run: runs[name] })),
      ...added.map((button) => ({
        text: button.textContent?.trim() ?? "",
        run: (view: EditorView) => {
          const { html, markdown } = button.dataset;
          const text = format === "markdown" ? (markdown ?? html) : html;
          if (text !== undefined) insertBlock(view, text);
          button.click();
        },
      })),
    ],
  };
}
