import type { ArchiveNode } from "./archive_model.ts";
import type { ImportRow } from "./contract.ts";

/** The folder of archives as answers show it; clients expect it below the folder of the application. */
const FOLDER = "uploads/files/imports/";

/** An import as answers show it. */
export function present({ file_key, id, name, size, type, created_by, created_at, updated_at }: ImportRow) {
  return { id, name, size, type, path: FOLDER + file_key, created_by, created_at, updated_at };
}

/** The details of a read: the objects of an archive without their content (platform 8.5). */
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
