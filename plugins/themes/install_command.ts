/**
 * `theme install FILE.zip|URL`: installs a module of a theme, as `bookstack:install-module` of the original does. The module is written
 * beside the modules and moved to its place as a whole, so that an interrupted installation leaves what was there.
 */
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { parseArgs } from "node:util";
import type { Command, CommandIo } from "lectern/cli";
import { BootError, slugOf } from "lectern/core";
import { type ArchiveLimits, type ModuleArchive, readArchive } from "./module_archive.ts";
import { shownPath } from "./theme_errors.ts";
import { FOLDER_NAME, type ThemeChoice } from "./theme_folder.ts";

const USAGE = "install FILE.zip|URL [--theme NAME] [--replace] [--yes]";
const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** The settings that the command reads. */
export interface InstallSettings extends ThemeChoice {
  readonly moduleMaxBytes: number;
  readonly moduleMaxFiles: number;
  /** Milliseconds. */
  readonly downloadTimeoutMs: number;
}

/** The command. `settings` returns those of the plugin, which are known before any command runs. */
export function themeCommand(settings: () => InstallSettings): Command {
  return {
    summary: "installs a module of a theme from a ZIP file or its address",
    usage: USAGE,
    store: false,
    async run(args, io) {
      const options = optionsOf(args);
      if (!options) {
        io.err(`Cannot run "theme ${args[0] ?? ""}": wanted ${USAGE}`);
        return 2;
      }
      return install(io, options, settings());
    },
  };
}

interface Options {
  readonly source: string;
  readonly theme: string | undefined;
  readonly replace: boolean;
  readonly yes: boolean;
}

function optionsOf(args: string[]): Options | undefined {
  try {
    const options = { theme: { type: "string" }, replace: { type: "boolean" }, yes: { type: "boolean" } } as const;
    const { positionals, values } = parseArgs({ args, allowPositionals: true, options });
    const [verb, source, ...more] = positionals;
    if (verb !== "install" || source === undefined || more.length > 0) return undefined;
    return { source, theme: values.theme, replace: values.replace === true, yes: values.yes === true };
  } catch {
    return undefined;
  }
}

async function install(io: CommandIo, options: Options, settings: InstallSettings): Promise<number> {
  const { source, replace } = options;
  const theme = themeOf(options.theme ?? settings.active);
  const limits: ArchiveLimits = { maxBytes: settings.moduleMaxBytes, maxFiles: settings.moduleMaxFiles };
  const bytes = isAddress(source)
    ? await download(new URL(source), limits.maxBytes, settings.downloadTimeoutMs)
    : await readLocal(source, limits.maxBytes);
  const archive = readArchive(bytes, source, limits);
  const folder = folderOf(archive, source);
  const home = resolve(process.cwd(), settings.folder, theme);
  const target = join(home, "modules", folder);
  putBack(home, folder, target);
  if (existsSync(target) && !replace)
    throw new BootError(`Cannot install the module "${folder}": "${shownPath(target)}" exists already; add --replace`);
  const { name, version, description } = archive.manifest;
  io.out(`${name} ${version}: ${description}`);
  if (archive.files.has("functions.php") && !archive.files.has("functions.ts"))
    io.out("Its functions.php is PHP, which Lectern does not run; its other parts are used");
  if (!(options.yes || (await isConfirmed(io, source)))) {
    io.err("Nothing is installed: confirm it, or add --yes");
    return 1;
  }
  write(home, folder, target, archive);
  io.out(`Installed in ${shownPath(target)}; it is loaded at the next start with APP_THEME=${theme}`);
  return 0;
}

function themeOf(name: string): string {
  if (name === "" || name === "false")
    throw new BootError("Cannot install a module: no theme is active; set APP_THEME, or add --theme NAME");
  if (!FOLDER_NAME.test(name))
    throw new BootError(
      `Cannot install a module for the theme "${name}": wanted letters, digits, dashes and underscores`,
    );
  return name;
}

/** The name of the folder, made of the module's name. */
function folderOf({ manifest }: ModuleArchive, source: string): string {
  const folder = slugOf(manifest.name).slice(0, 100);
  if (FOLDER_NAME.test(folder)) return folder;
  throw new BootError(`Cannot install the module of "${source}": its name "${manifest.name}" makes no folder name`);
}

function isAddress(source: string): boolean {
  return /^https?:\/\//i.test(source);
}

async function readLocal(path: string, maxBytes: number): Promise<Uint8Array> {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isFile()) throw new BootError(`Cannot install the module of "${path}": there is no such file`);
  if (found.size > maxBytes) throw tooLarge(path, maxBytes);
  return readFile(path);
}

/** Downloads an archive. Redirects to another origin are not followed: the operator trusted the address that was given. */
async function download(address: URL, maxBytes: number, timeoutMs: number): Promise<Uint8Array> {
  const signal = AbortSignal.timeout(timeoutMs);
  let url = address;
  try {
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const response = await fetch(url, { redirect: "manual", signal });
      const location = response.headers.get("location");
      if (!REDIRECTS.has(response.status) || location === null) return await contentOf(response, address, maxBytes);
      url = new URL(location, url);
      if (url.origin !== address.origin)
        throw new BootError(`"${address}" redirects to "${url.origin}"; if you trust that, install from "${url}"`);
    }
  } catch (cause) {
    if (cause instanceof BootError) throw cause;
    throw new BootError(`Cannot download "${address}": ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
  throw new BootError(`Cannot download "${address}": it redirects more than ${MAX_REDIRECTS} times`);
}

async function contentOf(response: Response, address: URL, maxBytes: number): Promise<Uint8Array> {
  if (!response.ok || !response.body)
    throw new BootError(`Cannot download "${address}": it answered ${response.status}`);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(String(address), maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(source: string, maxBytes: number): BootError {
  return new BootError(`Cannot install the module of "${source}": it has more than ${maxBytes} bytes`);
}

async function isConfirmed(io: CommandIo, source: string): Promise<boolean> {
  io.out("A module can do what the server can: read and change everything. Install it only if you trust its author.");
  if (!io.tty) return false;
  const input = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(es)?$/i.test((await input.question(`Install it from ${source}? [y/N] `)).trim());
  } finally {
    input.close();
  }
}

const NEW = ".module_new";
const OLD = ".module_old";

/** Puts back the module that an interrupted installation had taken away. */
function putBack(home: string, folder: string, target: string): void {
  const old = join(home, OLD, folder);
  if (existsSync(old) && !existsSync(target)) renameSync(old, target);
  for (const name of [NEW, OLD]) rmSync(join(home, name), { recursive: true, force: true });
}

/** Writes the files beside the modules, then moves them to their place. */
function write(home: string, folder: string, target: string, { files }: ModuleArchive): void {
  const [fresh, old] = [join(home, NEW, folder), join(home, OLD, folder)];
  for (const [path, content] of files) {
    const file = join(fresh, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  mkdirSync(dirname(target), { recursive: true });
  if (existsSync(target)) {
    mkdirSync(dirname(old), { recursive: true });
    renameSync(target, old);
  }
  renameSync(fresh, target);
  for (const name of [NEW, OLD]) rmSync(join(home, name), { recursive: true, force: true });
}
