/**
 * Who may do what, decided one item at a time by walking up the tree: platform 2.3 word by word, slow and plain. The runtime
 * stores the outcome instead; tests compare the two. Nothing here is imported from the runtime.
 */

/** An entry as it is kept; `role_id` 0 is the fallback. */
export interface PlainEntry {
  readonly kind: string;
  readonly item_id: number;
  readonly role_id: number;
  readonly view: boolean;
  readonly create: boolean;
  readonly update: boolean;
  readonly delete: boolean;
}

/** An item of content. */
export interface PlainItem {
  readonly kind: "page" | "chapter" | "book" | "bookshelf";
  readonly id: number;
  readonly owned_by: number | null;
  readonly book_id?: number;
  readonly chapter_id?: number | null;
  readonly draft?: boolean;
  readonly deleted?: boolean;
}

/** Who asks. */
export interface PlainViewer {
  readonly id: number;
  readonly roles: readonly number[];
  readonly permissions: ReadonlySet<string>;
  readonly admin: boolean;
  /** The permissions that the credential is limited to, if it is. */
  readonly only?: ReadonlySet<string>;
}

type Verb = "view" | "create" | "update" | "delete";

/** Decides "page-update" and the like; `name` is the permission without `-all` or `-own`. */
export function evaluate(viewer: PlainViewer, name: string, item: PlainItem, entries: readonly PlainEntry[]): boolean {
  // 2. and 3.
  const action = name.split("-")[1] as Verb;
  const isOwn = item.owned_by !== null && item.owned_by === viewer.id;
  const all = viewer.permissions.has(`${name}-all`);
  const own = viewer.permissions.has(`${name}-own`);
  const roleAllows = all || (own && isOwn);
  if (viewer.only && !viewer.only.has(`${name}-all`) && !(isOwn && viewer.only.has(`${name}-own`))) return false;
  // 5.
  if (viewer.admin) return true;
  // 6.
  const chain: { kind: string; id: number }[] = [{ kind: item.kind, id: item.id }];
  if (item.kind === "page" && item.chapter_id) chain.push({ kind: "chapter", id: item.chapter_id });
  if ((item.kind === "page" || item.kind === "chapter") && item.book_id) chain.push({ kind: "book", id: item.book_id });
  // 7.
  const kept = new Map<number, boolean>();
  for (const level of chain) {
    const here = entries.filter((entry) => entry.kind === level.kind && entry.item_id === level.id);
    for (const entry of here) {
      if (entry.role_id !== 0 && !viewer.roles.includes(entry.role_id)) continue;
      if (!kept.has(entry.role_id)) kept.set(entry.role_id, entry[action]);
    }
    if (here.some((entry) => entry.role_id === 0)) break;
  }
  // 8.
  const ofRoles = [...kept].filter(([role]) => role !== 0).map(([, allows]) => allows);
  if (ofRoles.length > 0) return ofRoles.includes(true);
  // 9.
  const fallback = kept.get(0);
  if (fallback !== undefined) return fallback;
  // 10.
  return roleAllows;
}

/** Whether a viewer sees an item: drafts are their owner's alone, on top of everything else. */
export function isSeen(viewer: PlainViewer, item: PlainItem, entries: readonly PlainEntry[]): boolean {
  if (item.deleted || (item.draft && item.owned_by !== viewer.id)) return false;
  return evaluate(viewer, `${item.kind}-view`, item, entries);
}
