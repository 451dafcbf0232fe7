import type { Parcel } from "./model.ts";

/** What a read shows of an archive: its objects without their content (platform 8.5). */
export function detailsOf({ kind, id, name, priority, texts, lists }: Parcel): Record<string, unknown> {
  if (kind === "tag") return { name };
  return {
    ...(id !== undefined && { id }),
    name,
    ...(priority !== undefined && { priority }),
    ...(kind === "image" && { file: texts.file, type: texts.type }),
    ...Object.fromEntries(Object.entries(lists).map(([key, parcels]) => [key, parcels.map(detailsOf)])),
  };
}
