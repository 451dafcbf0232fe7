/**
 * Development mode: runs the server in a child process and restarts it when a source file changes, since loaded modules cannot
 * be unloaded. If a change does not boot, the error is shown and the next change awaited. This process keeps the embedded
 * store open, so that it does not stop between two servers and is stopped even if a server had to be killed.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { realpathSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { openStore } from "../../db/mod.ts";
import { INSTALL_ROOT } from "../install_root.ts";
import type { CommandIo } from "../runtime/command.ts";
import { isList, listsOf, readChoices } from "./load.ts";
import { checkStoreExists, readConfig } from "./open.ts";
import { fileOfList } from "./resolve.ts";
import { CHECK_ANSWERS } from "./serve.ts";
import { watchSources } from "./watch.ts";

/** STOP_TIMEOUT_MS of the server, unless it is set: how long running requests may delay a restart. */
const STOP_TIMEOUT_MS = "1000";
/** Time after which a server that does not stop is killed, as the edited code may hang. */
const KILL_AFTER_MS = 15_000;
/** Connections that keep the store open; one is for transactions. */
const HELD_CONNECTIONS = 2;

/** `dev [lists]`: serves until a signal to stop; returns the exit code of the last server. */
export async function dev(io: CommandIo, args: readonly string[]): Promise<number> {
  if (!args.every(isList)) {
    io.err("Usage: dev [plugin list …]; settings are variables");
    return 2;
  }
  const stopSignal = new Promise<"stop">((resolveStop) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolveStop("stop"));
  });
  const config = readConfig(io);
  await checkStoreExists(config, [], io);
  const store =
    config.databaseUrl === "" ? await openStore({ dataDir: config.dataDir, poolSize: HELD_CONNECTIONS }) : undefined;
  let change = Promise.withResolvers<readonly string[]>();
  const sources = watchSources({
    folders: await foldersOf(args),
    files: [resolve("package.json")],
    without: resolve(config.dataDir),
    onChange: (paths) => change.resolve(paths),
  });
  try {
    for (;;) {
      // Changes until here are loaded by the server that starts now.
      change = Promise.withResolvers();
      const folders = await foldersOf(args).catch(() => undefined);
      // Else the choices cannot be read, which the server reports.
      if (folders) sources.follow(folders);
      const server = start(io, args);
      const ended = once(server, "exit").then(([code]) => code as number | null);
      const causes = [stopSignal, change.promise] as const;
      // No deadline: the first of these causes is acted on.
      let cause = await Promise.race([...causes, ended]);
      if (cause === null || typeof cause === "number") {
        io.err(`dev: the server ended with code ${cause ?? "none"}; the next change starts it again`);
        // Likewise, now that the server has ended.
        cause = await Promise.race(causes);
      }
      const code = await stopServer(server, ended);
      if (cause === "stop") return code ?? 0;
      const files = cause.slice(0, 3).map((path) => relative(process.cwd(), path));
      io.out(`dev: restarting after a change of ${files.join(", ")}${cause.length > 3 ? " and others" : ""}`);
    }
  } finally {
    sources.close();
    await store?.close();
  }
}

function start(io: CommandIo, args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [join(INSTALL_ROOT, "core/cli.ts"), "serve", CHECK_ANSWERS, ...args], {
    env: { STOP_TIMEOUT_MS, ...io.env, SERVE_WORKERS: "1" },
    stdio: "inherit",
  });
}

/** Stops a server if it runs. Returns its exit code, null if a signal ended it. */
async function stopServer(server: ChildProcess, ended: Promise<number | null>): Promise<number | null> {
  // Not SIGINT, which a terminal also sends to the server: a second SIGINT ends it without waiting for requests.
  server.kill("SIGTERM");
  const forced = setTimeout(() => server.kill("SIGKILL"), KILL_AFTER_MS);
  const code = await ended;
  clearTimeout(forced);
  return code;
}

/** The folders of sources: Lectern's own, the themes, and the folder or package of each list. */
async function foldersOf(args: readonly string[]): Promise<string[]> {
  const runtime = ["core", "db", "plugins", "themes"].map((name) => join(INSTALL_ROOT, name));
  const lists = listsOf(args, await readChoices()).map((entry) => {
    const list = typeof entry === "string" ? entry : entry.from;
    const file = fileOfList(list) ?? resolve(list);
    const packaged = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0];
    return packaged ?? dirname(file);
  });
  return [...new Set([...runtime, resolve("themes"), ...lists].flatMap(realPath))];
}

/** The folder with symbolic links resolved; empty if it does not exist. */
function realPath(folder: string): string[] {
  try {
    return [realpathSync(folder)];
  } catch {
    // The folder of a wrong list, which the server reports.
    return [];
  }
}
