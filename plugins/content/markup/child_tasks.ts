/** What child processes do for `offloaded.ts`: the same functions, with what stays in the server asked for there. */
import type { AddressAt, EmbeddedPicture, SentContent } from "lectern/contracts";
import type { CallServer, ChildTask } from "lectern/core";
import type { ContentLimits } from "./content_limits.ts";
import { comment } from "./descriptions.ts";
import type { IncludeLimits } from "./includes.ts";
import { readdress, relink } from "./links.ts";
import { toHtml } from "./markdown.ts";
import { markup, previewHere, renderHere, type StoreParts, storeHere } from "./mod.ts";

/** What both ways of converting content take. */
export interface ContentTask {
  readonly input: SentContent;
  readonly limits: ContentLimits;
  /** Whether the server converts Markdown, as its converter was changed. */
  readonly isHooked: boolean;
}

/** A picture that the server shall keep. */
export interface MarkedPicture extends EmbeddedPicture {
  /** What takes the place of its mark in Markdown where it is not kept. */
  readonly written: string;
}

/** What stands in place of an address that stays, among the answers for `readdress`. */
export const STAYS = false;

function partsOf({ limits, isHooked }: ContentTask, call: CallServer): StoreParts {
  const convert = async (markdown: string) => (await call("convert", markdown)) as string;
  return { limits, convert: isHooked ? convert : toHtml };
}

/** The tasks by name. */
export const tasks = {
  /** Pictures become marks, which the server replaces by addresses once it has kept them. */
  async store(task: ContentTask & { readonly mark: string }, call: CallServer) {
    const pictures: MarkedPicture[] = [];
    const saveImage = async (picture: EmbeddedPicture, written = "") =>
      `${task.mark}${pictures.push({ ...picture, written }) - 1}-`;
    return { stored: await storeHere(task.input, { ...partsOf(task, call), saveImage }), pictures };
  },
  preview: (task: ContentTask, call: CallServer) => previewHere(task.input, partsOf(task, call)),
  render({ html, includes, isHooked }: { html: string; includes: IncludeLimits; isHooked: boolean }, call: CallServer) {
    const load = async (...asked: unknown[]) => new Map((await call("load", asked)) as [number, string | null][]);
    const included = async (...asked: unknown[]) => (await call("included", asked)) as string;
    return renderHere(html, load, includes, isHooked ? included : undefined);
  },
  filtered: (html: string) => markup.filtered(html),
  comment: (html: string) => comment(html),
  text: (html: string) => markup.text(html),
  /** All addresses are asked about at once. */
  async readdress(html: string, call: CallServer) {
    const found: AddressAt[] = [];
    readdress(html, (at) => void found.push(at) as undefined);
    const changes = (await call("change", found)) as (string | null | typeof STAYS)[];
    let next = 0;
    return readdress(html, () => {
      const change = changes[next++];
      return change === STAYS ? undefined : change;
    });
  },
  relink: ({ stored, moved }: { stored: Parameters<typeof relink>[0]; moved: [string, string][] }) =>
    relink(stored, new Map(moved)),
} satisfies Record<string, ChildTask>;
