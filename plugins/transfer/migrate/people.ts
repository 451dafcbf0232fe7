/**
 * Roles and users. A role of the same name is the same role; one that was never changed here and that nobody has yet is
 * given the permissions it has at the source, any other is left alone and told of. A user with the same e-mail address is the same user and is
 * left alone; others are made without a password, so that nobody signs in until they choose one. A built-in role is
 * never taken for an ordinary one of the same name: that would make administrators.
 */
import type { Json } from "lectern/cli";
import { sql } from "lectern/core";
import { rows } from "lectern/db";
import type { Outcome } from "./contract.ts";
import { type Columns, insertRow, keep, updateRow } from "./keep.ts";
import type { Run } from "./run_parts.ts";
import { FOUND } from "./state.ts";
import { idIn, listOf, textOf, timeOf } from "./values.ts";

interface OwnRole {
  readonly id: number;
  readonly display_name: string;
  readonly system_name: string;
  readonly updated_at: string;
  /** Nobody changed it since it was made, and nobody has it but the guest. */
  readonly untouched: boolean;
  readonly permissions: readonly string[];
}

const PLAIN = sql`select roles.id, display_name, system_name, updated_at, 
  updated_at = created_at and not exists (select from role_user join users on users.id = role_user.user_id
    where role_user.role_id = roles.id and users.system_name = '') as untouched,
  coalesce((select json_agg(name order by name) from role_permissions where role_id = roles.id), '[]') as permissions
  from roles order by id`;

/** Finds which roles of the source are here, and keeps places for the others. */
export async function matchRoles(run: Run, listed: readonly Json[]): Promise<void> {
  const own = await rows<OwnRole>(run.db, PLAIN as never);
  const wishes = [];
  for (const role of listed) {
    const id = idIn(role) ?? 0;
    const match = run.state.get("role", id) ? undefined : own.find((one) => isSame(one, role));
    if (match) await run.state.match("role", id, match.id, isFree(match) ? match.updated_at : null);
    else wishes.push({ id, slug: "", name: textOf(role.display_name), scope: 0 });
  }
  await run.state.reserve(
    "role",
    wishes.filter(({ id }) => run.state.get("role", id) === undefined),
  );
}

/** Whether a role here may be given what it permits at the source. */
function isFree({ system_name, untouched }: OwnRole): boolean {
  return untouched && system_name !== "admin";
}

function isSame(own: OwnRole, role: Json): boolean {
  const theirs = typeof role.system_name === "string" ? role.system_name : undefined;
  if (theirs === "admin" || theirs === "public") return own.system_name === theirs;
  const sameName = own.display_name.toLowerCase() === textOf(role.display_name).toLowerCase();
  return sameName && (theirs === undefined || own.system_name === theirs);
}

/** Writes one role, given in full. */
export async function copyRole(run: Run, id: number, role: Json): Promise<Outcome> {
  const { state, report } = run;
  const name = textOf(role.display_name);
  const names = (Array.isArray(role.permissions) ? role.permissions : []).map(textOf);
  const permissions = [...new Set(names)].filter((one) => run.permissions.has(one)).sort();
  const unknown = names.filter((one) => !run.permissions.has(one));
  if (unknown.length > 0) report.add("roles", `${name}: nothing here is permitted by ${unknown.join(", ")}`);
  const entry = state.get("role", id);
  if (entry?.hash === FOUND) {
    await compare(run, entry.own_id, name, permissions);
    await state.pass("role", id);
    return "skipped";
  }
  const columns: Columns = {
    display_name: name,
    description: role.description === null ? null : textOf(role.description),
    external_auth_id: textOf(role.external_auth_id),
    mfa_enforced: role.mfa_enforced === true,
    updated_at: timeOf(role.updated_at),
  };
  const outcome = await keep(run, {
    kind: "role",
    id,
    wanted: { ...columns, permissions },
    async write({ own, id: ownId }, tx) {
      const draft = { display_name: name, permissions };
      const act = async (_: unknown, inner: typeof tx) => {
        const created = { ...columns, id: ownId, created_at: timeOf(role.created_at) };
        if (own) await updateRow(inner, "roles", ownId, columns);
        else await insertRow(inner, "roles", created);
        await rows(inner.db, sql`delete from role_permissions where role_id = ${ownId}::integer`);
        await rows(
          inner.db,
          sql`insert into role_permissions (role_id, name)
            select ${ownId}::integer, name from unnest(${permissions}::text[]) as name`,
        );
        return { ...own, ...created, users: [], permissions };
      };
      if (own) await tx.perform("role_update", { row: { ...own, permissions: [] } as never, draft }, act as never);
      else await tx.perform("role_create", draft, act as never);
    },
  });
  if (outcome === "updated") report.add("roles", `${name}: permits now what it permits there`);
  return outcome;
}

/** Tells in what a role that is left alone differs. */
async function compare({ db, report }: Run, ownId: number, name: string, theirs: readonly string[]): Promise<void> {
  const [own] = await rows<{ system_name: string; names: string[] }>(
    db,
    sql`select system_name, coalesce((select json_agg(name) from role_permissions where role_id = roles.id), '[]') as names
      from roles where id = ${ownId}::integer`,
  );
  if (!own || own.system_name === "admin") return;
  const more = own.names.filter((one) => !theirs.includes(one)).sort();
  const less = theirs.filter((one) => !own.names.includes(one));
  const parts = [
    more.length > 0 ? `more here: ${more.join(", ")}` : "",
    less.length > 0 ? `less: ${less.join(", ")}` : "",
  ];
  if (more.length + less.length > 0) report.add("roles", `${name}: ${parts.filter((part) => part !== "").join("; ")}`);
}

/** Finds which users of the source are here, and keeps places for the others. */
export async function matchUsers(run: Run, listed: readonly Json[]): Promise<void> {
  const { db, state, report } = run;
  const emails = listed.map(({ email }) => textOf(email).toLowerCase());
  const own = await rows<{ id: number; email: string }>(
    db,
    sql`select id, lower(email) as email from users where lower(email) = any(${emails}::text[])`,
  );
  const byEmail = new Map(own.map(({ id, email }) => [email, id]));
  const wishes = [];
  for (const user of listed) {
    const id = idIn(user) ?? 0;
    const match = state.get("user", id) ? undefined : byEmail.get(textOf(user.email).toLowerCase());
    if (match !== undefined) await state.match("user", id, match, null);
    else if (state.get("user", id)?.hash == null)
      wishes.push({ id, slug: textOf(user.slug), name: textOf(user.name), scope: 0 });
    if (state.get("user", id)?.hash === FOUND) report.add("matched", `user ${textOf(user.email)}`);
  }
  await state.reserve("user", wishes);
}

/** Writes one user, given in full, unless there is one: who was made once belongs here. */
export async function copyUser(run: Run, id: number, user: Json): Promise<Outcome> {
  const { state, report } = run;
  const entry = state.get("user", id);
  if (!entry || entry.hash !== null) {
    await state.pass("user", id);
    return "skipped";
  }
  const roles = listOf(user.roles).flatMap((role) => state.written("role", idIn(role)) ?? []);
  const facts = {
    name: textOf(user.name),
    email: textOf(user.email),
    external_auth_id: textOf(user.external_auth_id),
  };
  const outcome = await keep(run, {
    kind: "user",
    id,
    wanted: facts,
    async write({ id: ownId, entry: { slug } }, tx) {
      const columns = { slug, created_at: timeOf(user.created_at), updated_at: timeOf(user.updated_at) };
      await tx.perform("user_create", { ...facts, roles, send_invite: false }, async (final, inner) => {
        const { name, email, external_auth_id = "" } = final;
        await insertRow(inner, "users", { id: ownId, name, email, external_auth_id, ...columns });
        await rows(
          inner.db,
          sql`insert into role_user (user_id, role_id)
            select ${ownId}::integer, id from roles where id = any(${[...(final.roles ?? [])]}::integer[])`,
        );
        return { id: ownId, name, email, external_auth_id, ...columns, last_activity_at: null, roles: [] };
      });
    },
  });
  if (outcome === "created") report.remark(PASSWORDS);
  return outcome;
}

const PASSWORDS =
  "Passwords are not copied: new users choose theirs by an invitation (`user invite --email …`) or the letter for a " +
  "forgotten one; pictures of users and API tokens are not copied either.";
