/**
 * The contract `markup` over child processes: what is short is worked on in the server's own process, as it takes less
 * than sending it away; what is large, or Markdown that may take long although it is short, in a child.
 *
 * Where somebody has changed the converter of Markdown, that is code of the server's process: the child asks it to
 * convert, up to a limit of its own.
 */
import { join } from "node:path";
import type { Markup, MarkupCall, SentContent, StoredContent } from "lectern/contracts";
import { ApiError, type Children, type RunOptions, randomText } from "lectern/core";
import type { Marked } from "marked";
import { type ContentTask, type MarkedPicture, STAYS } from "./child_tasks.ts";
import { type ContentLimits, refuseVast } from "./content_limits.ts";
import type { IncludeLimits } from "./includes.ts";
import { maxOwnHtmlChars, maxOwnMarkdownChars, maxOwnMarks, maxOwnTags } from "./limits.ts";
import { toHtml } from "./markdown.ts";
import { encodeUrl, escapeText } from "./serialize.ts";

/** What the runtime gives. */
export interface OffloadParts {
  readonly children: Children;
  readonly limits: ContentLimits;
  /** The converter where it was changed. */
  readonly converter: () => Marked | undefined;
  /** Bytes of Markdown that a changed converter is given. */
  readonly maxHookedBytes: number;
  readonly includes: () => IncludeLimits;
}

const MODULE = join(import.meta.dir, "child_tasks.ts");
const MARK_LENGTH = 16;
/** Runs of blanks and nested markers, for which the time of the converter is not linear however short the text is. */
const SUSPICIOUS = /[ \t]{100}|(?:[>*+-][ \t]){6}|>{6}|(?:\d[.)] ){4}/;
const MARKS = /[\n|<*_`[]/g;

/** The contract, with `here` for what is short. */
export function offloaded(here: Markup, parts: OffloadParts): Markup {
  const { children, limits } = parts;
  const run = <R>(task: string, input: unknown, { viewer }: MarkupCall = {}, more: Partial<RunOptions> = {}) =>
    children.run<R>(input, {
      module: MODULE,
      task,
      owner: viewer ? `viewer ${viewer.id}` : "server",
      exceeded: 503,
      ...more,
    });
  const onContent = <R>(task: string, input: SentContent, options: MarkupCall | undefined, more = {}) => {
    const wanted: ContentTask = { input, limits, isHooked: parts.converter() !== undefined };
    const calls = { convert: (markdown: unknown) => convertedHere(String(markdown), parts) };
    return run<R>(task, { ...wanted, ...more }, options, { calls, exceeded: 422 });
  };
  const prepare: Markup["prepare"] = async (input, options) => {
    if (isShort(input)) return here.prepare(input);
    refuseAtOnce(input, limits);
    const mark = `lectern-picture-${randomText(MARK_LENGTH)}-`;
    type Made = { stored: StoredContent; pictures: MarkedPicture[] };
    const { stored, pictures } = await onContent<Made>("store", input, options, { mark });
    return {
      async keep(saveImage) {
        const urls: string[] = [];
        for (const picture of pictures) urls.push((await saveImage?.(picture)) ?? "");
        return withUrls(stored, mark, urls, pictures);
      },
    };
  };
  return {
    ...here,
    prepare,
    store: async (input, options) => (await prepare(input, options)).keep(options?.saveImage),
    async preview(input, options) {
      if (isShort(input)) return here.preview(input);
      refuseAtOnce(input, limits);
      return onContent("preview", input, options);
    },
    async render(html, load, included, options) {
      const soon = isShortHtml(html) ? await renderedSoon(here, html, load, included) : undefined;
      if (soon !== undefined) return soon;
      const calls = {
        load: async (asked: unknown) => [...(await load(...(asked as Parameters<typeof load>)))],
        included: (asked: unknown) => included?.(...(asked as Parameters<NonNullable<typeof included>>)),
      };
      const input = { html, includes: parts.includes(), isHooked: included !== undefined };
      return run("render", input, options, { calls });
    },
    filtered: async (html, options) => (isShortHtml(html) ? here.filtered(html) : run("filtered", html, options)),
    comment: async (html, options) =>
      isShortHtml(html) ? here.comment(html) : run("comment", html, options, { exceeded: 422 }),
    text: async (html, options) => (isShortHtml(html) ? here.text(html) : run("text", html, options)),
    async readdress(html, change, options) {
      if (isShortHtml(html)) return here.readdress(html, change);
      const changed = (found: unknown) => (found as Parameters<typeof change>[0][]).map((at) => orStays(change(at)));
      return run("readdress", html, options, { calls: { change: changed } });
    },
    async relink(stored, moved, options) {
      if (moved.size === 0) return undefined;
      if (isShortHtml(stored.html) && stored.markdown.length <= maxOwnHtmlChars) return here.relink(stored, moved);
      type Relinked = { html: string; markdown: string } | null;
      return (await run<Relinked>("relink", { stored, moved: [...moved] }, options)) ?? undefined;
    },
  };
}

/** Includes that a page in the server's own process may have, and characters of all that is included. */
const FEW_INCLUDES = 4;
const MANY = new Error("Includes are rendered in a child process");

/** A short page rendered here; undefined where it includes too much for that. */
async function renderedSoon(
  here: Markup,
  ...[html, load, included]: Parameters<Markup["render"]>
): Promise<string | undefined> {
  const count = html.split("{{@", FEW_INCLUDES + 2).length - 1;
  if (count > FEW_INCLUDES) return undefined;
  let chars = 0;
  try {
    return await here.render(
      html,
      async (...asked) => {
        const pages = await load(...asked);
        for (const page of pages.values()) {
          chars += page?.length ?? 0;
          if (chars > maxOwnHtmlChars || (page && !isShortHtml(page)) || page?.includes("{{@")) throw MANY;
        }
        return pages;
      },
      included,
    );
  } catch (error) {
    if (error === MANY) return undefined;
    throw error;
  }
}

function isShort(input: SentContent): boolean {
  if ("html" in input) return isShortHtml(input.html);
  const { markdown } = input;
  if (markdown.length > maxOwnMarkdownChars || SUSPICIOUS.test(markdown)) return false;
  return (markdown.match(MARKS)?.length ?? 0) <= maxOwnMarks;
}

function isShortHtml(html: string): boolean {
  if (html.length > maxOwnHtmlChars) return false;
  let tags = 0;
  for (let at = html.indexOf("<"); at >= 0 && tags <= maxOwnTags; at = html.indexOf("<", at + 1)) tags += 1;
  return tags <= maxOwnTags;
}

function refuseAtOnce(input: SentContent, limits: ContentLimits): void {
  if ("html" in input) refuseVast("html", input.html, limits);
  else refuseVast("markdown", input.markdown, limits);
}

/** Throws ApiError 422 for more than the server's own process converts. */
function convertedHere(markdown: string, { converter, maxHookedBytes }: OffloadParts): string {
  if (Buffer.byteLength(markdown) > maxHookedBytes) {
    const message = `The markdown may not be larger than ${maxHookedBytes} bytes, as this instance converts it in its own way.`;
    throw new ApiError(422, "The given data was invalid.", { validation: { markdown: [message] } });
  }
  return toHtml(markdown, converter());
}

function orStays(change: string | null | undefined): string | null | typeof STAYS {
  return change === undefined ? STAYS : change;
}

/** The content with addresses in place of the marks of its pictures. */
function withUrls(
  stored: StoredContent,
  mark: string,
  urls: readonly string[],
  pictures: readonly MarkedPicture[],
): StoredContent {
  if (urls.length === 0) return stored;
  const marks = new RegExp(`${mark}(\\d+)-`, "g");
  const bare = (text: string) => text.replace(marks, (_, index: string) => urls[Number(index)] ?? "");
  const inHtml = (text: string) =>
    text.replace(marks, (_, index: string) => escapeText(encodeUrl(urls[Number(index)] ?? "")));
  return {
    ...stored,
    html: inHtml(stored.html),
    rendered: stored.rendered === null ? null : inHtml(stored.rendered),
    markdown: stored.markdown.replace(
      marks,
      (_, index) => urls[Number(index)] || (pictures[Number(index)]?.written ?? ""),
    ),
    text: bare(stored.text),
    links: [...new Set(stored.links.map(bare))].filter((link) => link !== ""),
  };
}
