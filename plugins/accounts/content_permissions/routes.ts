/**
 * The routes of content permissions (platform 3): reading and changing those of an item, copying those of a shelf to its books, and the
 * roles that items can have permissions for. A viewer needs restrictions-manage for the item.
 */
import type { ContentKind } from "lectern/contracts";
import { denied, endpoint, hasPermission, idOf, notFound, rules, sql, type Viewer } from "lectern/core";
import { type Executor, prepared, rows } from "lectern/db";
import { copyToBooks } from "./books_of_shelf.ts";
import { changePermissions } from "./changes.ts";
import {
  type ContentPermissionsContext,
  contentPermissionsSchema,
  copiedPermissionsSchema,
  grantableRolesSchema,
  type Item,
  updateRules,
} from "./contract.ts";
import { about, examples } from "./docs.ts";
import { draftOf, withoutNulls } from "./input.ts";
import { itemColumn, itemColumns, readPermissions } from "./queries.ts";

const PATH = "/content-permissions/:contentType/:contentId";

/** Those that overrides can name: administrators are beyond them. */
const readRoles = prepared("content_permissions.readRoles", (db) =>
  db
    .selectFrom("roles")
    .select(["id", "display_name"])
    .where("system_name", "<>", sql.lit("admin"))
    .orderBy("display_name_key")
    .orderBy("id"),
);

const readRoleIds = prepared("content_permissions.readRoleIds", (db) => db.selectFrom("roles").select("id"));

/** Mounts the routes. Checks come in this order: content type, item, permission, body (platform 3). */
export function mountPermissions(context: ContentPermissionsContext): void {
  const { app, contracts, db, perform, slot, validate, visible } = context;
  const { access, users } = contracts;
  const manageableItem = async (
    viewer: Viewer,
    type: string,
    id: string,
  ): Promise<{ kind: ContentKind; item: Item }> => {
    const kind = slot("content").find((known) => known.kind === type);
    if (!kind) throw notFound("Content type");
    // A template, since no grant names the tables of content.
    const table = sql.table(kind.table);
    const [item] = await rows<Omit<Item, "kind">>(
      db,
      sql`select ${itemColumns(kind.table)} from ${table}
      where ${itemColumn(kind.table, "id")} = ${idOf(id, "Item")}::integer and ${visible.where(kind.table, viewer)}`,
    );
    if (!item) throw notFound("Item");
    await access.need(viewer, "restrictions-manage", item);
    return { kind, item: { ...item, kind: kind.kind } };
  };
  const present = (item: Item) => readPermissions(db, item, users.ref(sql`${item.owned_by}::integer`));

  app.get(
    "/content-permissions/roles",
    async ({ viewer }) => {
      if (!hasPermission(viewer, "restrictions-manage-all") && !hasPermission(viewer, "restrictions-manage-own"))
        throw denied();
      const data = await readRoles.execute(db, {});
      return { data, total: data.length };
    },
    {
      permit: "access-api",
      response: grantableRolesSchema,
      ...endpoint("content-permissions", "roles", { about: about.roles }),
    },
  );

  app.get(
    PATH,
    async ({ viewer, params }) => present((await manageableItem(viewer, params.contentType, params.contentId)).item),
    {
      permit: "access-api",
      response: contentPermissionsSchema,
      ...endpoint("content-permissions", "read", { about: about.read, example: examples.read }),
    },
  );

  app.put(
    PATH,
    async ({ viewer, params, input }) => {
      const { kind, item } = await manageableItem(viewer, params.contentType, params.contentId);
      const draft = draftOf(await validate(updateRules, withoutNulls(input), viewer, { exists: roleLookup(db) }));
      const changed = await perform("permissions_update", viewer, { item, draft }, (final, tx) =>
        changePermissions(slot("content"), { ...final, kind }, tx),
      );
      return present(changed);
    },
    {
      permit: "access-api",
      response: contentPermissionsSchema,
      ...endpoint("content-permissions", "update", {
        about: about.update,
        rules: updateRules,
        example: examples.update,
      }),
    },
  );
  mountCopy(context, manageableItem);
}

/** Mounts the route that copies the overrides of a shelf to its books. */
function mountCopy(
  { app, contracts, perform, slot, visible }: ContentPermissionsContext,
  manageableItem: (viewer: Viewer, type: string, id: string) => Promise<{ item: Item }>,
): void {
  app.post(
    "/content-permissions/bookshelf/:contentId/copy-to-books",
    async ({ viewer, params }) => {
      const { item } = await manageableItem(viewer, "bookshelf", params.contentId);
      const kinds = slot("content");
      const kind = kinds.find((known) => known.kind === "book");
      if (!kind) return { copied: 0, skipped: 0 };
      const books = { kinds, access: contracts.access, visible: visible.where("books", viewer) };
      return perform("permissions_copy", viewer, item, (shelf, tx) => copyToBooks(books, { shelf, kind }, tx));
    },
    {
      permit: "access-api",
      response: copiedPermissionsSchema,
      ...endpoint("content-permissions", "copy-to-books", {
        about: about.copyToBooks,
        rules: rules({}),
        example: examples.copyToBooks,
        takes: "long",
      }),
    },
  );
}

/** A lookup of whether a role exists; it queries the store once for all entries of a body. */
function roleLookup(db: Executor) {
  let known: Promise<Set<number>> | undefined;
  return async (_args: readonly string[], value: unknown): Promise<boolean> => {
    known ??= readRoleIds.execute(db, {}).then((roles) => new Set(roles.map(({ id }) => id)));
    return (await known).has(Number(value));
  };
}
