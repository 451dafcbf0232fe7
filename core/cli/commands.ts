/**
 * The house's own commands, and how those of plugins are run. A command that needs the store boots the whole house without
 * listening, so that it does exactly what the server would do and works beside a running one; `plan` and `check` are
 * such boots and nothing more.
 */
import { migrate, openStore, pending } from "../../db/mod.ts";
import { checkChoices, checkCommands, checkVariables } from "../choices.ts";
import { createLog } from "../log.ts";
import { coreMigrations } from "../migrations.ts";
import { inBootOrder } from "../order.ts";
import type { AnyPlugin, Command, CommandIo } from "../plugin.ts";
import { serve } from "../serve.ts";
import { dev } from "./dev.ts";
import { sweepHouse } from "./files.ts";
import { readChoices, shippedPlugins, strangersAmong } from "./load.ts";
import { newPlugin } from "./new_plugin.ts";
import { openHouse, readConfig, storeOptions } from "./open.ts";
import { grantsOf, planOf } from "./plan.ts";

/** A command ready to run. */
export interface Runnable {
  readonly summary: string;
  run(args: string[], io: CommandIo): Promise<number>;
}

/** The command of a name: the house's own, or a plugin's; undefined where there is none. Throws BootError for shadows. */
export function findCommand(name: string | undefined, plugins: readonly AnyPlugin[]): Runnable | undefined {
  checkCommands(plugins, [...Object.keys(OWN), "help"]);
  if (name === undefined) return undefined;
  const own = OWN[name];
  if (own)
    return {
      summary: own.summary,
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
      return { summary: command.summary, run: (args, io) => runOfPlugin(plugin, command, plugins, args, io) };
  }
  return undefined;
}

/** The command of a name where it does without the plugins, so that none that is broken stands in its way. */
export function findBareCommand(name: string | undefined): Runnable | undefined {
  return name !== undefined && OWN[name]?.bare ? findCommand(name, []) : undefined;
}

/** What the CLI says when it is not told what to do. */
export function usage(plugins: readonly AnyPlugin[]): string {
  const own = Object.entries(OWN).map(([name, { summary }]) => `  ${name.padEnd(12)} ${summary}`);
  const brought = plugins.flatMap(({ commands }) =>
    Object.entries(commands).map(
      ([name, command]) => `  ${name.padEnd(12)} ${command.summary}\n${" ".repeat(15)}${name} ${command.usage}`,
    ),
  );
  return ["Usage: bun core/cli.ts COMMAND [plugin list …] [arguments]", "", ...own, ...brought].join("\n");
}

type Own = (plugins: readonly AnyPlugin[], io: CommandIo, args: readonly string[]) => Promise<number>;

/** Those with `takes` have arguments of their own, and `bare` ones read the lists of plugins themselves, if at all. */
const OWN: Readonly<Record<string, { summary: string; run: Own; takes?: boolean; bare?: boolean }>> = {
  serve: { summary: "boots the house and listens until it is told to stop", run: serveHouse },
  dev: {
    summary: "serves, and starts anew when a source file changes",
    run: (_plugins, io, args) => dev(io, args),
    takes: true,
    bare: true,
  },
  migrate: { summary: "runs pending migrations and ends", run: migrateHouse },
  plan: { summary: "shows boot order, grants, migrations, routes, events and boot times", run: planHouse },
  check: { summary: "boots without listening; exit code 1 says why it would not start", run: checkHouse },
  files: {
    summary: "files sweep [--dry-run]: removes stored files that nothing names any more",
    run: sweepHouse,
    takes: true,
  },
  grants: { summary: "shows what each plugin may touch", run: showGrants },
  new: {
    summary: "new plugin NAME: writes a plugin that works, with a test, to be changed",
    run: async (_plugins, io, args) => newPlugin(io, args, await shippedPlugins()),
    takes: true,
    bare: true,
  },
};

async function serveHouse(plugins: readonly AnyPlugin[], io: CommandIo): Promise<number> {
  const { denied } = await readChoices();
  const strangers = await strangersAmong(plugins);
  const { config, house } = await openHouse(plugins, io);
  for (const plugin of strangers)
    io.out(`Beside what ships, and what it may touch: ${grantsOf(plugin, denied[plugin.name] ?? [])}`);
  return serve(house, config, createLog(config.logLevel), io);
}

async function migrateHouse(plugins: readonly AnyPlugin[], io: CommandIo): Promise<number> {
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

async function planHouse(plugins: readonly AnyPlugin[], io: CommandIo): Promise<number> {
  const store = await openStore(storeOptions(readConfig(io)));
  const waiting = new Map<string, string[]>();
  try {
    for (const { name, migrations } of plugins) waiting.set(name, await pending(store.db, name, migrations));
  } finally {
    await store.close();
  }
  const { house } = await openHouse(plugins, io);
  try {
    io.out(planOf(house, waiting, (await readChoices()).denied));
  } finally {
    await house.stop();
  }
  return 0;
}

async function checkHouse(plugins: readonly AnyPlugin[], io: CommandIo): Promise<number> {
  const { house } = await openHouse(plugins, io);
  await house.stop();
  io.out(`${house.booted.length} plugins boot, ${house.gates.routes().length} routes`);
  return 0;
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
  const { house } = await openHouse(plugins, { ...io, env: { LOG_LEVEL: "warn", ...io.env } });
  try {
    return await command.run(args, io, house.contexts.get(plugin.name));
  } finally {
    await house.stop();
  }
}
