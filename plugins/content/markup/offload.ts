/**
 * The contract `markup` over child processes. Short content is processed in the server's own process, which takes less time
 * than sending it to another. Large content, and short Markdown that may take long, is processed in a child process.
 *
 * A changed Markdown converter is code of the server's process, so the child process calls the server for the conversion,
 * which has a limit of its own.
 */
import { join } from "node:path";
import type { Markup, MarkupCall, SentContent, StoredContent } from "lectern/contracts";
import { beginWork, chargeWork, inTurn, invalidFields, type RunOptions, randomText, timedWork } from "lectern/core";
import { type ContentLimits, checkBytes } from "./check_size.ts";
import { type ContentTask, type ExtractedImage, UNCHANGED } from "./child_tasks.ts";
import type { MarkupContext } from "./contract.ts";
import {
  maxOddHtmlChars,
  maxOwnComparedChars,
  maxOwnHookedChars,
  maxOwnHookedMarks,
  maxOwnHtmlChars,
} from "./limits.ts";
import { toHtml } from "./markdown.ts";
import { isOwnHtml } from "./own_work.ts";
import { encodeUrl, escapeText } from "./serialize.ts";

const MODULE = join(import.meta.dir, "child_tasks.ts");
const PLACEHOLDER_LENGTH = 16;
/** Nested markers, which make deep trees: a changed converter takes tens of milliseconds for them, also in short texts. */
const SLOW_MARKDOWN = /(?:[>*+-][ \t]){6}|>{6}|(?:\d[.)] ){4}/;
const MARKS = /[\n|<*_`[]/g;

/** The contract over child processes; `inProcess` processes short content. */
export function offload(inProcess: Markup, context: MarkupContext): Markup {
  const { children, limits } = context;
  const ownerOf = ({ viewer }: MarkupCall = {}) => (viewer ? `viewer ${viewer.id}` : "server");
  const own = <R>(options: MarkupCall | undefined, work: () => Promise<R>) => inTurn(ownerOf(options), work);
  const run = <R>(task: string, input: unknown, call?: MarkupCall, more: Partial<RunOptions> = {}) =>
    children.run<R>(input, { module: MODULE, task, owner: ownerOf(call), exceeded: 503, ...more });
  const runOnContent = <R>(task: string, input: SentContent, options: MarkupCall | undefined, more = {}) => {
    const contentTask: ContentTask = { input, limits, isHooked: context.converter() !== undefined };
    const calls = { convert: (markdown: unknown) => convertInServer(String(markdown), context) };
    return run<R>(task, { ...contentTask, ...more }, options, { calls, exceeded: 422 });
  };
  const prepare: Markup["prepare"] = async (input, options) => {
    if (isOwn(input, context)) return own(options, () => sent(() => inProcess.prepare(input)));
    checkBytesOf(input, limits);
    const placeholder = `lectern-picture-${randomText(PLACEHOLDER_LENGTH)}-`;
    type Stored = { stored: StoredContent; images: ExtractedImage[] };
    const { stored, images } = await runOnContent<Stored>("store", input, options, { placeholder });
    return {
      async keep(saveImage) {
        const urls: string[] = [];
        for (const image of images) urls.push((await saveImage?.(image)) ?? "");
        return withUrls(stored, placeholder, urls, images);
      },
    };
  };
  return {
    ...inProcess,
    prepare,
    store: async (input, options) => (await prepare(input, options)).keep(options?.saveImage),
    async preview(input, options) {
      if (isOwn(input, context)) return own(options, () => sent(() => inProcess.preview(input)));
      checkBytesOf(input, limits);
      return runOnContent("preview", input, options);
    },
    async render(html, load, included, options) {
      const short = () => renderShort(inProcess, html, load, included);
      const rendered = isOwnHtml(html) ? await own(options, short) : undefined;
      if (rendered !== undefined) return rendered;
      const calls = {
        load: async (args: unknown) => [...(await load(...(args as Parameters<typeof load>)))],
        included: (args: unknown) => included?.(...(args as Parameters<NonNullable<typeof included>>)),
      };
      const input = { html, includes: context.includes(), isHooked: included !== undefined };
      return run("render", input, options, { calls });
    },
    filtered: async (html, options) =>
      isOwnHtml(html) ? own(options, () => timedWork(() => inProcess.filtered(html))) : run("filtered", html, options),
    comment: async (html, options) =>
      isOwnHtml(html)
        ? own(options, () => sent(() => inProcess.comment(html)))
        : run("comment", html, options, { exceeded: 422 }),
    commentOfMarkdown: async (markdown, options) =>
      markdown.length <= maxOwnHtmlChars && isOwnHtml(toHtml(markdown))
        ? own(options, () => sent(() => inProcess.commentOfMarkdown(markdown)))
        : run("commentOfMarkdown", markdown, options, { exceeded: 422 }),
    passages: async (html, wanted, options) =>
      isOwnHtml(html)
        ? own(options, () => timedWork(() => inProcess.passages(html, wanted)))
        : run("passages", { html, wanted }, options),
    text: async (html, options) =>
      isOwnHtml(html) ? own(options, () => timedWork(() => inProcess.text(html))) : run("text", html, options),
    async readdress(html, change, options) {
      if (isOwnHtml(html)) return own(options, () => timedWork(() => inProcess.readdress(html, change)));
      const changed = (found: unknown) =>
        (found as Parameters<typeof change>[0][]).map((at) => orUnchanged(change(at)));
      return run("readdress", html, options, { calls: { change: changed } });
    },
    async relink(stored, moved, options) {
      if (moved.size === 0) return undefined;
      if (isOwnHtml(stored.html) && stored.markdown.length <= maxOwnHtmlChars)
        return own(options, () => timedWork(() => inProcess.relink(stored, moved)));
      type Relinked = { html: string; markdown: string } | null;
      return (await run<Relinked>("relink", { stored, moved: [...moved] }, options)) ?? undefined;
    },
    async compare(before, after, options) {
      const isShort = before.length + after.length <= maxOwnComparedChars;
      if (isShort) return own(options, () => timedWork(() => inProcess.compare(before, after)));
      return run("compare", { before, after }, options);
    },
    compareHtml: async (before, after, options) =>
      (await run<string | null>("compareHtml", { before, after }, options)) ?? undefined,
    merge: (format, texts, options) => run("merge", { format, ...texts }, options),
  };
}

/** Maximum includes of a page that is rendered in the server's own process. */
const MAX_OWN_INCLUDES = 4;
const TOO_MUCH = new Error("Includes are rendered in a child process");

/** Renders a short page in this process; undefined if it includes too much. */
async function renderShort(
  inProcess: Markup,
  ...[html, load, included]: Parameters<Markup["render"]>
): Promise<string | undefined> {
  const count = html.split("{{@", MAX_OWN_INCLUDES + 2).length - 1;
  if (count > MAX_OWN_INCLUDES) return undefined;
  let chars = 0;
  let loadMs = 0;
  const started = performance.now();
  try {
    return await inProcess.render(
      html,
      async (...args) => {
        const asked = performance.now();
        const pages = await load(...args);
        loadMs += performance.now() - asked;
        for (const page of pages.values()) {
          chars += page?.length ?? 0;
          if (chars > maxOddHtmlChars || (page && !isOwnHtml(page)) || page?.includes("{{@")) throw TOO_MUCH;
        }
        return pages;
      },
      included,
    );
  } catch (error) {
    if (error === TOO_MUCH) return undefined;
    throw error;
  } finally {
    chargeWork(performance.now() - started - loadMs);
  }
}

/** Processes short content that a user sends, where it is the work that the request asks for. */
function sent<R>(run: () => Promise<R>): Promise<R> {
  beginWork();
  return timedWork(run);
}

/**
 * Whether the server's own process works on content. Of Markdown its HTML says: to convert it takes a twentieth of what follows, and
 * is linear. A changed converter is none of ours, so there the text has to say.
 */
function isOwn(input: SentContent, { converter }: MarkupContext): boolean {
  if ("html" in input) return isOwnHtml(input.html);
  const { markdown } = input;
  if (!converter()) return markdown.length <= maxOwnHtmlChars && isOwnHtml(toHtml(markdown));
  if (markdown.length > maxOwnHookedChars || SLOW_MARKDOWN.test(markdown)) return false;
  return (markdown.match(MARKS)?.length ?? 0) <= maxOwnHookedMarks;
}

function checkBytesOf(input: SentContent, limits: ContentLimits): void {
  if ("html" in input) checkBytes("html", input.html, limits);
  else checkBytes("markdown", input.markdown, limits);
}

/** Converts Markdown with a changed converter. Throws ApiError 422 beyond its limit. */
function convertInServer(markdown: string, { converter, maxHookedBytes }: MarkupContext): string {
  if (Buffer.byteLength(markdown) > maxHookedBytes) {
    const message = `The markdown may not be larger than ${maxHookedBytes} bytes, as this instance converts it in its own way.`;
    throw invalidFields({ markdown: message });
  }
  return toHtml(markdown, converter());
}

function orUnchanged(change: string | null | undefined): string | null | typeof UNCHANGED {
  return change === undefined ? UNCHANGED : change;
}

/** The content with URLs in place of the placeholders of its images. */
function withUrls(
  stored: StoredContent,
  placeholder: string,
  urls: readonly string[],
  images: readonly ExtractedImage[],
): StoredContent {
  if (urls.length === 0) return stored;
  const placeholders = new RegExp(`${placeholder}(\\d+)-`, "g");
  const inText = (text: string) => text.replace(placeholders, (_, index: string) => urls[Number(index)] ?? "");
  const inHtml = (text: string) =>
    text.replace(placeholders, (_, index: string) => escapeText(encodeUrl(urls[Number(index)] ?? "")));
  return {
    ...stored,
    html: inHtml(stored.html),
    rendered: stored.rendered === null ? null : inHtml(stored.rendered),
    markdown: stored.markdown.replace(
      placeholders,
      (_, index) => urls[Number(index)] || (images[Number(index)]?.source ?? ""),
    ),
    text: inText(stored.text),
    links: [...new Set(stored.links.map(inText))].filter((link) => link !== ""),
  };
}
