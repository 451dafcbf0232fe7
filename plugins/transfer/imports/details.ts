import type { ArchiveNode } from "./archive_model.ts";

/** What a read shows of an archive: its objects without their content (platform 8.5). */
export function detailsOf({ kind, id, name, priority, texts, lists }: ArchiveNode): Record<string, unknown> {
  if (kind === "tag") return { name };
  return {
    ...(id !== undefined && { id }),
    name,
    ...(priority !== undefined && { priority }),
    ...(kind === "image" && { file: texts.file, type: texts.type }),
    ...Object.fromEntries(Object.entries(lists).map(([key, nodes]) => [key, nodes.map(detailsOf)])),
  };
}
