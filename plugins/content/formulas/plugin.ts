/**
 * Formulas in TeX within pages in Markdown, where the operator allows them: shown on screens and in exports for reading, HTML and PDF. What
 * is stored and what the API answers is what the author wrote. Work on them is done in child processes, bounded in time and number, and
 * kept with what a page's screen is drawn from.
 */
import { join } from "node:path";
import type { ShownPage } from "lectern/contracts";
import { ApiError, BootError, definePlugin, randomText, SECOND_MS, t } from "lectern/core";
import type { FormulasTask } from "./child_tasks.ts";
import { formulasIn } from "./dollars.ts";
import { marked } from "./place.ts";

const MODULE = join(import.meta.dir, "child_tasks.ts");
const MARK_LETTERS = 12;
/** Characters of HTML that are kept, beyond which all is forgotten. */
const MAX_KEPT = 8_000_000;

export default definePlugin({
  name: "formulas",
  requires: ["markup"],
  uses: ["web"],
  settings: t.Object({
    isOn: t.Boolean({ default: false, description: "Whether $…$ and $$…$$ in Markdown are formulas in TeX" }),
    seconds: t.Integer({
      default: 10,
      minimum: 1,
      constant: true,
      description: "Seconds that showing the formulas of a page may take; their source is shown beyond",
    }),
  }),
  setup({ children, contracts, contribute, settings }) {
    if (!settings.isOn) return;
    if (!isInstalled()) throw new BootError("Cannot show formulas: the optional package mathjax is not installed");
    const { markup, web } = contracts;
    const kept = new Map<string, string>();
    let length = 0;
    const drawn = async ({ html, markdown, target, viewer }: ShownPage): Promise<string> => {
      const mark = `z${randomText(MARK_LETTERS).replace(/[^a-zA-Z]/g, "x")}`;
      const sample = await markup.preview({ markdown: marked(markdown, mark) }, { viewer });
      const task: FormulasTask = { html, markdown, sample, mark, target };
      return children.run<string>(task, {
        module: MODULE,
        task: "formulas",
        owner: `viewer ${viewer.id}`,
        timeoutMs: settings.seconds * SECOND_MS,
      });
    };
    const shown = async ({ html, markdown, target, viewer }: ShownPage): Promise<string | undefined> => {
      if (formulasIn(markdown).length === 0) return undefined;
      const key = `${target}\n${html}\n${markdown}`;
      const found = kept.get(key);
      if (found !== undefined) return found;
      const made = await drawn({ html, markdown, target, viewer }).catch((error: unknown) => {
        // Of a page whose formulas take too long, or which is too long with the marks, the source is shown.
        if (error instanceof ApiError && error.status === 422) return html;
        throw error;
      });
      length += key.length + made.length;
      if (length > MAX_KEPT) {
        kept.clear();
        length = key.length + made.length;
      }
      kept.set(key, made);
      return made;
    };
    contribute("page_content", { show: shown });
    const style = web?.asset("formulas.css", join(import.meta.dir, "public/formulas.css"));
    if (style !== undefined) contribute("screen_head", { styles: [style], dependsOn: [] });
  },
});

function isInstalled(): boolean {
  try {
    return import.meta.resolve("mathjax") !== "";
  } catch {
    return false;
  }
}
