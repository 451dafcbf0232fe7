/**
 * The runtime's own commands, and how those of plugins are run. A command that needs the store boots the whole runtime without
 * listening, so that it does exactly what the server would do and works beside a running one; `plan` and `check` are
 * such boots and nothing more.
 */
import { migrate, openStore, pending } from "../../db/mod.ts";
import type { Config } from "../config.ts";
import { serve } from "../http/listen.ts";
import { createLog } from "../log.ts";
import { inBootOrder } from "../runtime/boot_order.ts";
import { coreMigrations } from "../runtime/migrations.ts";
import { checkChoices, checkVariables } from "../runtime/operator_choices.ts";
import type { AnyPlugin } from "../runtime/plugin.ts";
import { type Command, type CommandIo, checkCommands } from "./command.ts";
import { dev } from "./dev.ts";
import { sweepFilesCommand } from "./files.ts";
import { type Described, helpOf } from "./help.ts";
import { readChoices, shippedPlugins, strangersAmong } from "./load.ts";
import { newPlugin } from "./new_plugin.ts";
import { openRuntime, readConfig, readOnlyCommand, reportMissingStore, storeOptions } from "./open.ts";
import { grantsOf, planOf } from "./plan.ts";
import { storesCommand } from "./stores.ts";

/** A command ready to run. */
export interface Runnable {
  readonly summary: string;
  /** What it does and takes, for the one form of it that the arguments begin. */
  help(args: readonly string[]): string;
  run(args: string[], io: CommandIo): Promise<number>;
}

/** The command of a name: the runtime's own, or a plugin's; undefined where there is none. Throws BootError for shadows. */
export function findCommand(name: string | undefined, plugins: readonly AnyPlugin[]): Runnable | undefined {
  checkCommands(plugins, [...Object.keys(OWN), "help"]);
  if (name === undefined) return undefined;
  const own = OWN[name];
  if (own)
    return {
      summary: own.summary,
      help: (args) => helpOf(name, own, args),
      async run(args, io) {
        if (own.takes || args.length === 0) return own.run(plugins, io, args);
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
        run: (args, io) => runOfPlugin(plugin, command, plugins, args, io),
      };
  }
  return undefined;
}

/** The runtime's own command of a name, for its help, which no plugin that is broken stands in the way of. */
export function findOwnCommand(name: string | undefined): Runnable | undefined {
  return name !== undefined && Object.hasOwn(OWN, name) ? findCommand(name, []) : undefined;
}

/** The command of a name where it does without the plugins, so that none that is broken stands in its way. */
export function findBareCommand(name: string | undefined): Runnable | undefined {
  return name !== undefined && OWN[name]?.bare ? findCommand(name, []) : undefined;
}

/** What the CLI says when it is not told what to do. */
export function usage(plugins: readonly AnyPlugin[]): string {
  const line = (name: string, summary: string) => `  ${name.padEnd(12)} ${summary}`;
  const own = Object.entries(OWN).flatMap(([name, { summary, usage }]) => [
    line(name, summary),
    ...(usage === undefined ? [] : [`${" ".repeat(15)}${name} ${usage}`]),
  ]);
  const brought = plugins.flatMap(({ commands }) =>
    Object.entries(commands).map(
      ([name, command]) => `  ${name.padEnd(12)} ${command.summary}\n${" ".repeat(15)}${name} ${command.usage}`,
    ),
  );
  return ["Usage: bun core/cli.ts COMMAND [plugin list …] [arguments]", "", ...own, ...brought].join("\n");
}

type Own = (plugins: readonly AnyPlugin[], io: CommandIo, args: readonly string[]) => Promise<number>;

/** Those with `takes` have arguments of their own, and `bare` ones read the lists of plugins themselves, if at all. */
const OWN: Readonly<Record<string, Described & { run: Own; takes?: boolean; bare?: boolean }>> = {
  serve: { summary: "boots the server and listens until it is told to stop", run: serveCommand },
  dev: {
    summary: "serves, and starts anew when a source file changes",
    run: (_plugins, io, args) => dev(io, args),
    takes: true,
    bare: true,
  },
  migrate: { summary: "runs pending migrations and ends", run: migrateCommand },
  plan: { summary: "shows boot order, grants, migrations, routes, events and boot times", run: planCommand },
  check: { summary: "boots without listening; exit code 1 says why it would not start", run: checkCommand },
  files: {
    summary: "removes stored files that nothing names any more",
    usage: "sweep [--dry-run]",
    run: sweepFilesCommand,
    takes: true,
  },
  stores: {
    summary: "names stores that live apart from their data folder, and removes one whose data folder is gone",
    usage: "[--remove NAME [--force]]",
    run: async (_plugins, io, args) => storesCommand(io, args),
    takes: true,
    bare: true,
  },
  grants: { summary: "shows what each plugin may touch", run: showGrants },
  new: {
    summary: "writes a plugin that works, with a test, to be changed",
    usage: "plugin NAME",
    run: async (_plugins, io, args) => newPlugin(io, args, await shippedPlugins()),
    takes: true,
    bare: true,
  },
};

async function serveCommand(plugins: readonly AnyPlugin[], io: CommandIo): Promise<number> {
  const { denied } = await readChoices();
  const strangers = await strangersAmong(plugins);
  const { config, runtime } = await openRuntime(plugins, io);
  for (const plugin of strangers)
    io.out(`Beside what ships, and what it may touch: ${grantsOf(plugin, denied[plugin.name] ?? [])}`);
  return serve(runtime, config, createLog(config.logLevel), io);
}

async function migrateCommand(plugins: readonly AnyPlugin[], io: CommandIo): Promise<number> {
  const store = await openStore(storeOptions(readConfig(io)));
  try {
    for (const { name, migrations } of [{ name: "core", migrations: coreMigrations }, ...inBootOrder(plugins)]) {
      for (const step of await migrate(store.db, name, migrations)) io.out(`${name} ${step}`);
    }
  } finally {
    await store.close();
  }
  return 0;
}

function planCommand(plugins: readonly AnyPlugin[], io: CommandIo): Promise<number> {
  return readOnlyCommand(io, async (config) => {
    io.out(await planned(plugins, io, config));
    return 0;
  });
}

async function planned(plugins: readonly AnyPlugin[], io: CommandIo, config: Config): Promise<string> {
  const store = await openStore(storeOptions(config));
  const waiting = new Map<string, string[]>();
  try {
    for (const { name, migrations } of plugins) waiting.set(name, await pending(store.db, name, migrations));
  } finally {
    await store.close();
  }
  const { runtime } = await openRuntime(plugins, io, config);
  try {
    return planOf(runtime, waiting, (await readChoices()).denied);
  } finally {
    await runtime.stop();
  }
}

function checkCommand(plugins: readonly AnyPlugin[], io: CommandIo): Promise<number> {
  return readOnlyCommand(io, async (config) => {
    const { runtime } = await openRuntime(plugins, io, config);
    await runtime.stop();
    io.out(`${runtime.booted.length} plugins boot, ${runtime.gates.routes().length} routes`);
    return 0;
  });
}

async function showGrants(plugins: readonly AnyPlugin[], io: CommandIo): Promise<number> {
  const choices = await readChoices();
  const { denied } = choices;
  checkVariables(plugins);
  checkChoices(plugins, choices);
  for (const plugin of inBootOrder(plugins)) io.out(grantsOf(plugin, denied[plugin.name] ?? []));
  return 0;
}

async function runOfPlugin(
  plugin: AnyPlugin,
  command: Command,
  plugins: readonly AnyPlugin[],
  args: string[],
  io: CommandIo,
): Promise<number> {
  if (!command.store) return command.run(args, io);
  if (command.looks?.(args) && (await reportMissingStore(io))) return 0;
  const { runtime } = await openRuntime(plugins, { ...io, env: { LOG_LEVEL: "warn", ...io.env } });
  try {
    return await command.run(args, io, runtime.contexts.get(plugin.name));
  } finally {
    await runtime.stop();
  }
}
