/**
 * The contract `markup`, implemented in this process: conversion, sanitising and extraction of text, links and images. In
 * the server, `offload.ts` decides what runs here and what in a child process; child processes and tests call these
 * functions directly.
 */
import type { Included, LoadPages, Markup, PreparedContent, SentContent, StoredContent } from "lectern/contracts";
import { createTexts } from "lectern/core";
import { type ContentLimits, checkContentSize, checkConvertedSize } from "./check_size.ts";
import { compareHtml } from "./compare_html.ts";
import { compareTexts } from "./compare_texts.ts";
import type { MarkupContext } from "./contract.ts";
import { comment, describe, describeHtml } from "./descriptions.ts";
import { setIds, updateFragments } from "./element_ids.ts";
import { extractImages, extractMarkdownImages, extractRenderedImages } from "./embedded_images.ts";
import { withoutTags } from "./include_tags.ts";
import { type IncludeLimits, includeLimits, includesIn, resolveIncludes } from "./includes.ts";
import { maxContentBytes, maxContentElements, maxIncludedBytes, maxIncludes } from "./limits.ts";
import { linksIn, readdress, relink } from "./links.ts";
import { toHtml } from "./markdown.ts";
import { commentOfMarkdown } from "./markdown_comments.ts";
import { mergeTexts } from "./merge.ts";
import { findPassages } from "./passages.ts";
import { plainText } from "./plain_text.ts";
import { sanitizedHtml } from "./sanitize.ts";
import { serialize } from "./serialize.ts";
import { parse } from "./tree.ts";

/** Converts Markdown to HTML that is not sanitised. */
export type Convert = (markdown: string) => string | Promise<string>;

/** How content is stored. */
export interface StoreOptions {
  readonly limits: ContentLimits;
  readonly convert: Convert;
  readonly saveImage?: Parameters<typeof extractImages>[1];
}

/** Default limits of includes. */
export const DEFAULT_INCLUDES = includeLimits({ maxIncludes, maxBytes: maxIncludedBytes }, createTexts().say);

/** Default limits of content. */
export const DEFAULT_LIMITS: ContentLimits = { maxBytes: maxContentBytes, maxElements: maxContentElements };

/** The contract `markup`, entirely in this process; see plugins/contracts/markup.ts. */
export function createMarkup({
  converter,
  includes = () => DEFAULT_INCLUDES,
  limits = DEFAULT_LIMITS,
}: Partial<Pick<MarkupContext, "converter" | "includes" | "limits">>): Markup {
  const optionsOf = (saveImage: StoreOptions["saveImage"]): StoreOptions => ({
    limits,
    convert: (markdown) => toHtml(markdown, converter?.()),
    ...(saveImage && { saveImage }),
  });
  const safe = (html: string) => (html === "" ? "" : sanitizedHtml(parse(html)));
  return {
    store: (input, options) => storeInProcess(input, optionsOf(options?.saveImage)),
    prepare: (input) => prepareInProcess(input, optionsOf),
    preview: (input) => previewInProcess(input, optionsOf(undefined)),
    render: (html, load, included) => renderInProcess(html, load, includes(), included),
    safe,
    filtered: async (html) => safe(html),
    describe,
    describeHtml,
    comment: async (html) => comment(html),
    commentOfMarkdown: async (markdown) => commentOfMarkdown(markdown),
    passages: async (html, wanted) => findPassages(html, wanted),
    text: async (html) => plainText(parse(html)),
    readdress: async (html, change) => readdress(html, change),
    relink: async (stored, moved) => relink(stored, moved),
    compare: async (before, after) => compareTexts(before, after),
    compareHtml: async (before, after) => compareHtml(before, after),
    merge: async (format, texts) => mergeTexts(format, texts),
  };
}

/** The contract `markup` with default settings. */
export const markup: Markup = createMarkup({});

/** Prepares content for storing, in this process. */
export async function storeInProcess(
  input: SentContent,
  { limits, convert, saveImage }: StoreOptions,
): Promise<StoredContent> {
  if ("html" in input) checkContentSize("html", input.html, limits);
  else checkContentSize("markdown", input.markdown, limits);
  let markdown = "markdown" in input ? await extractMarkdownImages(input.markdown, saveImage) : "";
  const source = "html" in input ? input.html : await convert(markdown);
  if ("markdown" in input) checkConvertedSize(source, limits);
  const tree = parse(source);
  if ("html" in input) await extractImages(tree, saveImage);
  else markdown = await extractRenderedImages(tree, markdown, saveImage);
  updateFragments(tree, setIds(tree));
  const html = serialize(tree);
  const { count, pageIds } = includesIn(tree);
  const text = plainText(tree, withoutTags);
  const links = linksIn(tree);
  // Sanitising changes the tree, so it comes last.
  return { html, markdown, text, rendered: count > 0 ? null : sanitizedHtml(tree), includes: pageIds, links };
}

/** Prepares content for storing, in this process. Content with embedded pictures is stored by `keep`, which gets their URLs. */
async function prepareInProcess(
  input: SentContent,
  optionsOf: (saveImage: StoreOptions["saveImage"]) => StoreOptions,
): Promise<PreparedContent> {
  let hasPictures = false;
  const stored = await storeInProcess(
    input,
    optionsOf(async () => {
      hasPictures = true;
      return undefined;
    }),
  );
  return { keep: async (saveImage) => (hasPictures ? storeInProcess(input, optionsOf(saveImage)) : stored) };
}

/** Content as its page would show it, made in this process. Embedded images stay embedded. */
export async function previewInProcess(input: SentContent, options: StoreOptions): Promise<string> {
  const { html, rendered } = await storeInProcess(input, {
    ...options,
    saveImage: async ({ bytes, extension }) =>
      `data:image/${extension};base64,${Buffer.from(bytes).toString("base64")}`,
  });
  return rendered ?? sanitizedHtml(parse(html));
}

/** Renders stored HTML, in this process. */
export async function renderInProcess(
  storedHtml: string,
  load: LoadPages,
  limits: IncludeLimits,
  included: Included | undefined,
): Promise<string> {
  if (storedHtml === "") return "";
  const tree = parse(storedHtml);
  if (await resolveIncludes(tree, load, limits, included)) setIds(tree);
  return sanitizedHtml(tree);
}
