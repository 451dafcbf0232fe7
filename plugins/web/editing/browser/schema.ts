/**
 * The schema of the rich editor. It keeps everything: each node holds all attributes of its element, and inline elements are one mark, of
 * which several may nest, that holds tag and attributes. What the schema draws is for the screen alone (`shown`); `writer.ts` writes
 * documents from what they hold. The names of nodes are those that commands of TipTap expect.
 */
import { type Attribute, Extension, getSchema, Mark, Node } from "@tiptap/core";
import { CONTAINERS, drawnTag, isSafeAddress, type Kept, keptOf, shown } from "./elements.ts";
import { inertDocument, realHtml } from "./inert.ts";
import { KEPT_BLOCK, KEPT_INLINE } from "./reader.ts";
import type { Texts } from "./screen.ts";
import { spanOf } from "./writer.ts";

/** An attribute that is held and not drawn. */
function held(initial: unknown, read: (element: HTMLElement) => unknown = () => null): Attribute {
  return { default: initial, rendered: false, parseHTML: read };
}

const kept = held(null, keptOf);

/** A node of one element with content. */
function simple(name: string, tag: string, content: string, more: Record<string, unknown> = {}) {
  return Node.create({
    name,
    content,
    addAttributes: () => ({ kept }),
    parseHTML: () => [{ tag }],
    renderHTML: ({ node }) => [tag, shown(node.attrs.kept), 0],
    ...more,
  });
}

const Doc = Node.create({ name: "doc", topNode: true, content: "block+" });
const Text = Node.create({ name: "text", group: "inline" });

/**
 * A paragraph. `form` says whether it has an element of its own: "p" where the page has one, "bare" where the page has none, and
 * "auto" for one that was typed.
 */
const Paragraph = Node.create({
  name: "paragraph",
  group: "block",
  content: "inline*",
  priority: 1000,
  addAttributes: () => ({ kept, form: held("auto", ({ localName }) => (localName === "p" ? "p" : null)) }),
  parseHTML: () => [{ tag: "p" }],
  renderHTML: ({ node }) => ["p", shown(node.attrs.kept), 0],
});

const Heading = Node.create({
  name: "heading",
  group: "block",
  content: "inline*",
  defining: true,
  addAttributes: () => ({ kept, level: held(2, ({ localName }) => Number(localName.slice(1))) }),
  parseHTML: () => [{ tag: "h1,h2,h3,h4,h5,h6" }],
  renderHTML: ({ node }) => [`h${node.attrs.level}`, shown(node.attrs.kept), 0],
});

/** The one `code` in a `pre`; undefined where there is none, or something beside it. */
function codeIn(pre: HTMLElement): Element | undefined {
  const [only, second] = pre.childNodes;
  return second === undefined && only instanceof Element && only.localName === "code" ? only : undefined;
}

const CodeBlock = Node.create({
  name: "codeBlock",
  group: "block",
  content: "inline*",
  code: true,
  defining: true,
  addAttributes: () => ({
    kept,
    hasCode: held(true, (pre) => codeIn(pre) !== undefined),
    code: held(null, (pre) => {
      const code = codeIn(pre);
      return code ? keptOf(code) : null;
    }),
  }),
  parseHTML: () => [
    {
      tag: "pre",
      preserveWhitespace: "full",
      contentElement: (pre) => (codeIn(pre as HTMLElement) as HTMLElement | undefined) ?? (pre as HTMLElement),
    },
  ],
  renderHTML: ({ node }) => [
    "pre",
    shown(node.attrs.kept, { "data-language": languageOf(node.attrs.code), spellcheck: "false" }),
    ["code", 0],
  ],
});

/** The language of a code block; "" where it has none. */
export function languageOf(code: Kept): string {
  return /(?:^|\s)language-(\S+)/.exec(code?.class ?? "")?.[1] ?? "";
}

const List = (name: string, tag: string) => simple(name, tag, "listItem+", { group: "block list" });

const Container = Node.create({
  name: "container",
  group: "block",
  content: "block+",
  addAttributes: () => ({ kept, tag: held("div", ({ localName }) => localName) }),
  parseHTML: () => [{ tag: [...CONTAINERS].join(",") }],
  renderHTML: ({ node }) => ["div", shown(node.attrs.kept, { class: "rich-container", "data-tag": node.attrs.tag }), 0],
});

/** A part that a reader opens and closes. It is always open in the editor. */
const Details = simple("details", "details", "summary? block*", {
  group: "block",
  defining: true,
  renderHTML: ({ node }: { node: { attrs: { kept: Kept } } }) => [
    "div",
    shown(node.attrs.kept, { class: "rich-details" }),
    0,
  ],
});
const Summary = simple("summary", "summary", "inline*", {
  defining: true,
  renderHTML: ({ node }: { node: { attrs: { kept: Kept } } }) => [
    "p",
    shown(node.attrs.kept, { class: "rich-summary" }),
    0,
  ],
});

const Table = Node.create({
  name: "table",
  group: "block",
  content: "tableRow+",
  isolating: true,
  addAttributes: () => ({
    kept,
    /** The HTML of caption and column groups. */
    before: held("", ({ children }) =>
      [...children]
        .flatMap((each) => (/^(?:caption|colgroup)$/.test(each.localName) ? [realHtml(each.outerHTML)] : []))
        .join(""),
    ),
  }),
  parseHTML: () => [{ tag: "table" }, { tag: "caption,colgroup", ignore: true }],
  renderHTML: ({ node }) => ["table", shown(node.attrs.kept), ["tbody", 0]],
});

const TableRow = Node.create({
  name: "tableRow",
  content: "(tableCell | tableHeader)+",
  addAttributes: () => ({
    kept,
    section: held("tbody", ({ parentElement }) => parentElement?.localName ?? "tbody"),
    /** The number of the section in its table: a table may have several bodies. */
    group: held(null, ({ parentElement }) =>
      parentElement ? [...(parentElement.parentElement?.children ?? [])].indexOf(parentElement) : null,
    ),
    sectionKept: held(null, ({ parentElement }) => (parentElement ? keptOf(parentElement) : null)),
  }),
  parseHTML: () => [{ tag: "tr" }],
  renderHTML: ({ node }) => ["tr", shown(node.attrs.kept), 0],
});

const Cell = (name: string, tag: string) =>
  Node.create({
    name,
    content: "block+",
    isolating: true,
    addAttributes: () => ({
      kept,
      colspan: held(1, (cell) => spanOf(cell.getAttribute("colspan"))),
      rowspan: held(1, (cell) => spanOf(cell.getAttribute("rowspan"))),
      colwidth: held(null),
    }),
    parseHTML: () => [{ tag }],
    renderHTML: ({ node: { attrs } }) => {
      const spans = { colspan: String(attrs.colspan), rowspan: String(attrs.rowspan) };
      return [tag, shown(attrs.kept, spans), 0];
    },
  });

/** Tells the commands of tables which nodes are tables, rows and cells. */
const TableRoles = Extension.create({
  name: "tableRoles",
  extendNodeSchema: ({ name }) => {
    const roles: Readonly<Record<string, string>> = {
      table: "table",
      tableRow: "row",
      tableCell: "cell",
      tableHeader: "header_cell",
    };
    return Object.hasOwn(roles, name) ? { tableRole: roles[name] } : {};
  },
});

const Rule = Node.create({
  name: "horizontalRule",
  group: "block",
  addAttributes: () => ({ kept }),
  parseHTML: () => [{ tag: "hr" }],
  renderHTML: ({ node }) => ["hr", shown(node.attrs.kept)],
});

const inlineAtom = { group: "inline", inline: true, atom: true } as const;

const HardBreak = Node.create({
  name: "hardBreak",
  ...inlineAtom,
  selectable: false,
  linebreakReplacement: true,
  addAttributes: () => ({ kept }),
  parseHTML: () => [{ tag: "br" }],
  renderHTML: () => ["br"],
  renderText: () => "\n",
});

const Image = Node.create({
  name: "image",
  ...inlineAtom,
  draggable: true,
  addAttributes: () => ({ kept }),
  parseHTML: () => [{ tag: "img" }],
  renderHTML: ({ node }) => ["img", shown(node.attrs.kept, shownPicture(node.attrs.kept))],
});

function shownPicture(kept: Kept): Record<string, string> {
  const { src = "", alt = "", width, height } = kept ?? {};
  return {
    ...(isSafeAddress(src) && { src }),
    alt,
    ...(width !== undefined && { width }),
    ...(height !== undefined && { height }),
  };
}

/** A box to tick, at the beginning of an item of a task list. */
const Checkbox = Node.create<{ readonly label: string }>({
  name: "checkbox",
  addOptions: () => ({ label: "" }),
  ...inlineAtom,
  selectable: false,
  addAttributes: () => ({ kept }),
  parseHTML: () => [{ tag: "input" }],
  renderHTML({ node }) {
    const isTicked = node.attrs.kept?.checked !== undefined;
    return ["input", { type: "checkbox", "aria-label": this.options.label, ...(isTicked && { checked: "" }) }];
  },
});

/** What is said of HTML that is kept whole: its element, and where it comes from. */
function labelOf(html: string): string {
  const [, tag = ""] = /^<([\w-]+)/.exec(html) ?? [];
  const [, host = ""] = /\bsrc="https?:\/\/([^/"]+)/.exec(html) ?? [];
  return host === "" ? `<${tag}>` : `<${tag}> ${host}`;
}

/** HTML that is kept whole. A picture in it, such as that of a drawing, is drawn in its place. */
function drawnWhole(html: string, tag: string) {
  const src = inertDocument(html).querySelector("img")?.getAttribute("src") ?? undefined;
  const attributes = { class: "rich-kept", title: labelOf(html) };
  return src !== undefined && isSafeAddress(src)
    ? ([tag, attributes, ["img", { src, alt: "" }]] as const)
    : ([tag, attributes, labelOf(html)] as const);
}

const heldHtml = held("", (element) => element.getAttribute("html"));

const KeptInline = Node.create({
  name: "keptInline",
  ...inlineAtom,
  addAttributes: () => ({ html: heldHtml }),
  parseHTML: () => [{ tag: KEPT_INLINE }],
  renderHTML: ({ node }) => drawnWhole(node.attrs.html, "span"),
});

const KeptBlock = Node.create({
  name: "keptBlock",
  group: "block",
  atom: true,
  addAttributes: () => ({ html: heldHtml }),
  parseHTML: () => [{ tag: KEPT_BLOCK }],
  renderHTML: ({ node }) => drawnWhole(node.attrs.html, "div"),
});

/** How many of the elements around this one are equal to it. */
function depthOf(element: Element): number {
  let depth = 0;
  for (let at = element.parentElement; at; at = at.parentElement) depth += isEqual(at, element) ? 1 : 0;
  return depth;
}

/** 1 where an equal element ends directly before this one, which itself has 0; marks of the same value would become one. */
function turnOf(element: Element): number {
  let turn = 0;
  for (let at = element.previousSibling; at instanceof Element && isEqual(at, element); at = at.previousSibling)
    turn ^= 1;
  return turn;
}

function isEqual(a: Element, b: Element): boolean {
  return a.localName === b.localName && a.cloneNode(false).isEqualNode(b.cloneNode(false));
}

/** An inline element. */
export const Inline = Mark.create({
  name: "el",
  excludes: "",
  addAttributes: () => ({
    kept,
    tag: held("span", ({ localName }) => localName),
    /** Distinguishes equal elements within and beside each other. */
    copy: held(0, (element) => depthOf(element) * 2 + turnOf(element)),
  }),
  // What no other rule takes; the sections of a table are held by its rows.
  parseHTML: () => [{ tag: ":not(thead,tbody,tfoot)", priority: 1 }],
  renderHTML: ({ mark: { attrs } }) => {
    const { href } = (attrs.kept ?? {}) as Record<string, string>;
    const link = attrs.tag === "a" && href !== undefined && isSafeAddress(href) ? { href } : {};
    return [drawnTag(attrs.tag), shown(attrs.kept, link), 0];
  },
});

/** The nodes and the mark of the editor. */
const SCHEMA = [
  ...[Doc, Text, Paragraph, Heading, simple("blockquote", "blockquote", "block+", { group: "block", defining: true })],
  ...[
    CodeBlock,
    List("bulletList", "ul"),
    List("orderedList", "ol"),
    simple("listItem", "li", "block+", { defining: true }),
  ],
  ...[Container, Details, Summary, Table, TableRow, Cell("tableCell", "td"), Cell("tableHeader", "th"), TableRoles],
  ...[Rule, HardBreak, Image, Checkbox, KeptInline, KeptBlock, Inline],
];

/** The nodes and the mark with the texts that they draw. */
export function schemaWith(texts: Texts) {
  return SCHEMA.map((each) => (each.name === "checkbox" ? each.configure({ label: texts.taskBox ?? "" }) : each));
}

/** The schema of pages, by which content is read before the editor opens. */
export const PAGES = getSchema(SCHEMA);
