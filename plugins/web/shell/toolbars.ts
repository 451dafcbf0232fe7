import type { Toolbar, ToolbarEntry, ToolbarName, Visit } from "lectern/contracts";
import type { Places } from "lectern/core";
import { isAdmitted } from "./access.ts";
import { inOrder, type ScreenPlaces } from "./places.ts";

/** What plugins added to a toolbar, as the viewer sees it. Throws for a place that was not declared. */
export async function toolbarAt<P extends ToolbarName>(
  { places, entries }: { readonly places: ScreenPlaces; readonly entries: readonly ToolbarEntry[] },
  at: P,
  data: Places[P],
  visit: Visit,
): Promise<Toolbar> {
  const { ui } = visit;
  const own = entries.filter((entry) => entry.at === at && isAdmitted(entry.admits ?? "anyone", ui));
  const items = inOrder(own).flatMap((entry) => {
    // The data is that of the entry's place, which the compiler does not derive from the comparison.
    const path = entry.path(data as never, ui);
    if (path === undefined) return [];
    const { icon, kind = "link", isInMenu = false } = entry;
    return [{ text: ui.t(entry.text), icon, path, kind, isInMenu }];
  });
  return { items, markup: await places.draw(at, data, visit) };
}
