/**
 * The built-in commands, and how those of plugins are run. A command that needs the store boots the whole runtime without
 * listening, so that it does exactly what the server would do and works beside a running one; `plan` and `check` change nothing,
 * so they boot over a temporary store (`look.ts`).
 */
import { differenceText, hasStore, migrate, migrationStatuses, openStore } from "../../db/mod.ts";
import { withWorkLimit } from "../events/work_limit.ts";
import { inBootOrder } from "../runtime/boot_order.ts";
import { type Command, type CommandIo, checkCommands } from "../runtime/command.ts";
import type { Instance } from "../runtime/instance.ts";
import { coreMigrations } from "../runtime/migrations.ts";
import { checkPins, pinOf } from "../runtime/pins.ts";
import type { AnyPlugin } from "../runtime/plugin.ts";
import { grantsWithout, PowerChecks } from "../runtime/power_checks.ts";
import { programName } from "../runtime/program_name.ts";
import { SchemaRoles } from "../runtime/schema_roles.ts";
import { checkStoreVersion } from "../runtime/store_version.ts";
import { beforeMigrations } from "./before_migrations.ts";
import { dev } from "./dev.ts";
import { FILES_USAGE, filesCommand } from "./files.ts";
import { GRANTS_USAGE, grantsCommand } from "./grants.ts";
import { type Described, helpOf } from "./help.ts";
import { instanceFor } from "./instance.ts";
import { knownEnforcement } from "./known_enforcement.ts";
import { LEADER_USAGE, leaderCommand } from "./leader.ts";
import { readChoices, shippedPlugins, thirdParty } from "./load.ts";
import { pendingText, withLook } from "./look.ts";
import { misspeltArgument } from "./misspelt_arguments.ts";
import { moveFilesCommand } from "./move_files.ts";
import { newPlugin } from "./new_plugin.ts";
import { openRuntime, readConfig, refuseOtherNames, reportMissingStore, storeOptions } from "./open.ts";
import { reportPending } from "./pending.ts";
import { planOf } from "./plan.ts";
import { PLUGIN_USAGE, pluginCommand } from "./plugin_command.ts";
import { HIDDEN_OPTIONS, SERVE_USAGE, serveCommand } from "./serve.ts";
import { storesCommand } from "./stores.ts";
import { trialOfPinned } from "./trial.ts";
import { UPGRADE_USAGE, upgradeCommand } from "./upgrade.ts";

/** A command that can be run. */
export interface Runnable {
  readonly summary: string;
  /** The output of `--help`, for the form that the arguments select. */
  help(args: readonly string[]): string;
  run(args: string[], io: CommandIo): Promise<number>;
}

/** Finds a built-in command or one of a plugin by name. Throws BootError if two have the same name. */
export function findCommand(name: string | undefined, plugins: readonly AnyPlugin[]): Runnable | undefined {
  checkCommands(plugins, [...Object.keys(BUILT_IN), "help"]);
  if (name === undefined) return undefined;
  const builtIn = BUILT_IN[name];
  if (builtIn)
    return {
      summary: builtIn.summary,
      help: (args) => helpOf(name, builtIn, args),
      async run(args, io) {
        if (reportMisspelt({ name, ...builtIn }, args, io)) return 2;
        if (builtIn.takesArguments || args.length === 0) return builtIn.run(plugins, io, args);
        io.err(
          `Cannot run "${name}" with "${args.join(" ")}": it takes lists of plugins alone; settings are variables`,
        );
        return 2;
      },
    };
  for (const plugin of plugins) {
    const command = Object.hasOwn(plugin.commands, name) ? plugin.commands[name] : undefined;
    if (command)
      return {
        summary: command.summary,
        help: (args) => helpOf(name, command, args),
        run: async (args, io) =>
          reportMisspelt({ name, ...command }, args, io) ? 2 : runOfPlugin(plugin, command, plugins, args, io),
      };
  }
  return undefined;
}

/** Whether an argument is misspelt, which is then printed. */
function reportMisspelt(
  { name, usage = "", hidden }: { readonly name: string } & Pick<Described, "usage" | "hidden">,
  args: readonly string[],
  io: CommandIo,
): boolean {
  const problem = misspeltArgument(name, usage, args, hidden);
  if (problem !== undefined) io.err(problem);
  return problem !== undefined;
}

/** The names of all commands. */
export function commandNames(plugins: readonly AnyPlugin[]): string[] {
  return [...Object.keys(BUILT_IN), ...plugins.flatMap(({ commands }) => Object.keys(commands)), "help"];
}

/** Finds a built-in command by name. No plugin is loaded, so its help is available even if one is broken. */
export function findBuiltInCommand(name: string | undefined): Runnable | undefined {
  return name !== undefined && Object.hasOwn(BUILT_IN, name) ? findCommand(name, []) : undefined;
}

/** Finds a built-in command that loads plugins itself, if at all, so that it runs even if one is broken. */
export function findStandaloneCommand(name: string | undefined): Runnable | undefined {
  return name !== undefined && BUILT_IN[name]?.standalone ? findCommand(name, []) : undefined;
}

/** The output without a command: all commands with their usage. */
export function usage(plugins: readonly AnyPlugin[]): string {
  const line = (name: string, summary: string) => `  ${name.padEnd(12)} ${summary}`;
  const builtIn = Object.entries(BUILT_IN).flatMap(([name, { summary, usage }]) => [
    line(name, summary),
    ...(usage === undefined ? [] : [`${" ".repeat(15)}${name} ${usage}`]),
  ]);
  const added = plugins.flatMap(({ commands }) =>
    Object.entries(commands).map(
      ([name, command]) => `  ${name.padEnd(12)} ${command.summary}\n${" ".repeat(15)}${name} ${command.usage}`,
    ),
  );
  return [`Usage: ${programName()} COMMAND [plugin list …] [arguments]`, "", ...builtIn, ...added].join("\n");
}

type BuiltInRun = (plugins: readonly AnyPlugin[], io: CommandIo, args: readonly string[]) => Promise<number>;

/** `takesArguments`: has arguments besides plugin lists; `standalone`: loads plugins itself, if at all. */
const BUILT_IN: Readonly<
  Record<string, Described & { run: BuiltInRun; takesArguments?: boolean; standalone?: boolean }>
> = {
  serve: {
    summary: "boots the server and listens until it is stopped",
    usage: SERVE_USAGE,
    hidden: HIDDEN_OPTIONS,
    run: serveCommand,
    takesArguments: true,
  },
  dev: {
    summary: "serves, and restarts when a source file changes",
    run: (_plugins, io, args) => dev(io, args),
    takesArguments: true,
    standalone: true,
  },
  migrate: { summary: "runs pending migrations and ends", run: migrateCommand },
  plan: { summary: "shows boot order, grants, migrations, routes, events and boot times", run: planCommand },
  check: {
    summary: "boots without listening; prints an error and exits with 1 if the server would not start",
    run: checkCommand,
  },
  files: {
    summary: "deletes stored files that no row refers to; accepts the file store in use as that of the database",
    usage: FILES_USAGE,
    run: filesCommand,
    takesArguments: true,
  },
  leader: {
    summary: "shows what the hosts of DATABASE_URL are; accepts one of an older timeline, as after a restore",
    usage: LEADER_USAGE,
    run: leaderCommand,
    takesArguments: true,
  },
  "move-files": {
    summary: "copies uploaded files between the data folder and the bucket, verified and resumable",
    usage: "--to STORE [--parallel COUNT]",
    run: moveFilesCommand,
    takesArguments: true,
  },
  stores: {
    summary: "lists embedded stores outside of their data folders, and deletes one whose data folder is gone",
    usage: "[--remove NAME [--force]]",
    run: async (_plugins, io, args) => storesCommand(io, args),
    takesArguments: true,
    standalone: true,
  },
  plugin: {
    summary: "lists plugins, also those that left data, and removes one",
    usage: PLUGIN_USAGE,
    run: (_plugins, io, args) => pluginCommand(io, args),
    takesArguments: true,
    standalone: true,
  },
  upgrade: {
    summary: "makes a backup and installs another version by npm; the next start migrates the store",
    usage: UPGRADE_USAGE,
    run: (plugins, io, args) => upgradeCommand(io, args, { backup: () => backupOf(plugins, io) }),
    takesArguments: true,
  },
  grants: {
    summary: "shows the grants of plugins, or accepts them",
    usage: GRANTS_USAGE,
    run: grantsCommand,
    takesArguments: true,
  },
  new: {
    summary: "writes a working plugin and its test as a starting point",
    usage: "plugin NAME",
    run: async (_plugins, io, args) => newPlugin(io, args, [...shippedPlugins()]),
    takesArguments: true,
    standalone: true,
  },
};

/** Makes a backup by the command of that name. Returns its exit code; undefined if there is no store yet. */
async function backupOf(plugins: readonly AnyPlugin[], io: CommandIo): Promise<number | undefined> {
  if (!(await hasStore(storeOptions(readConfig(io, plugins), plugins, io)))) return undefined;
  const command = findCommand("backup", plugins);
  if (command) return command.run([], io);
  io.err('There is no command "backup"');
  return 1;
}

async function migrateCommand(plugins: readonly AnyPlugin[], io: CommandIo): Promise<number> {
  const config = readConfig(io, plugins);
  await refuseOtherNames(config, plugins, io);
  const shipped = shippedPlugins();
  const ordered = inBootOrder(plugins, shipped);
  const choices = await readChoices();
  const trial = await trialOfPinned(plugins, thirdParty(plugins), choices, io);
  checkPins(ordered, { ...choices, shipped, trials: trial?.recorded });
  const store = await openStore(storeOptions(config, plugins, io));
  try {
    await checkStoreVersion(store.db, plugins);
    await beforeMigrations(store, ordered, io);
    const shown = (name: string, steps: readonly string[]) => {
      for (const step of steps) io.out(`${name} ${step}`);
    };
    shown("core", await migrate(store.db, "core", coreMigrations));
    const thirdPartyNames = new Set(thirdParty(plugins).map(({ name }) => name));
    const { denied } = choices;
    const roles = new SchemaRoles({ store, mode: config.pluginRoles, thirdParty: thirdPartyNames, denied });
    await roles.adopt(ordered);
    const statuses = await migrationStatuses(store.db, ordered);
    for (const plugin of ordered.filter(({ name }) => statuses.get(name)?.pending.length))
      shown(plugin.name, await migrate(store.db, plugin.name, plugin.migrations, await roles.runnerOf(plugin)));
  } finally {
    await store.close();
  }
  return 0;
}

function planCommand(plugins: readonly AnyPlugin[], io: CommandIo): Promise<number> {
  return withLook(plugins, io, { isStart: false }, async ({ runtime, ...found }) => {
    const choices = await readChoices();
    const enforcementOf = await knownEnforcement({ plugins, others: thirdParty(plugins), choices }, io);
    io.out(planOf(runtime, { ...found, denied: choices.denied, enforcementOf }));
    return 0;
  });
}

function checkCommand(plugins: readonly AnyPlugin[], io: CommandIo): Promise<number> {
  return withLook(plugins, io, { isStart: true }, async ({ runtime, pending, differences, notes, isNew }) => {
    io.out(`${runtime.booted.length} plugins boot, ${runtime.http.routes().length} routes`);
    if (pending.size > 0 && !isNew) io.out(`Pending: ${pendingText(pending)}`);
    for (const note of notes) io.out(note);
    for (const one of differences) io.err(`In the store: ${differenceText(one)}`);
    if (differences.length === 0) return 0;
    io.err("Run doctor --fix, which makes again what follows from the rows, or restore a backup");
    return 1;
  });
}

async function runOfPlugin(
  plugin: AnyPlugin,
  command: Command,
  plugins: readonly AnyPlugin[],
  args: string[],
  io: CommandIo,
): Promise<number> {
  if (!command.store) return command.run(args, io, undefined, await openerFor(plugin, plugins, io));
  if (command.looks?.(args) && (await reportMissingStore(plugins, io))) return 0;
  if (command.refusesPending?.(args) && (await reportPending(plugins, io))) return 1;
  const { runtime } = await openRuntime(plugins, { ...io, env: { LOG_LEVEL: "warn", ...io.env } });
  try {
    // Whoever started it sees that it goes on, and can end it.
    return await withWorkLimit(Number.POSITIVE_INFINITY, () =>
      command.run(args, io, runtime.contexts.get(plugin.name)),
    );
  } finally {
    await runtime.stop();
  }
}

/**
 * What opens the instance for a command that does not boot. A plugin that does not ship has to be accepted as at a boot, and acts as SYSTEM:
 * nothing limits what is opened.
 */
async function openerFor(
  plugin: AnyPlugin,
  plugins: readonly AnyPlugin[],
  io: CommandIo,
): Promise<() => Promise<Instance>> {
  const open = () => instanceFor(plugin, plugins, io);
  const shipped = shippedPlugins();
  if (shipped.includes(plugin)) return open;
  const choices = await readChoices();
  checkPins(inBootOrder(plugins, shipped), { ...choices, shipped });
  const denied = choices.denied[plugin.name] ?? [];
  const grants = grantsWithout(plugin, denied);
  const powers = new PowerChecks(plugin, grants, { denied, pin: pinOf(choices.grants, plugin.name), ships: false });
  return async () => {
    powers.calls("system", "the function that opens the instance");
    return open();
  };
}
