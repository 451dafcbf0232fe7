import { attribute, elements, parse } from "./dom.ts";
import type { JobItem } from "./job.ts";
import type { DocumentContext } from "./layout.ts";

/** Resolves links within a document: to items by their addresses, and to elements by their ids. */
export class Links {
  readonly #items: ReadonlyMap<string, JobItem>;
  /** Labels by item and id, of ids that exist and that a link names. */
  readonly #anchors = new Map<string, string>();

  /** Collects ids and links from the HTML of all items. */
  static async of(items: readonly JobItem[], htmlOf: (item: JobItem) => Promise<string>): Promise<Links> {
    const links = new Links(items);
    const ids = new Set<string>();
    const linked = new Set<string>();
    for (const item of items)
      for (const element of elements(parse(await htmlOf(item)))) {
        const id = attribute(element, "id") || (element.tagName === "a" ? attribute(element, "name") : "");
        if (id !== "") ids.add(keyOf(item, id));
        const target = element.tagName === "a" ? links.#target(attribute(element, "href").trim(), item) : undefined;
        if (target?.id) linked.add(keyOf(target.item, target.id));
      }
    for (const key of linked) if (ids.has(key)) links.#anchors.set(key, `a-${links.#anchors.size}`);
    return links;
  }

  constructor(items: readonly JobItem[]) {
    this.#items = new Map(items.map((item) => [item.url, item]));
  }

  /** The labels for rendering one item. Each anchor is returned once, since Typst rejects duplicate labels and ids may be duplicate. */
  for(item: JobItem): Pick<DocumentContext, "label" | "anchor"> {
    const used = new Set<string>();
    return {
      label: (address) => {
        const target = this.#target(address, item);
        if (!target) return undefined;
        const anchor = target.id === "" ? undefined : this.#anchors.get(keyOf(target.item, target.id));
        return anchor ?? (address.startsWith("#") ? undefined : target.item.label);
      },
      anchor: (id) => {
        const label = id === "" || used.has(id) ? undefined : this.#anchors.get(keyOf(item, id));
        if (label !== undefined) used.add(id);
        return label;
      },
    };
  }

  #target(address: string, from: JobItem): { item: JobItem; id: string } | undefined {
    const [path = "", id = ""] = address.split("#");
    const item = path === "" ? from : this.#items.get(path.split("?")[0] ?? "");
    return item && address !== "" ? { item, id: decoded(id) } : undefined;
  }
}

function keyOf({ label }: JobItem, id: string): string {
  return `${label} ${decoded(id)}`;
}

/** Ids are stored percent-encoded; links may or may not be. */
function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
