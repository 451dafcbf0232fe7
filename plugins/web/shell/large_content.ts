import { join } from "node:path";
import type { DecoratedContent, PagePictures, Ui } from "lectern/contracts";
import { type Children, inTurn } from "lectern/core";
import type { DecorateTask } from "./child_tasks.ts";
import { cachedDecoration, decorate, type NamedFrames } from "./decorate.ts";
import { picturesIn } from "./page_pictures.ts";
import { readerOf } from "./recording.ts";

const MODULE = join(import.meta.dir, "child_tasks.ts");
/** Characters up to which content is processed in the server's own process, in a few milliseconds. */
export const MAX_OWN_HTML = 16_384;
/** The same for tags, since the time depends on the elements of the tree, too. */
const MAX_OWN_TAGS = 1_000;

/** What content is decorated with. */
export interface DecoratorOptions {
  readonly children: Children;
  readonly frames: NamedFrames;
  /** The sources of `frames`. */
  readonly sources: DecorateTask["sources"];
  /** Who knows pictures of this instance. */
  pictures(): readonly PagePictures[];
}

/** Decorates HTML of any length; long HTML in a child process. */
export function decorator({ children, frames, sources, pictures: known }: DecoratorOptions) {
  return async (html: string, ui: Ui): Promise<DecoratedContent> => {
    const pictures = await picturesIn(html, known());
    return cachedDecoration(html, ui, { frames, pictures }, async (source, labels) => {
      if (isShort(source))
        return inTurn(`viewer ${readerOf(ui).id}`, () => decorate(source, labels, { frames, pictures }));
      type Plain = Omit<DecoratedContent, "style"> & { style?: string };
      const task: DecorateTask = { html: source, labels, sources, pictures };
      const made = await children.run<Plain>(task, optionsOf("decorate", ui));
      return { ...made, style: made.style };
    });
  };
}

/** Whether HTML is decorated in the server's own process. */
export function isShort(html: string): boolean {
  return html.length <= MAX_OWN_HTML && html.split("<", MAX_OWN_TAGS + 2).length <= MAX_OWN_TAGS + 1;
}

function optionsOf(task: string, ui: Ui) {
  return { module: MODULE, task, owner: `viewer ${readerOf(ui).id}`, exceeded: 503 } as const;
}
