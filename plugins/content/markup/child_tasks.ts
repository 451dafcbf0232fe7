/**
 * Tasks that child processes run for `offload.ts`: the functions of `markup.ts`, with calls back to the server for its
 * callbacks.
 */
import type { AddressAt, EmbeddedPicture, SentContent } from "lectern/contracts";
import type { CallServer, ChildTask } from "lectern/core";
import type { ContentLimits } from "./check_size.ts";
import { compareHtml } from "./compare_html.ts";
import { compareTexts } from "./compare_texts.ts";
import { comment } from "./descriptions.ts";
import type { IncludeLimits } from "./includes.ts";
import { readdress, relink } from "./links.ts";
import { toHtml } from "./markdown.ts";
import { commentOfMarkdown } from "./markdown_comments.ts";
import { markup, previewInProcess, renderInProcess, type StoreOptions, storeInProcess } from "./markup.ts";
import { type MergedTexts, mergeTexts } from "./merge.ts";
import { findPassages } from "./passages.ts";

/** The input of the tasks that convert content. */
export interface ContentTask {
  readonly input: SentContent;
  readonly limits: ContentLimits;
  /** Whether the server converts Markdown, since its converter was changed. */
  readonly isHooked: boolean;
}

/** The input of the tasks that compare. */
export interface ComparedTexts {
  readonly before: string;
  readonly after: string;
}

/** An image for the server to save. */
export interface ExtractedImage extends EmbeddedPicture {
  /** Replaces the placeholder in Markdown if the image is not saved. */
  readonly source: string;
}

/** Marks an unchanged URL in the answers to `readdress`, since undefined cannot be sent to a child process. */
export const UNCHANGED = false;

function optionsOf({ limits, isHooked }: ContentTask, call: CallServer): StoreOptions {
  const convert = async (markdown: string) => (await call("convert", markdown)) as string;
  return { limits, convert: isHooked ? convert : toHtml };
}

/** The tasks by name. */
export const tasks = {
  /** Images become placeholders, which the server replaces by URLs once it has saved the images. */
  async store(task: ContentTask & { readonly placeholder: string }, call: CallServer) {
    const images: ExtractedImage[] = [];
    const saveImage = async (image: EmbeddedPicture, source = "") =>
      `${task.placeholder}${images.push({ ...image, source }) - 1}-`;
    return { stored: await storeInProcess(task.input, { ...optionsOf(task, call), saveImage }), images };
  },
  preview: (task: ContentTask, call: CallServer) => previewInProcess(task.input, optionsOf(task, call)),
  render({ html, includes, isHooked }: { html: string; includes: IncludeLimits; isHooked: boolean }, call: CallServer) {
    const load = async (...args: unknown[]) => new Map((await call("load", args)) as [number, string | null][]);
    const included = async (...args: unknown[]) => (await call("included", args)) as string;
    return renderInProcess(html, load, includes, isHooked ? included : undefined);
  },
  filtered: (html: string) => markup.filtered(html),
  comment: (html: string) => comment(html),
  commentOfMarkdown: (markdown: string) => commentOfMarkdown(markdown),
  passages: ({ html, wanted }: { html: string; wanted: Parameters<typeof findPassages>[1] }) =>
    findPassages(html, wanted),
  text: (html: string) => markup.text(html),
  /** Collects all URLs first, so that one call to the server decides about them. */
  async readdress(html: string, call: CallServer) {
    const found: AddressAt[] = [];
    readdress(html, (at) => {
      found.push(at);
      return undefined;
    });
    const changes = (await call("change", found)) as (string | null | typeof UNCHANGED)[];
    let next = 0;
    return readdress(html, () => {
      const change = changes[next++];
      return change === UNCHANGED ? undefined : change;
    });
  },
  relink: ({ stored, moved }: { stored: Parameters<typeof relink>[0]; moved: [string, string][] }) =>
    relink(stored, new Map(moved)),
  compare: ({ before, after }: ComparedTexts) => compareTexts(before, after),
  /** Null where the documents are too long, since undefined cannot be sent. */
  compareHtml: ({ before, after }: ComparedTexts) => compareHtml(before, after) ?? null,
  merge: ({ format, ...texts }: MergedTexts & { readonly format: "markdown" | "html" }) => mergeTexts(format, texts),
} satisfies Record<string, ChildTask>;
