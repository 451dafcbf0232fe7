/**
 * Writes a document of the editor as HTML, from the attributes that its nodes keep, and not from what is drawn. Paragraphs that have
 * no element in the page are written without one; rows go into their sections; a line break follows each block, so that the source
 * can be read.
 */
import type { Fragment, Mark, Node } from "@tiptap/pm/model";
import type { Kept } from "./elements.ts";

const VOID = new Set(["br", "hr", "img", "input"]);
const LISTS: Readonly<Record<string, string>> = { bulletList: "ul", orderedList: "ol", listItem: "li" };
/** In these, a paragraph that was typed needs no element as long as it is the only one. */
const BARE_WITHIN = new Set(["listItem", "tableCell", "tableHeader"]);
const BARE_CONTAINERS = new Set(["dt", "dd", "figcaption"]);

/** The HTML of a document. */
export function toHtml(doc: Node): string {
  return blocks(doc);
}

/** The HTML of a part of a document, such as what is copied. */
export function fragmentHtml(content: Fragment): string {
  let written = "";
  const first = content.firstChild;
  if (first?.isInline) return inline(content);
  content.forEach((node) => {
    written += block(node, false);
  });
  return written;
}

function blocks(parent: Node, between = "\n"): string {
  const written: string[] = [];
  parent.forEach((node, _offset, index) => {
    written.push(block(node, isBare(parent, index)));
  });
  return written.join(between);
}

function isBare(parent: Node, index: number): boolean {
  const node = parent.child(index);
  if (node.type.name !== "paragraph" || node.attrs.form === "p" || node.attrs.kept !== null) return false;
  // Beside other blocks an empty line without an element would be gone.
  const isBlank = !/[^ \t\n]/.test(node.textBetween(0, node.content.size, undefined, "\ufffc"));
  if (isBlank && parent.childCount > 1) return false;
  const isNextToBare = [index - 1, index + 1].some((at) => {
    const beside = at >= 0 && at < parent.childCount ? parent.child(at) : undefined;
    return beside?.type.name === "paragraph" && beside.attrs.form !== "p";
  });
  if (isNextToBare) return false;
  if (node.attrs.form === "bare") return true;
  return (
    BARE_WITHIN.has(parent.type.name) || (parent.type.name === "container" && BARE_CONTAINERS.has(parent.attrs.tag))
  );
}

function block(node: Node, isBareParagraph: boolean): string {
  const { attrs, type } = node;
  const kept = attrs.kept as Kept;
  switch (type.name) {
    case "paragraph":
      return isBareParagraph ? inline(node.content) : element("p", kept, inline(node.content));
    case "heading":
      return element(`h${attrs.level}`, kept, inline(node.content));
    case "codeBlock":
      return codeBlock(node);
    case "horizontalRule":
      return element("hr", kept);
    case "keptBlock":
      return attrs.html;
    case "table":
      return table(node);
    case "tableRow":
      return element("tr", kept, blocks(node, ""));
    case "tableCell":
    case "tableHeader":
      return element(type.name === "tableCell" ? "td" : "th", withSpans(node), blocks(node));
    case "summary":
      return element("summary", kept, inline(node.content));
    case "bulletList":
    case "orderedList":
      return element(LISTS[type.name] ?? "", kept, `\n${blocks(node)}\n`);
    case "container":
      return element(attrs.tag, kept, blocks(node));
    default:
      return element(LISTS[type.name] ?? type.name, kept, blocks(node));
  }
}

/** HTML parsers drop a first line break in `pre`. */
function codeBlock(node: Node): string {
  const text = inline(node.content, true);
  const code = node.attrs.code as Kept | undefined;
  const guarded = text.startsWith("\n") ? `\n${text}` : text;
  return element("pre", node.attrs.kept, node.attrs.hasCode ? element("code", code ?? null, text) : guarded);
}

/** The attributes of a cell, with the spans that it has now. */
function withSpans({ attrs }: Node): Kept {
  const kept: Record<string, string> = { ...attrs.kept };
  for (const name of ["colspan", "rowspan"]) {
    const span = Number(attrs[name]);
    if (spanOf(kept[name]) === span) continue;
    if (span === 1) delete kept[name];
    else kept[name] = String(span);
  }
  return kept;
}

/** The span that an attribute asks for. */
export function spanOf(value: string | null | undefined): number {
  const span = Number.parseInt(value ?? "1", 10);
  return span > 0 && span <= 1000 ? span : 1;
}

function table(node: Node): string {
  const sections: { readonly name: string; group: number | null; kept: Kept; rows: string }[] = [];
  node.forEach((row) => {
    const { section, group, sectionKept } = row.attrs;
    let last = sections.at(-1);
    const isNext = !last || last.name !== section || (last.group !== null && group !== null && last.group !== group);
    if (isNext) {
      last = { name: section, group, kept: null, rows: "" };
      sections.push(last);
    }
    if (!last) return;
    last.group ??= group;
    last.kept ??= sectionKept;
    last.rows += `${block(row, false)}\n`;
  });
  const parts = sections.map(({ name, kept, rows }) => element(name, kept, `\n${rows}`));
  return element("table", node.attrs.kept, `${node.attrs.before}\n${parts.join("\n")}\n`);
}

/** Text and inline nodes, with the elements around them opened and closed as they nest. `isPlain` is that of code, which keeps all white space. */
function inline(content: Fragment, isPlain = false): string {
  let written = "";
  let open: readonly Mark[] = [];
  let before = " ";
  const end = isPlain ? content.childCount : endOfText(content);
  content.forEach((node, _offset, index) => {
    // White space that no browser shows takes the elements around it along when the page is read again.
    const isUnseen = !isPlain && isSpace(node) && (index >= end || /\s$/.test(before));
    const marks = isUnseen ? [] : node.marks;
    const shared = open.findIndex((mark, at) => !marks[at]?.eq(mark));
    const common = shared < 0 ? open.length : shared;
    written += closing(open.slice(common)) + marks.slice(common).map(opening).join("") + leaf(node);
    open = marks;
    before = node.type.name === "hardBreak" ? " " : (node.text ?? "\ufffc");
  });
  return written + closing(open);
}

const isSpace = (node: Node) => node.isText && !/[^ \t\n]/.test(node.text ?? "");

/** The index of the white space that ends a text; the number of its nodes where there is none. */
function endOfText(content: Fragment): number {
  let end = content.childCount;
  while (end > 0 && isSpace(content.child(end - 1))) end--;
  return end;
}

function leaf(node: Node): string {
  switch (node.type.name) {
    case "text":
      return escaped(node.text ?? "");
    case "hardBreak":
      return element("br", node.attrs.kept);
    case "image":
      return element("img", node.attrs.kept);
    case "checkbox":
      return element("input", node.attrs.kept);
    default:
      return node.attrs.html ?? "";
  }
}

const opening = ({ attrs }: Mark) => `<${attrs.tag}${attributes(attrs.kept)}>`;
const closing = (marks: readonly Mark[]) =>
  [...marks]
    .reverse()
    .map(({ attrs }) => `</${attrs.tag}>`)
    .join("");

function element(tag: string, kept: Kept, content = ""): string {
  return VOID.has(tag) ? `<${tag}${attributes(kept)}>` : `<${tag}${attributes(kept)}>${content}</${tag}>`;
}

function attributes(kept: Kept): string {
  return Object.entries(kept ?? {})
    .map(([name, value]) => ` ${name}="${escaped(value).replaceAll('"', "&quot;")}"`)
    .join("");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\u00a0", "&nbsp;");
}
