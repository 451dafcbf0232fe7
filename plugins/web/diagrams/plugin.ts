/**
 * Diagrams of Mermaid: code blocks with the language `mermaid` are shown as pictures. Browsers draw them, since the library needs one: in a
 * frame of an origin of its own, which may run scripts and nothing else (`frame.ts`); `public/diagrams.js` gives it the text of each
 * block and shows the SVG that comes back as the picture of an `<img>`, where nothing in it runs, loads or leads anywhere. What is stored,
 * the API and exports have the code, and so have readers without scripts. The library, 5.4 MB, is loaded by readers of a page with a
 * diagram alone, and read from the disk then; where its package was left out of an installation, the code stays.
 */
import { join } from "node:path";
import type { Ui } from "lectern/contracts";
import { definePlugin, type Html, html, trimEndChars } from "lectern/core";
import { mountFrame } from "./frame.ts";
import { findLibrary } from "./library.ts";

/** What a new diagram begins with. */
const SAMPLE = "flowchart LR\n  A[Start] --> B{Decision}\n  B -->|Yes| C[Done]\n  B -->|No| A";
/** How code blocks of diagrams are known in HTML, by their class. */
const CLASS = "language-mermaid";
const BLOCK = html`<pre><code class="${CLASS}">${SAMPLE}</code></pre>`;

export default definePlugin({
  name: "web_diagrams",
  requires: ["web"],
  setup(context) {
    const { app, baseUrl, contracts, contribute } = context;
    const library = findLibrary();
    if (!library) return;
    const { web } = contracts;
    const root = trimEndChars(new URL(baseUrl).pathname, "/");
    const asset = (name: string) => web.asset(name, join(import.meta.dir, "public", name));
    const files = { script: asset("diagrams.js"), style: asset("diagrams.css") };
    const frame = mountFrame(app.site, { library, script: asset("diagram_frame.js"), root });
    const loaded = (ui: Ui): Html =>
      html`<link rel="stylesheet" href="${files.style}"><script src="${files.script}" defer data-frame="${ui.url(frame)}" data-texts="${JSON.stringify(textsOf(ui))}"></script>`;
    const shownWith = (content: string, ui: Ui) => (content.includes(CLASS) ? loaded(ui) : html``);
    const dependsOn = [] as const;
    contribute("screen_part", {
      at: "reading/page/after",
      dependsOn,
      draw: ({ content }, ui) => shownWith(content.html, ui),
    });
    contribute("screen_part", { at: "reading/revision/after", draw: ({ content }, ui) => shownWith(content, ui) });
    // A diagram may be written, so the script waits for one.
    contribute("screen_part", {
      at: "editor/insert",
      draw: (_data, { ui }) =>
        html`<button type="button" data-html="${BLOCK.toString()}">${ui.t("Diagram")}</button>${loaded(ui)}`,
    });
    contribute("screen_part", {
      at: "editor/formatting",
      draw: (_data, { ui }) =>
        html`<button type="button" class="small secondary outline" data-before="\n\`\`\`mermaid\n${SAMPLE}\n" data-after="\`\`\`\n" aria-label="${ui.t("Diagram")}" title="${ui.t("Diagram")}">◇</button>`,
    });
  },
});

function textsOf({ t }: Ui) {
  return {
    source: t("Source of the diagram"),
    failed: t("The diagram could not be drawn: :reason"),
    refused: t("its picture is not one that can be shown"),
    slow: t("it takes too long"),
    lost: t("the library could not be loaded"),
  };
}
