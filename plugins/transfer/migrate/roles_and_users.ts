/**
 * Copies roles and users. A role is matched by name; one that was never changed here and has no users gets the permissions it
 * has at the source, any other is kept and its differences are reported. A user is matched by e-mail address and not changed;
 * others are created without a password and cannot sign in until they choose one. A built-in role never matches an ordinary
 * role of the same name, which could grant administrators' permissions.
 */

import type { ExpressionBuilder } from "kysely";
import type { Json } from "lectern/cli";
import { sql } from "lectern/core";
import type { Db, Tables } from "lectern/db";
import { insertRow, updateRow, writeItem } from "./changes.ts";
import type { MigrateContext, Outcome } from "./contract.ts";
import { MATCHED } from "./state.ts";
import { idIn, listOf, textOf, timeOf } from "./values.ts";

/**
 * The roles here with their permissions. `untouched`: whether a role was never changed and has no users but the guest.
 */
function localRoles(db: Db) {
  return db
    .selectFrom("roles")
    .select(({ and, eb, exists, not, selectFrom }) => [
      "roles.id",
      "display_name",
      "system_name",
      "updated_at",
      and([
        eb("updated_at", "=", eb.ref("created_at")),
        not(
          exists(
            selectFrom("role_user")
              .innerJoin("users", "users.id", "role_user.user_id")
              .whereRef("role_user.role_id", "=", "roles.id")
              .where("users.system_name", "=", ""),
          ),
        ),
      ])
        .$castTo<boolean>()
        .as("untouched"),
      permissionsOf(eb).as("permissions"),
    ])
    .orderBy("roles.id")
    .execute();
}

type LocalRole = Awaited<ReturnType<typeof localRoles>>[number];

/** The names of a role's permissions, as JSON. */
function permissionsOf(eb: ExpressionBuilder<Tables, "roles">) {
  return eb
    .selectFrom("role_permissions")
    .select(({ fn, ref }) => sql<string[]>`coalesce(${fn.jsonAgg(ref("name")).orderBy("name")}, '[]')`.as("names"))
    .whereRef("role_id", "=", "roles.id")
    .$asScalar()
    .$notNull();
}

/** Matches roles of the source with those here, and reserves ids for the others. */
export async function matchRoles(context: MigrateContext, listed: readonly Json[]): Promise<void> {
  const existing = await localRoles(context.db);
  const requests = [];
  for (const role of listed) {
    const id = idIn(role) ?? 0;
    const match = context.state.get("role", id) ? undefined : existing.find((one) => isSameRole(one, role));
    if (match) await context.state.match("role", id, match.id, isUnmodified(match) ? match.updated_at : null);
    else requests.push({ id, slug: "", name: textOf(role.display_name), scope: 0 });
  }
  await context.state.reserve(
    "role",
    requests.filter(({ id }) => context.state.get("role", id) === undefined),
  );
}

/** Whether a role here may get the permissions it has at the source. */
function isUnmodified({ system_name, untouched }: LocalRole): boolean {
  return untouched && system_name !== "admin";
}

function isSameRole(existing: LocalRole, role: Json): boolean {
  const atSource = typeof role.system_name === "string" ? role.system_name : undefined;
  if (atSource === "admin" || atSource === "public") return existing.system_name === atSource;
  const sameName = existing.display_name.toLowerCase() === textOf(role.display_name).toLowerCase();
  return sameName && (atSource === undefined || existing.system_name === atSource);
}

/** Copies a role, given in full. */
export async function copyRole(context: MigrateContext, id: number, role: Json): Promise<Outcome> {
  const { state, report } = context;
  const name = textOf(role.display_name);
  const names = (Array.isArray(role.permissions) ? role.permissions : []).map(textOf);
  const permissions = [...new Set(names)].filter((one) => context.permissions.has(one)).sort();
  const unknown = names.filter((one) => !context.permissions.has(one));
  if (unknown.length > 0) report.add("roles", `${name}: unknown permissions ${unknown.join(", ")}`);
  const entry = state.get("role", id);
  if (entry?.hash === MATCHED) {
    await reportDifferences(context, entry.own_id, name, permissions);
    await state.markProcessed("role", id);
    return "skipped";
  }
  const columns = {
    display_name: name,
    description: role.description === null ? null : textOf(role.description),
    external_auth_id: textOf(role.external_auth_id),
    mfa_enforced: role.mfa_enforced === true,
    updated_at: timeOf(role.updated_at),
  };
  const outcome = await writeItem(context, {
    kind: "role",
    id,
    desired: { ...columns, permissions },
    async write({ existing, id: targetId }, tx) {
      const draft = { display_name: name, permissions };
      const save = async (_: unknown, inner: typeof tx) => {
        const created = { ...columns, id: targetId, created_at: timeOf(role.created_at) };
        const row = await (existing
          ? updateRow(inner, "roles", targetId, columns)
          : insertRow(inner, "roles", created));
        await inner.db.deleteFrom("role_permissions").where("role_id", "=", targetId).execute();
        const granted = permissions.map((permission) => ({ role_id: targetId, name: permission }));
        if (granted.length > 0) await inner.db.insertInto("role_permissions").values(granted).execute();
        return { ...row, users: [], permissions };
      };
      if (existing) await tx.perform("role_update", { row: { ...existing, users: [], permissions: [] }, draft }, save);
      else await tx.perform("role_create", draft, save);
    },
  });
  if (outcome === "updated") report.add("roles", `${name}: has the permissions it has at the source`);
  return outcome;
}

/** Reports the differences of a role that is not changed. */
async function reportDifferences(
  { db, report }: MigrateContext,
  targetId: number,
  name: string,
  atSource: readonly string[],
): Promise<void> {
  const existing = await db
    .selectFrom("roles")
    .select((eb) => ["system_name", permissionsOf(eb).as("names")])
    .where("roles.id", "=", targetId)
    .executeTakeFirst();
  if (!existing || existing.system_name === "admin") return;
  const more = existing.names.filter((one) => !atSource.includes(one)).sort();
  const less = atSource.filter((one) => !existing.names.includes(one));
  const parts = [
    more.length > 0 ? `only here: ${more.join(", ")}` : "",
    less.length > 0 ? `only at the source: ${less.join(", ")}` : "",
  ];
  if (more.length + less.length > 0) report.add("roles", `${name}: ${parts.filter((part) => part !== "").join("; ")}`);
}

/** Matches users of the source with those here, and reserves ids for the others. */
export async function matchUsers(context: MigrateContext, listed: readonly Json[]): Promise<void> {
  const { db, state, report } = context;
  const emails = listed.map(({ email }) => textOf(email).toLowerCase());
  const existing = await db
    .selectFrom("users")
    .select(({ fn }) => ["id", fn<string>("lower", ["email"]).as("email")])
    .where(({ fn }) => fn("lower", ["email"]), "=", sql<string>`any(${emails}::text[])`)
    .execute();
  const byEmail = new Map(existing.map(({ id, email }) => [email, id]));
  const requests = [];
  for (const user of listed) {
    const id = idIn(user) ?? 0;
    const match = state.get("user", id) ? undefined : byEmail.get(textOf(user.email).toLowerCase());
    if (match !== undefined) await state.match("user", id, match, null);
    else if (state.get("user", id)?.hash == null)
      requests.push({ id, slug: textOf(user.slug), name: textOf(user.name), scope: 0 });
    if (state.get("user", id)?.hash === MATCHED) report.add("matched", `user ${textOf(user.email)}`);
  }
  await state.reserve("user", requests);
}

/** Copies a user, given in full, unless it exists: users are never updated. */
export async function copyUser(context: MigrateContext, id: number, user: Json): Promise<Outcome> {
  const { state, report } = context;
  const entry = state.get("user", id);
  if (!entry || entry.hash !== null) {
    await state.markProcessed("user", id);
    return "skipped";
  }
  const roles = listOf(user.roles).flatMap((role) => state.targetIdOf("role", idIn(role)) ?? []);
  const facts = {
    name: textOf(user.name),
    email: textOf(user.email),
    external_auth_id: textOf(user.external_auth_id),
  };
  const outcome = await writeItem(context, {
    kind: "user",
    id,
    desired: facts,
    async write({ id: targetId, entry: { slug } }, tx) {
      const columns = { slug, created_at: timeOf(user.created_at), updated_at: timeOf(user.updated_at) };
      await tx.perform("user_create", { ...facts, roles, send_invite: false }, async (final, inner) => {
        const { name, email, external_auth_id = "" } = final;
        await insertRow(inner, "users", { id: targetId, name, email, external_auth_id, ...columns });
        await inner.db
          .insertInto("role_user")
          .columns(["user_id", "role_id"])
          .expression((eb) =>
            eb
              .selectFrom("roles")
              .select([sql<number>`${targetId}::integer`.as("user_id"), "id as role_id"])
              .where("id", "=", sql<number>`any(${[...(final.roles ?? [])]}::integer[])`),
          )
          .execute();
        return { id: targetId, name, email, external_auth_id, ...columns, last_activity_at: null, roles: [] };
      });
    },
  });
  if (outcome === "created") report.remark(PASSWORD_REMARK);
  return outcome;
}

const PASSWORD_REMARK =
  "Passwords are not copied: new users choose theirs by an invitation (`user invite --email …`) or by resetting a " +
  "forgotten password. Avatars and API tokens are not copied either.";
