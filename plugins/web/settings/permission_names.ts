/**
 * Permissions as the form of a role shows them: the grid of content permissions, system permissions with explanations, and those
 * of plugins by section. A permission without a label is shown by its name.
 */
import { type ContentKind, kindLabels, type PermissionLabel } from "lectern/contracts";
import { BootError, closestMatch } from "lectern/core";

/** A kind of item in the grid of permissions. */
export interface GridRow {
  readonly kind: string;
  readonly text: string;
  /** Whether everyone who can view the page can view these. */
  readonly isSeenWithPage: boolean;
  /** The permissions that exist; all of the row by default. */
  readonly names?: ReadonlySet<string>;
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

/** Permissions that do not belong to a kind of item, with their descriptions. */
export const SYSTEM_PERMISSIONS: readonly { readonly name: string; readonly text: string; readonly about: string }[] = [
  {
    name: "settings-manage",
    text: "Manage settings",
    about:
      "Manage integrations, webhooks, hosts and maintenance. The audit log and the recycle bin need further permissions.",
  },
  {
    name: "users-manage",
    text: "Manage users",
    about: "Create, edit and delete users, their passwords and tokens. Users with this permission can act as any user.",
  },
  {
    name: "user-roles-manage",
    text: "Manage roles",
    about: "Create and edit roles. Users with this permission can grant themselves every permission.",
  },
  {
    name: "restrictions-manage-all",
    text: "Manage permissions of all items",
    about: "Set role permissions on any book, shelf, chapter or page.",
  },
  {
    name: "restrictions-manage-own",
    text: "Manage permissions of own items",
    about: "Set role permissions on items they own.",
  },
  { name: "templates-manage", text: "Manage templates", about: "Mark pages as templates for new pages." },
  { name: "access-api", text: "Use the API", about: "Create and use API tokens, within their other permissions." },
  { name: "content-export", text: "Export", about: "Export pages, chapters and books as files." },
  { name: "content-import", text: "Import", about: "Import content from portable archives." },
  { name: "editor-change", text: "Change the editor", about: "Choose the editor of a page." },
  { name: "revision-view-all", text: "View revisions", about: "View earlier versions of the pages they can view." },
  {
    name: "receive-notifications",
    text: "Receive notifications",
    about: "Watch items, and be told of changes, comments, replies and mentions.",
  },
];

/** Permissions that the administrator role always has. */
export const ADMIN_KEEPS: ReadonlySet<string> = new Set([
  "users-manage",
  "user-roles-manage",
  "restrictions-manage-all",
  "restrictions-manage-own",
  "settings-manage",
]);

/** The permissions of a cell of the grid. */
export function cellNames(kind: string, action: string): { readonly all: string; readonly own: string } {
  return { all: `${kind}-${action}-all`, own: `${kind}-${action}-own` };
}

/** All rows of the grid: those that ship, and kinds of plugins that add permissions with names as in the grid. */
export function gridRows(kinds: readonly ContentKind[], added: readonly string[]): GridRow[] {
  const rows = kinds
    .filter(({ kind }) => !GRID_ROWS.some((row) => row.kind === kind))
    .map(({ kind }) => ({
      kind,
      text: kindLabels(kinds, kind).many,
      isSeenWithPage: false,
      names: new Set(namesOf(kind).filter((name) => added.includes(name))),
    }));
  return [...GRID_ROWS, ...rows.filter(({ names }) => names.size > 0)];
}

function namesOf(kind: string): string[] {
  return GRID_COLUMNS.flatMap(({ action }) => Object.values(cellNames(kind, action)));
}

/** Checks that labels are of permissions that exist. Throws BootError for the first that is not. */
export function checkLabels(labels: readonly PermissionLabel[], known: readonly string[]): void {
  const wrong = labels.find(({ permission }) => !known.includes(permission));
  if (!wrong) return;
  const near = closestMatch(wrong.permission, known);
  throw new BootError(
    `Cannot label the permission "${wrong.permission}", which no plugin adds${near === undefined ? "" : `; did you mean "${near}"?`}`,
  );
}

/** A group of permissions that are neither in the grid nor system permissions, such as those of plugins. */
export interface PermissionSection {
  /** "" for those without a section. */
  readonly heading: string;
  readonly permissions: readonly (Partial<PermissionLabel> & { readonly name: string })[];
}

/** The other permissions by section; those without one come last. */
export function otherPermissions(
  names: Iterable<string>,
  rows: readonly GridRow[],
  labels: readonly PermissionLabel[],
): PermissionSection[] {
  const known = new Set([...SYSTEM_PERMISSIONS.map(({ name }) => name), ...rows.flatMap(({ kind }) => namesOf(kind))]);
  const others = [...new Set(names)].filter((name) => !known.has(name)).sort();
  const labelled = others.map((name) => ({ name, ...labels.find(({ permission }) => permission === name) }));
  return [...Map.groupBy(labelled, ({ section = "" }) => section)]
    .map(([heading, permissions]) => ({ heading, permissions }))
    .sort((a, b) => Number(a.heading === "") - Number(b.heading === ""));
}
