import type { ExportEntry } from "lectern/contracts";
import type { AnyDescribedItem, ItemContext, ItemKind } from "./contract.ts";

/** What exports say of a described item (content-api 15). */
export function exportEntry(
  { contracts: { markup } }: Pick<ItemContext, "contracts">,
  { kind }: Pick<ItemKind, "kind">,
  { id, name, slug, tags, description, description_html }: AnyDescribedItem,
  own: Pick<ExportEntry, "url" | "priority" | "parents">,
): ExportEntry {
  return {
    ...{ kind, id, name, slug, tags, description },
    description_html: markup.describeHtml(description_html, description),
    ...own,
  };
}
