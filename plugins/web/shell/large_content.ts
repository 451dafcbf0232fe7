import { join } from "node:path";
import type { Comparison, DecoratedContent, Ui } from "lectern/contracts";
import type { Children } from "lectern/core";
import type { DecorateTask } from "./child_tasks.ts";
import { decorated, type NamedFrames } from "./decorate.ts";
import { compare } from "./difference.ts";

const MODULE = join(import.meta.dir, "child_tasks.ts");
/** Characters up to which the server's own process does the work: a few milliseconds. */
const OWN_HTML = 16_384;
const OWN_TEXTS = 2_000;

/** Dresses HTML of any length for readers; what is long in a child process. `sources` are those of `frames`. */
export function decorator(children: Children, frames: NamedFrames, sources: DecorateTask["sources"]) {
  return (html: string, ui: Ui): Promise<DecoratedContent> => {
    if (html.length <= OWN_HTML) return decorated(html, ui, frames);
    return decorated(html, ui, frames, async (source, labels) => {
      type Plain = Omit<DecoratedContent, "style"> & { style?: string };
      const task: DecorateTask = { html: source, labels, sources };
      const made = await children.run<Plain>(task, optionsOf("decorate", ui));
      return { ...made, style: made.style };
    });
  };
}

/** Compares texts of any length for a reader; long ones in a child process. */
export async function comparedFor(children: Children, before: string, after: string, ui: Ui): Promise<Comparison> {
  if (before.length + after.length <= OWN_TEXTS) return compare(before, after);
  return children.run({ before, after }, optionsOf("compare", ui));
}

function optionsOf(task: string, { viewer }: Ui) {
  return { module: MODULE, task, owner: `viewer ${viewer.id}`, exceeded: 503 } as const;
}
