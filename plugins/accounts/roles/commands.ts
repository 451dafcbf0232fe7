import { parseArgs } from "node:util";
import { type Command, type CommandIo, runSubcommand } from "lectern/cli";
import type { InstanceSettings } from "lectern/contracts";
import { type AnyContext, ApiError, SYSTEM } from "lectern/core";
import { addMembers, removeRole } from "./changes.ts";
import type { Role } from "./contract.ts";
import { selectRoles } from "./queries.ts";

const USAGE = "list | delete ID [--migrate-to ID]";

/** The command `role`: lists roles, and deletes one after giving its members another, which the API cannot (platform 4). */
export const roleCommand: Command = {
  summary: "lists roles, and deletes one after moving its members to another",
  usage: USAGE,
  store: true,
  looks: ([verb]) => verb === "list",
  run: runSubcommand("role", USAGE, { list, delete: remove }),
};

async function list(context: AnyContext, _args: string[], io: CommandIo): Promise<void> {
  const roles = await context.db
    .selectFrom("roles")
    .select(["roles.id", "roles.display_name as name"])
    .select((eb) =>
      eb
        .selectFrom("role_user")
        .select((inner) => inner.fn.countAll<number>().as("n"))
        .whereRef("role_user.role_id", "=", "roles.id")
        .as("members"),
    )
    .orderBy("roles.id")
    .execute();
  for (const { id, name, members } of roles) io.out(`${String(id).padStart(6)}  ${name}  ${members} members`);
}

async function remove(context: AnyContext, args: string[], io: CommandIo): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    options: { "migrate-to": { type: "string" } },
    allowPositionals: true,
  });
  const role = await findRole(context, positionals[0] ?? "");
  const target = values["migrate-to"] === undefined ? undefined : await findRole(context, values["migrate-to"]);
  if (target?.id === role.id) throw new ApiError(422, "members cannot be moved to the role that is deleted");
  // The plugin of this command requires the contract.
  const { instance_settings: settings } = context.contracts as { instance_settings: InstanceSettings };
  await context.perform("role_delete", SYSTEM, role, async (final, tx) => {
    if (target) await addMembers(final.id, target.id, tx);
    await removeRole(final, settings.value("registration_role"), tx);
    return final;
  });
  const moved = target ? `, its members have (${target.id}) ${target.display_name}` : "";
  io.out(`(${role.id}) ${role.display_name} is deleted${moved}`);
}

/** The role with an id given as text. Throws 404. */
async function findRole(context: AnyContext, id: string): Promise<Role> {
  const role = await selectRoles(context.db)
    .where((eb) => eb(eb.cast<string>("roles.id", "text"), "=", id))
    .executeTakeFirst();
  if (!role) throw new ApiError(404, `there is no role "${id}"; "role list" shows their ids`);
  return role;
}
