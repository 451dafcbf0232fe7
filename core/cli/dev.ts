/**
 * Development mode: the server in a child process, started anew when a source file changes, since a module once loaded
 * cannot be let go of. A change that does not boot shows why, and the next one is waited for. The embedded store is held
 * open here meanwhile, so that it neither stops between two servers nor stays behind one that had to be killed.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { realpathSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { openStore } from "../../db/mod.ts";
import type { CommandIo } from "./command.ts";
import { isList, listsOf, readChoices } from "./load.ts";
import { readConfig, storeOptions } from "./open.ts";
import { fileOfList, INSTALL_ROOT } from "./resolve.ts";
import { watchSources } from "./watch.ts";

/** How long requests under way may hold up a new start, unless a variable says otherwise. */
const STOP_TIMEOUT_MS = "1000";
/** A server that has not ended by then hangs, perhaps in the very line that is being mended. */
const KILL_AFTER_MS = 15_000;
/** Connections of the store that is only held open; one is for transactions. */
const HELD_CONNECTIONS = 2;

/** `dev [lists]`: serves until told to stop; returns the exit code of the last server. */
export async function dev(io: CommandIo, args: readonly string[]): Promise<number> {
  if (!args.every(isList)) {
    io.err("Usage: dev [plugin list …]; settings are variables");
    return 2;
  }
  const told = new Promise<"told">((say) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => say("told"));
  });
  const config = readConfig(io);
  const store =
    config.databaseUrl === "" ? await openStore({ ...storeOptions(config), poolSize: HELD_CONNECTIONS }) : undefined;
  let change = Promise.withResolvers<readonly string[]>();
  const sources = watchSources({
    folders: await foldersOf(args),
    files: [resolve("package.json")],
    without: resolve(config.dataDir),
    onChange: (paths) => change.resolve(paths),
  });
  try {
    for (;;) {
      // Whatever changes before the server has started is in it.
      change = Promise.withResolvers();
      const server = start(io, args);
      const ended = once(server, "exit").then(([code]) => code as number | null);
      const awaited = [told, change.promise] as const;
      let why = await Promise.race([...awaited, ended]);
      if (why === null || typeof why === "number") {
        io.err(`dev: the server ended with code ${why ?? "none"}; the next change starts it again`);
        why = await Promise.race(awaited);
      }
      const code = await stopped(server, ended);
      if (why === "told") return code ?? 0;
      const shown = why.slice(0, 3).map((path) => relative(process.cwd(), path));
      io.out(`dev: starting anew after a change of ${shown.join(", ")}${why.length > 3 ? " and others" : ""}`);
    }
  } finally {
    sources.close();
    await store?.close();
  }
}

function start(io: CommandIo, args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [join(INSTALL_ROOT, "core/cli.ts"), "serve", ...args], {
    env: { STOP_TIMEOUT_MS, ...io.env },
    stdio: "inherit",
  });
}

/** Asks a server to stop, unless it has; returns its exit code, null where it was ended by a signal. */
async function stopped(server: ChildProcess, ended: Promise<number | null>): Promise<number | null> {
  // Not SIGINT, which a terminal sends it as well: the second of one kind would not be waited for.
  server.kill("SIGTERM");
  const forced = setTimeout(() => server.kill("SIGKILL"), KILL_AFTER_MS);
  const code = await ended;
  clearTimeout(forced);
  return code;
}

/** Where the sources lie: the runtime's own, the themes, and the folder or package of each list. */
async function foldersOf(args: readonly string[]): Promise<string[]> {
  const runtime = ["core", "db", "plugins", "themes"].map((name) => join(INSTALL_ROOT, name));
  const lists = listsOf(args, await readChoices()).map((list) => {
    const file = fileOfList(list) ?? resolve(list);
    const packaged = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0];
    return packaged ?? dirname(file);
  });
  return [...new Set([...runtime, resolve("themes"), ...lists].flatMap(realOf))];
}

/** The folder itself where a link leads to it; nothing where there is none. */
function realOf(folder: string): string[] {
  try {
    return [realpathSync(folder)];
  } catch {
    // Named by a list that is wrong, which the server will say.
    return [];
  }
}
