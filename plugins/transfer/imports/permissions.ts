import type { Access, ImportFiles, Owned } from "lectern/contracts";
import type { Viewer } from "lectern/core";
import { type ArchiveNode, nodesBelow } from "./archive_model.ts";

/** What a run needs, all of it asked before answering; texts of what is lacking (platform 8.6, step 4). */
export async function missingPermission(
  access: Access,
  stores: readonly ImportFiles[],
  viewer: Viewer,
  top: ArchiveNode,
  parent: Owned | undefined,
): Promise<string[]> {
  const kinds = new Set([...nodesBelow(top)].map(({ kind }) => kind));
  const lacked: string[] = [];
  const ask = async (kind: string, text: string, permissions: readonly string[], item?: Owned) => {
    if (!kinds.has(kind)) return;
    for (const permission of permissions) if (await access.may(viewer, permission, item)) return;
    lacked.push(text);
  };
  const permissions = (what: string) => `You are lacking the required permissions to create ${what}.`;
  const among = (kind: string) => (parent ? [`${kind}-create`] : [`${kind}-create-all`]);
  await ask("book", permissions("books"), ["book-create-all"]);
  await ask("chapter", permissions("chapters"), among("chapter"), parent);
  await ask("page", permissions("pages"), parent ? ["page-create"] : ["page-create-all", "page-create-own"], parent);
  for (const { object, permission, list } of stores) {
    if (permission === undefined) continue;
    // The original's words differ by one letter.
    const text = object === "attachment" ? permissions(list).replace("permissions", "permission") : permissions(list);
    await ask(object, text, [permission]);
  }
  return lacked;
}
