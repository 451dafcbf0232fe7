import { parseArgs } from "node:util";
import type { Command, CommandIo } from "lectern/cli";
import { type AnyContext, ApiError, SYSTEM, sql } from "lectern/core";
import { rows } from "lectern/db";
import type { Role } from "./contract.ts";
import { readRole } from "./read.ts";
import { addMembers, removeRole } from "./write.ts";

/** The command of roles: list them, and delete one after giving its members another, which the API cannot (platform 4). */
export const roleCommand: Command = {
  summary: "lists roles, and deletes one with its members moved to another",
  usage: "list | delete ID [--migrate-to ID]",
  store: true,
  looks: ([verb]) => verb === "list",
  async run([verb = "", ...args], io, context) {
    if (!context || (verb !== "list" && verb !== "delete")) {
      io.err(`Cannot run "role ${verb}": wanted ${roleCommand.usage}`);
      return 2;
    }
    try {
      await (verb === "list" ? list(context, io) : remove(context, args, io));
      return 0;
    } catch (error) {
      const isUsage = error instanceof TypeError && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
      if (!(error instanceof ApiError || isUsage)) throw error;
      io.err(`Cannot run "role ${verb}": ${(error as Error).message}`);
      return 1;
    }
  },
};

async function list(context: AnyContext, io: CommandIo): Promise<void> {
  const roles = await rows(
    context.db as never,
    sql<{ id: number; name: string; members: number }>`select roles.id, roles.display_name as name,
      (select count(*)::integer from role_user where role_id = roles.id) as members from roles order by roles.id`,
  );
  for (const { id, name, members } of roles) io.out(`${String(id).padStart(6)}  ${name}  ${members} members`);
}

async function remove(context: AnyContext, args: string[], io: CommandIo): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    options: { "migrate-to": { type: "string" } },
    allowPositionals: true,
  });
  const role = await found(context, positionals[0] ?? "");
  const heir = values["migrate-to"] === undefined ? undefined : await found(context, values["migrate-to"]);
  if (heir?.id === role.id) throw new ApiError(422, "members cannot be moved to the role that is deleted");
  const { registrationRole } = context.settings as { registrationRole: number };
  await context.perform("role_delete", SYSTEM, role, async (final, tx) => {
    if (heir) await addMembers(final.id, heir.id, tx);
    await removeRole(final, registrationRole, tx);
    return final;
  });
  io.out(
    `(${role.id}) ${role.display_name} is deleted${heir ? `, its members have (${heir.id}) ${heir.display_name}` : ""}`,
  );
}

/** The role of an id as typed. Throws 404. */
async function found(context: AnyContext, wanted: string): Promise<Role> {
  const role = await readRole(context.db as never, sql`roles.id::text = ${wanted}`);
  if (!role) throw new ApiError(404, `there is no role "${wanted}"; "role list" shows their ids`);
  return role;
}
