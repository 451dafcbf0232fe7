/**
 * Converts Markdown to HTML (content-api 9.6): CommonMark with tables, task lists and strikethrough, formatted exactly as
 * the converter of BookStack does, newlines included, since clients compare it and ids are made from it. Raw HTML is passed
 * through.
 *
 * The converter is the one built into Bun, which follows CommonMark and takes linear time; its output is changed to our
 * format as text. What the author wrote as HTML could be taken for output there, so such places get a mark before the
 * conversion, which is removed afterwards. A converter that plugins and themes changed is marked (`marked_converter.ts`).
 */
import { randomText } from "lectern/core";
import type { Marked } from "marked";
import { withLeadingTabs } from "./leading_tabs.ts";
import { isHeavy } from "./marked_converter.ts";

/** Letters of a mark; the first one is constant, since names of elements begin with a letter. */
const MARK_LETTERS = 20;

/**
 * Places in Markdown where HTML of the author would look like output that is changed below, and escaped brackets that would
 * look like a checkbox. A mark of letters is put after each, which does not change what is parsed: names of elements that CommonMark
 * does not know grow (`<xdel>`), and elsewhere text follows a tag or a bracket.
 */
const LIKE_OUTPUT =
  /<\/?(?=del[\s/>])|<(?=(?:a|img|input)\s)|<tr>(?=<t[hd])|<\/t[hd]>(?=<)|<(?:li|p)>(?=\[)|^[ \t>*+.)\d-]*\\\[(?=[ x]\\?\])/gim;

/** Converts the Markdown of a comment: HTML in it is text, and addresses are links. No changed converter is asked. Throws nothing. */
export function commentToHtml(markdown: string): string {
  return convert(markdown, { autolinks: { url: true }, noHtmlBlocks: true, noHtmlSpans: true });
}

/** Converts Markdown to HTML that is not sanitised. Throws only if a changed converter does. */
export function toHtml(markdown: string, changed?: Marked): string {
  if (!changed || isHeavy(markdown)) return convert(markdown);
  const html = changed.parse(markdown);
  return typeof html === "string" ? html : convert(markdown);
}

function convert(markdown: string, options?: Bun.markdown.Options): string {
  if (markdown.search(LIKE_OUTPUT) < 0) return converted(markdown, options);
  const mark = `x${randomText(MARK_LETTERS)}`;
  return converted(markdown.replace(LIKE_OUTPUT, `$&${mark}`), options).replaceAll(mark, "");
}

function converted(markdown: string, options?: Bun.markdown.Options): string {
  return withLeadingTabs(formatted(withoutBlanks(Bun.markdown.html(markdown, options))), markdown);
}

/** Elements whose blanks are shown. */
const VERBATIM = /<(\/?)(?:pre|script|style|textarea)\b|(?<![ \t])[ \t]\n/g;

/** Removes blanks at the ends of lines, which CommonMark ignores and Bun's converter keeps. */
function withoutBlanks(html: string): string {
  let depth = 0;
  return html.replace(VERBATIM, (found, slash: string | undefined) => {
    if (slash === undefined) return depth > 0 ? found : "\n";
    depth = slash === "" ? depth + 1 : Math.max(0, depth - 1);
    return found;
  });
}

/** A checkbox that no text follows, which BookStack's converter takes for text. */
const EMPTY_TASK =
  /<li class="task-list-item"><input type="checkbox" class="task-list-item-checkbox" disabled( checked)?>(?=<\/li>|\n<(?!p>))/g;

/** Output of Bun's converter in the format of content-api 9.6. */
function formatted(html: string): string {
  return html
    .replace(EMPTY_TASK, (_all, checked: string | undefined) => `<li>[${checked ? "x" : " "}]`)
    .replace(/<input type="checkbox" class="task-list-item-checkbox" disabled( checked)?>(\n<p>)?/g, task)
    .replace(/<li>(\n<p>)?\[([ xX])\](?=[^\s([:<])/g, tightTask)
    .replace(/<(\/?)del>/g, "<$1s>")
    .replace(/<tr>(?=<t[hd])/g, "<tr>\n")
    .replace(/<\/t[hd]>(?=<)/g, "$&\n")
    .replace(/<(?:a href|img src)="[^"]*"/g, withEncodedPercents);
}

function task(_all: string, checked: string | undefined, open = ""): string {
  return `${open}<input ${checked ? "checked " : ""}disabled type="checkbox"> `;
}

/** A task whose text follows the bracket without a space, as BookStack's converter has it. */
function tightTask(_all: string, open: string | undefined, sign: string): string {
  return `<li class="task-list-item">${open ?? ""}<input ${sign === " " ? "" : "checked "}disabled type="checkbox">`;
}

/** Encodes per cent signs that are no part of an encoded character. The serialiser encodes the rest. */
function withEncodedPercents(address: string): string {
  return address.replace(/%(?![0-9a-f]{2})/gi, "%25");
}
