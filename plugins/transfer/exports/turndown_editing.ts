/**
 * Rules of Turndown by which an editor writes Markdown, so that what people write comes back as they wrote it: simple tables, struck-out text and the
 * end of code blocks. Exports keep the dialect of content-api 15.6. A table is simple where it has a header of one row, the same
 * number of cells in each row, and in them text alone; others stay HTML.
 */
import type TurndownService from "turndown";

type Rule = TurndownService.Rule;
type TurndownNode = Parameters<NonNullable<Rule["replacement"]>>[1];

/** The members of a DOM element that the rules use. */
interface Element {
  readonly nodeName: string;
  readonly parentNode: Element | null;
  readonly children: ArrayLike<Element>;
  readonly attributes: ArrayLike<{ readonly name: string; readonly value: string }>;
  getElementsByTagName(name: string): ArrayLike<Element>;
}

/** Elements that a cell of Markdown can hold. */
const IN_CELLS = new Set(
  "A ABBR B BDI BDO BR CITE CODE DEL EM I IMG INS KBD MARK Q S SAMP SMALL SPAN STRONG SUB SUP TIME U VAR".split(" "),
);
const ALIGNED: Readonly<Record<string, string>> = { left: ":---", right: "---:", center: ":---:", "": "---" };

/** Text in which what would be read as HTML is escaped, and other signs are left alone. */
export function escapedForEditing(text: string): string {
  return text.replace(/&(?=#?\w{1,40};)/g, "&amp;").replace(/<(?=[a-z/!?])/gi, "&lt;");
}

/** The rules of everything but tables, by name. */
export const EDITING_RULES: Readonly<Record<string, Rule>> = {
  struck: {
    filter: (node) => node.nodeName === "S" && hasOnly(asElement(node)),
    replacement: (content) => (content.trim() === "" ? content : `~~${content}~~`),
  },
  box: {
    filter: (node) => node.nodeName === "INPUT" && asElement(node).parentNode?.nodeName === "LI",
    replacement: (_content, node) =>
      Array.from(asElement(node).attributes).some(({ name }) => name === "checked") ? "[x]" : "[ ]",
  },
};

/** The rules by name, and what becomes of elements without content. */
export function tableRules(): {
  readonly rules: Readonly<Record<string, Rule>>;
  readonly blankReplacement: (content: string, node: TurndownNode) => string;
} {
  const judged = new WeakMap<Element, boolean>();
  const isInSimple = (node: TurndownNode | object): boolean => {
    let at: Element | null = asElement(node);
    while (at !== null && at.nodeName !== "TABLE") at = at.parentNode;
    if (at === null) return false;
    const known = judged.get(at) ?? isSimple(at);
    judged.set(at, known);
    return known;
  };
  const row = (content: string, node: TurndownNode | object) => {
    const element = asElement(node);
    const cells = Array.from(element.children);
    const line = `|${content}\n`;
    if (element.parentNode?.nodeName !== "THEAD") return line;
    return `${line}|${cells.map((cell) => ` ${ALIGNED[alignmentOf(cell)] ?? "---"} |`).join("")}\n`;
  };
  return {
    rules: {
      cell: {
        filter: (node) => /^T[HD]$/.test(node.nodeName) && isInSimple(node),
        replacement: (content) =>
          ` ${content
            .trim()
            .replace(/ {2}\n/g, "<br>")
            .replace(/\n+/g, " ")
            .replaceAll("|", "\\|")} |`,
      },
      row: { filter: (node) => node.nodeName === "TR" && isInSimple(node), replacement: row },
      section: {
        filter: (node) => /^T(?:HEAD|BODY)$/.test(node.nodeName) && isInSimple(node),
        replacement: (content) => content,
      },
      table: {
        filter: (node) => node.nodeName === "TABLE" && isInSimple(node),
        replacement: (content) => `\n\n${content.trim()}\n\n`,
      },
    },
    blankReplacement(_content, node) {
      if (node.nodeName === "TR" && isInSimple(node)) return row("  |".repeat(asElement(node).children.length), node);
      return /^(?:P|DIV|H[1-6]|LI|UL|OL|BLOCKQUOTE|SECTION|ARTICLE)$/.test(node.nodeName) ? "\n\n" : "";
    },
  };
}

function isSimple(table: Element): boolean {
  const sections = Array.from(table.children);
  const rows = Array.from(table.getElementsByTagName("TR"));
  const count = rows[0]?.children.length ?? 0;
  return (
    hasOnly(table, "id") &&
    sections[0]?.nodeName === "THEAD" &&
    sections[0].children.length === 1 &&
    sections.length <= 2 &&
    sections.slice(1).every((each) => each.nodeName === "TBODY") &&
    sections.every((each) => hasOnly(each)) &&
    count > 0 &&
    rows.every((row, index) => {
      const name = index === 0 ? "TH" : "TD";
      const cells = Array.from(row.children);
      return (
        hasOnly(row) && cells.length === count && cells.every((cell) => cell.nodeName === name && isSimpleCell(cell))
      );
    })
  );
}

function isSimpleCell(cell: Element): boolean {
  const isPlain = Array.from(cell.attributes).every(
    ({ name, value }) => name === "align" && Object.hasOwn(ALIGNED, value),
  );
  return isPlain && Array.from(cell.getElementsByTagName("*")).every(({ nodeName }) => IN_CELLS.has(nodeName));
}

function hasOnly(element: Element, ...names: readonly string[]): boolean {
  return Array.from(element.attributes).every(({ name }) => names.includes(name));
}

function alignmentOf(cell: Element): string {
  return Array.from(cell.attributes).find(({ name }) => name === "align")?.value ?? "";
}

/** Turndown types its nodes as the browser's; see `turndown.ts`. */
function asElement(node: TurndownNode | object): Element {
  return node as Element;
}
