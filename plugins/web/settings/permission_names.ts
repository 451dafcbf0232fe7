/** The names of permissions in words, for those who give them. A name that is not known here is shown as it is. */

/** A kind of item in the grid of permissions. */
export interface GridRow {
  readonly kind: string;
  readonly text: string;
  /** Hanging on pages, they are seen by whoever sees the page. */
  readonly isSeenWithPage: boolean;
}

/** Rows of the grid. */
export const GRID_ROWS: readonly GridRow[] = [
  { kind: "bookshelf", text: "Shelves", isSeenWithPage: false },
  { kind: "book", text: "Books", isSeenWithPage: false },
  { kind: "chapter", text: "Chapters", isSeenWithPage: false },
  { kind: "page", text: "Pages", isSeenWithPage: false },
  { kind: "image", text: "Images", isSeenWithPage: true },
  { kind: "attachment", text: "Attachments", isSeenWithPage: true },
  { kind: "comment", text: "Comments", isSeenWithPage: true },
];

/** Columns of the grid. */
export const GRID_COLUMNS = [
  { action: "view", text: "View" },
  { action: "create", text: "Create" },
  { action: "update", text: "Change" },
  { action: "delete", text: "Delete" },
] as const;

/** Permissions that are not about one kind of item, with what they mean. */
export const SYSTEM_PERMISSIONS: readonly { readonly name: string; readonly text: string; readonly about: string }[] = [
  {
    name: "settings-manage",
    text: "Manage settings",
    about: "Integrations, webhooks, hosts, maintenance; with further rights the audit log and the recycle bin.",
  },
  {
    name: "users-manage",
    text: "Manage users",
    about: "Make, change and delete users, their passwords and tokens. Whoever may do this can become anybody.",
  },
  {
    name: "user-roles-manage",
    text: "Manage roles",
    about: "Make and change roles and what they permit. Whoever may do this can give themselves every right.",
  },
  {
    name: "restrictions-manage-all",
    text: "Manage permissions of all items",
    about: "Say for any book, shelf, chapter or page which roles may do what there.",
  },
  {
    name: "restrictions-manage-own",
    text: "Manage permissions of own items",
    about: "The same for what they own themselves.",
  },
  { name: "templates-manage", text: "Manage templates", about: "Mark pages as templates of new ones." },
  { name: "access-api", text: "Use the API", about: "Make API tokens and use them, within the other rights." },
  { name: "content-export", text: "Export", about: "Take pages, chapters and books away as files." },
  { name: "content-import", text: "Import", about: "Bring content in from portable archives." },
  { name: "editor-change", text: "Change the editor", about: "Choose with which editor a page is written." },
  { name: "revision-view-all", text: "See revisions", about: "See what the pages they see were before." },
  {
    name: "receive-notifications",
    text: "Be notified",
    about: "Kept for clients that know it; this instance sends no such letters by itself.",
  },
];

/** What the administrator's role cannot lose. */
export const ADMIN_KEEPS: ReadonlySet<string> = new Set([
  "users-manage",
  "user-roles-manage",
  "restrictions-manage-all",
  "restrictions-manage-own",
  "settings-manage",
]);

/** The names of a cell of the grid. */
export function cellNames(kind: string, action: string): { readonly all: string; readonly own: string } {
  return { all: `${kind}-${action}-all`, own: `${kind}-${action}-own` };
}

/** Names that stand neither in the grid nor among those of the system, such as those that plugins add. */
export function furtherNames(names: Iterable<string>): string[] {
  const known = new Set([
    ...SYSTEM_PERMISSIONS.map(({ name }) => name),
    ...GRID_ROWS.flatMap(({ kind }) => GRID_COLUMNS.flatMap(({ action }) => Object.values(cellNames(kind, action)))),
  ]);
  return [...new Set(names)].filter((name) => !known.has(name)).sort();
}
