import type { DrawnFor, Toolbar, ToolbarEntry, ToolbarName, Visit } from "lectern/contracts";
import { callContributionNow, type Places } from "lectern/core";
import { textOf } from "./added_parts.ts";
import type { ScreenPlaces } from "./places.ts";
import { currentRecording } from "./recording.ts";
import type { ScreenParts } from "./screen_parts.ts";

/** What plugins added to a toolbar, as the viewer sees it. Throws for a place that was not declared. */
export async function toolbarAt<P extends ToolbarName>(
  { places, parts }: { readonly places: ScreenPlaces; readonly parts: ScreenParts },
  at: P,
  data: Places[P],
  visit: Visit | DrawnFor,
): Promise<Toolbar> {
  const { ui } = visit;
  const itemOf = (entry: ToolbarEntry) => {
    // The data is that of the entry's place, which the compiler does not derive from the name.
    const path = entry.path(data as never, ui);
    if (path === undefined) return [];
    const { kind = "link", isInMenu = false } = entry;
    const text = ui.t(textOf(entry.text, "text"));
    return [{ text, icon: textOf(entry.icon, "icon"), path: textOf(path, "path"), kind, isInMenu }];
  };
  const recording = currentRecording();
  const items = parts.entries(at, ui).flatMap((entry) => {
    // An item is data, for which no mark can stand.
    if (recording && !recording.covers(entry, data)) recording.isKept = false;
    return callContributionNow(entry, itemOf, at) ?? [];
  });
  return { items, markup: await places.draw(at, data, visit) };
}
