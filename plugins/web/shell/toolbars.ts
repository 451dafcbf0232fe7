import type { Toolbar, ToolbarEntry, ToolbarName, Visit } from "lectern/contracts";
import { callContributionNow, type Places } from "lectern/core";
import { isPermitted } from "./access.ts";
import { textOf } from "./added_parts.ts";
import { inOrder, type ScreenPlaces } from "./places.ts";

/** What plugins added to a toolbar, as the viewer sees it. Throws for a place that was not declared. */
export async function toolbarAt<P extends ToolbarName>(
  { places, entries }: { readonly places: ScreenPlaces; readonly entries: readonly ToolbarEntry[] },
  at: P,
  data: Places[P],
  visit: Visit,
): Promise<Toolbar> {
  const { ui } = visit;
  const isShown = (entry: ToolbarEntry) => isPermitted(entry.permit ?? "public", ui);
  const own = entries.filter((entry) => entry.at === at && callContributionNow(entry, isShown, at) === true);
  const itemOf = (entry: ToolbarEntry) => {
    // The data is that of the entry's place, which the compiler does not derive from the comparison.
    const path = entry.path(data as never, ui);
    if (path === undefined) return [];
    const { kind = "link", isInMenu = false } = entry;
    const text = ui.t(textOf(entry.text, "text"));
    return [{ text, icon: textOf(entry.icon, "icon"), path: textOf(path, "path"), kind, isInMenu }];
  };
  const items = inOrder(own).flatMap((entry) => callContributionNow(entry, itemOf, at) ?? []);
  return { items, markup: await places.draw(at, data, visit) };
}
