import type { Access, ImportFiles, Owned } from "lectern/contracts";
import type { Viewer } from "lectern/core";
import { type ArchiveNode, walkNodes } from "./archive_model.ts";

/** Messages for all permissions that a run requires and the viewer lacks (platform 8.6, step 4). */
export async function missingPermissions(
  access: Access,
  stores: readonly ImportFiles[],
  viewer: Viewer,
  top: ArchiveNode,
  parent: Owned | undefined,
): Promise<string[]> {
  const kinds = new Set([...walkNodes(top)].map(({ kind }) => kind));
  const missing: string[] = [];
  const check = async (kind: string, text: string, message: readonly string[], item?: Owned) => {
    if (!kinds.has(kind)) return;
    for (const permission of message) if (await access.may(viewer, permission, item)) return;
    missing.push(text);
  };
  const message = (what: string) => `You are lacking the required permissions to create ${what}.`;
  const within = (kind: string) => (parent ? [`${kind}-create`] : [`${kind}-create-all`]);
  await check("book", message("books"), ["book-create-all"]);
  await check("chapter", message("chapters"), within("chapter"), parent);
  await check("page", message("pages"), parent ? ["page-create"] : ["page-create-all", "page-create-own"], parent);
  for (const { object, permission, list } of stores) {
    if (permission === undefined) continue;
    // The original's message differs by one letter.
    const text = object === "attachment" ? message(list).replace("permissions", "permission") : message(list);
    await check(object, text, [permission]);
  }
  return missing;
}
