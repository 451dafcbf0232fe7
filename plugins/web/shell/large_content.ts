import { join } from "node:path";
import type { Comparison, DecoratedContent, Ui } from "lectern/contracts";
import type { Children } from "lectern/core";
import type { DecorateTask } from "./child_tasks.ts";
import { cachedDecoration, type NamedFrames } from "./decorate.ts";
import { compare } from "./difference.ts";

const MODULE = join(import.meta.dir, "child_tasks.ts");
/** Characters up to which content is processed in the server's own process, in a few milliseconds. */
const MAX_OWN_HTML = 16_384;
const MAX_OWN_TEXTS = 2_000;

/** Decorates HTML of any length; long HTML in a child process. `sources` are those of `frames`. */
export function decorator(children: Children, frames: NamedFrames, sources: DecorateTask["sources"]) {
  return (html: string, ui: Ui): Promise<DecoratedContent> => {
    if (html.length <= MAX_OWN_HTML) return cachedDecoration(html, ui, frames);
    return cachedDecoration(html, ui, frames, async (source, labels) => {
      type Plain = Omit<DecoratedContent, "style"> & { style?: string };
      const task: DecorateTask = { html: source, labels, sources };
      const made = await children.run<Plain>(task, optionsOf("decorate", ui));
      return { ...made, style: made.style };
    });
  };
}

/** Compares texts of any length; long ones in a child process. */
export async function compareTexts(children: Children, before: string, after: string, ui: Ui): Promise<Comparison> {
  if (before.length + after.length <= MAX_OWN_TEXTS) return compare(before, after);
  return children.run({ before, after }, optionsOf("compare", ui));
}

function optionsOf(task: string, { viewer }: Ui) {
  return { module: MODULE, task, owner: `viewer ${viewer.id}`, exceeded: 503 } as const;
}
