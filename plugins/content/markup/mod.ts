/**
 * The contract `markup` within this process: content is converted, cleaned and taken apart from beginning to end. For the
 * server `offloaded.ts` decides where that happens; child processes and tests use these functions as they are.
 */
import type { Included, LoadPages, Markup, SentContent, StoredContent } from "lectern/contracts";
import { createTexts } from "lectern/core";
import type { Marked } from "marked";
import { type ContentLimits, refuseGrown, refuseLarge } from "./content_limits.ts";
import { comment, describe, describeHtml } from "./descriptions.ts";
import { safeTree } from "./filter.ts";
import { followIds, setIds } from "./ids.ts";
import { extractImages, extractMarkdownImages, extractWrittenImages } from "./images.ts";
import { withoutTags } from "./include_tags.ts";
import { type IncludeLimits, includeLimits, includesIn, resolveIncludes } from "./includes.ts";
import { maxContentBytes, maxContentElements, maxIncludedBytes, maxIncludes } from "./limits.ts";
import { linksIn, readdress, relink } from "./links.ts";
import { toHtml } from "./markdown.ts";
import { serialize } from "./serialize.ts";
import { plainText } from "./text.ts";
import { parse } from "./tree.ts";

/** What the runtime gives markup, asked for at each use. */
export interface MarkupOptions {
  readonly converter?: () => Marked | undefined;
  readonly includes?: () => IncludeLimits;
  readonly limits?: ContentLimits;
}

/** Converts Markdown to HTML that is not sanitised. */
export type Convert = (markdown: string) => string | Promise<string>;

/** What storing takes beside the content. */
export interface StoreParts {
  readonly limits: ContentLimits;
  readonly convert: Convert;
  readonly saveImage?: Parameters<typeof extractImages>[1];
}

/** The limits of includes where nobody says otherwise. */
export const INCLUDES = includeLimits({ maxIncludes, maxBytes: maxIncludedBytes }, createTexts().say);

/** The limits of content where nobody says otherwise. */
export const LIMITS: ContentLimits = { maxBytes: maxContentBytes, maxElements: maxContentElements };

/** The contract `markup`, all of it in this process; see core/contracts/markup.ts. */
export function markupWith({ converter, includes = () => INCLUDES, limits = LIMITS }: MarkupOptions): Markup {
  const partsOf = (saveImage: StoreParts["saveImage"]): StoreParts => ({
    limits,
    convert: (markdown) => toHtml(markdown, converter?.()),
    ...(saveImage && { saveImage }),
  });
  const safe = (html: string) => (html === "" ? "" : safeTree(parse(html)));
  return {
    store: (input, options) => storeHere(input, partsOf(options?.saveImage)),
    prepare: async (input) => ({ keep: (saveImage) => storeHere(input, partsOf(saveImage)) }),
    preview: (input) => previewHere(input, partsOf(undefined)),
    render: (html, load, included) => renderHere(html, load, includes(), included),
    safe,
    filtered: async (html) => safe(html),
    describe,
    describeHtml,
    comment: async (html) => comment(html),
    text: async (html) => plainText(parse(html)),
    readdress: async (html, change) => readdress(html, change),
    relink: async (stored, moved) => relink(stored, moved),
  };
}

/** The contract `markup` as it is where nobody changes anything. */
export const markup: Markup = markupWith({});

/** Prepares content for storing, in this process. */
export async function storeHere(
  input: SentContent,
  { limits, convert, saveImage }: StoreParts,
): Promise<StoredContent> {
  if ("html" in input) refuseLarge("html", input.html, limits);
  else refuseLarge("markdown", input.markdown, limits);
  let markdown = "markdown" in input ? await extractMarkdownImages(input.markdown, saveImage) : "";
  const source = "html" in input ? input.html : await convert(markdown);
  if ("markdown" in input) refuseGrown(source, limits);
  const tree = parse(source);
  if ("html" in input) await extractImages(tree, saveImage);
  else markdown = await extractWrittenImages(tree, markdown, saveImage);
  followIds(tree, setIds(tree));
  const html = serialize(tree);
  const { count, pageIds } = includesIn(tree);
  const text = plainText(tree, withoutTags);
  const links = linksIn(tree);
  // The filter changes the tree, so it comes last.
  return { html, markdown, text, rendered: count > 0 ? null : safeTree(tree), includes: pageIds, links };
}

/** Content as its page would show it, made in this process; pictures within it stay where they are. */
export async function previewHere(input: SentContent, parts: StoreParts): Promise<string> {
  const { html, rendered } = await storeHere(input, {
    ...parts,
    saveImage: async ({ bytes, extension }) =>
      `data:image/${extension};base64,${Buffer.from(bytes).toString("base64")}`,
  });
  return rendered ?? safeTree(parse(html));
}

/** Renders stored HTML, in this process. */
export async function renderHere(
  storedHtml: string,
  load: LoadPages,
  limits: IncludeLimits,
  included: Included | undefined,
): Promise<string> {
  if (storedHtml === "") return "";
  const tree = parse(storedHtml);
  if (await resolveIncludes(tree, load, limits, included)) setIds(tree);
  return safeTree(tree);
}
