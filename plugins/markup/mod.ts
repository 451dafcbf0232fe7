import type { Markup, StoredContent } from "lectern/core";
import type { Marked } from "marked";
import { comment, describe, describeHtml } from "./descriptions.ts";
import { safeTree } from "./filter.ts";
import { followIds, setIds } from "./ids.ts";
import { extractImages, extractMarkdownImages, extractWrittenImages } from "./images.ts";
import { withoutTags } from "./include_tags.ts";
import { includesIn, resolveIncludes } from "./includes.ts";
import { linksIn, readdress, relink } from "./links.ts";
import { toHtml } from "./markdown.ts";
import { serialize } from "./serialize.ts";
import { plainText } from "./text.ts";
import { parse } from "./tree.ts";

/** The contract `markup` with a converter of Markdown, asked for at each use; see core/contracts/markup.ts. */
export function markupWith(converter: () => Marked | undefined): Markup {
  return { ...markup, store: (input, options) => store(input, options, converter()) };
}

/** The contract `markup` as it is where nobody changes anything. */
export const markup: Markup = {
  store: (input, options) => store(input, options),
  render,
  safe: (html) => (html === "" ? "" : safeTree(parse(html))),
  describe,
  describeHtml,
  comment,
  text: (html) => plainText(parse(html)),
  readdress,
  relink,
};

async function store(
  input: Parameters<Markup["store"]>[0],
  options: Parameters<Markup["store"]>[1],
  converter?: Marked,
): Promise<StoredContent> {
  const saveImage = options?.saveImage;
  let markdown = "markdown" in input ? await extractMarkdownImages(input.markdown, saveImage) : "";
  const tree = parse("html" in input ? input.html : toHtml(markdown, converter));
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

async function render(...[storedHtml, load, included]: Parameters<Markup["render"]>): Promise<string> {
  if (storedHtml === "") return "";
  const tree = parse(storedHtml);
  if (await resolveIncludes(tree, load, included)) setIds(tree);
  return safeTree(tree);
}
