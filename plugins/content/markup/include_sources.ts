import type { LoadPages } from "lectern/contracts";
import { escapeText } from "./serialize.ts";
import { attributeOf, type Child, childrenOf, type Element, isElement, isText, type Parent, parse } from "./tree.ts";

const MAX_PAGE_ID = 2_147_483_647;
const BLOCKS = new Set(["table", "ul", "ol", "pre"]);
const NOTHING: IncludePart = { block: false, nodes: [], bytes: 0 };

/** The part of a page that an include tag names. The nodes belong to that page and have to be copied. */
export interface IncludePart {
  readonly block: boolean;
  readonly nodes: readonly Child[];
  /** Size of the HTML. */
  readonly bytes: number;
}

interface Section {
  readonly element: Element;
  bytes: number;
}

interface Source {
  readonly root: Parent;
  readonly bytes: number;
  /** Sections by id; indexed when the first tag names one. */
  sections?: ReadonlyMap<string, Section>;
}

/** Whether a number is a possible id of a page. */
export function isPageId(id: number): boolean {
  return id > 0 && id <= MAX_PAGE_ID;
}

/** The pages that one rendering includes. Each is loaded and parsed once; pages beyond `maxBytes` in all are not parsed. */
export class IncludeSources {
  readonly #load: LoadPages;
  /** "large" for a page beyond the budget; undefined for a page that is empty, missing or not visible to the reader. */
  readonly #pages = new Map<number, Source | "large" | undefined>();
  #bytesLeft: number;

  constructor(load: LoadPages, maxBytes: number) {
    this.#load = load;
    this.#bytesLeft = maxBytes;
  }

  /** Loads the pages that are not loaded yet. */
  async load(pageIds: readonly number[]): Promise<void> {
    const wanted = [...new Set(pageIds)].filter((id) => isPageId(id) && !this.#pages.has(id));
    if (wanted.length === 0) return;
    const loaded = await this.#load(wanted, this.#bytesLeft);
    for (const id of wanted) this.#pages.set(id, this.#sourceOf(loaded.get(id)));
  }

  /** Whether the reader may see a page. */
  has(pageId: number): boolean {
    return this.#pages.get(pageId) !== undefined;
  }

  /** A page, or one of its sections if `name` is not ""; "large" for a page beyond the budget. */
  part(pageId: number, name: string): IncludePart | "large" {
    const page = this.#pages.get(pageId);
    if (page === undefined || page === "large") return page ?? NOTHING;
    if (name === "") return { block: true, nodes: childrenOf(page.root), bytes: page.bytes };
    page.sections ??= sectionsOf(page.root);
    const section = page.sections.get(name);
    if (!section) return NOTHING;
    const { element, bytes } = section;
    const block = BLOCKS.has(element.tagName);
    return { block, nodes: block ? [element] : childrenOf(element), bytes };
  }

  #sourceOf(html: string | null | undefined): Source | "large" | undefined {
    if (html === undefined || html === "") return undefined;
    const bytes = html === null ? Number.POSITIVE_INFINITY : Buffer.byteLength(html);
    if (html === null || bytes > this.#bytesLeft) return "large";
    this.#bytesLeft -= bytes;
    return { root: parse(html), bytes };
  }
}

/** The first element of each id with the size of its HTML, in one traversal. */
function sectionsOf(root: Parent): ReadonlyMap<string, Section> {
  const sections = new Map<string, Section>();
  const measure = (node: Child): number => {
    if (isText(node)) return bytesOf(node.value);
    if (!isElement(node)) return "data" in node ? bytesOf(node.data) : 0;
    const section: Section = { element: node, bytes: 2 * node.tagName.length + "<></>".length };
    const id = attributeOf(node, "id");
    if (id !== undefined && !sections.has(id)) sections.set(id, section);
    for (const { name, value } of node.attrs) section.bytes += name.length + bytesOf(value) + ' =""'.length;
    for (const child of childrenOf(node)) section.bytes += measure(child);
    return section.bytes;
  };
  for (const child of childrenOf(root)) measure(child);
  return sections;
}

function bytesOf(text: string): number {
  return Buffer.byteLength(escapeText(text));
}
