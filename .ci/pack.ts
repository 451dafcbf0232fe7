/**
 * The npm package: `bun .ci/pack.ts FOLDER` packs this copy. Beside the sources, from which plugins get their types and child processes
 * start, it has a bundle of the program in `bundle`: one file for each export of the package and for the program, over shared
 * parts, so that a module is there once, whichever export leads to it. It loads in two thirds of the time, since a thousand files
 * need not be found, read and compiled. The packages of others stay outside. The same sources give the same bytes.
 * The client is there as plain JavaScript too, declarations for compilers (`package_types.ts`), and the types of the API
 * (`client_types.ts`).
 */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative, resolve } from "node:path";
import type { BunPlugin } from "bun";
import packaged from "../package.json" with { type: "json" };
import { addTypes, TYPES, typesOf } from "./package_types.ts";

const ROOT = join(import.meta.dir, "..");
/** What npm packs besides what "files" names. */
const ALWAYS = ["package.json", "README.md", "LICENSE"];
const FOLDER = "bundle";
/** The export for programs that Bun does not run, and its folder in the package. */
const CLIENT = "./client";
/** Writes the types of the client from the document of a runtime. */
const CLIENT_TYPES = join(import.meta.dir, "client_types.ts");
/** Tests run over the sources. */
const UNBUNDLED = "./test";
/** The argument of the process that makes the bundle. */
const BUNDLE = "--bundle";

/** Copies into a folder what the package has of this copy, and makes the bundle there. Throws where it cannot be made. */
export async function copyWithBundle(copy: string): Promise<void> {
  const listed = packaged.files.filter((path) => path !== FOLDER && !path.startsWith("!"));
  for (const path of [...ALWAYS, ...listed]) cpSync(join(ROOT, path), join(copy, path), { recursive: true });
  // From here, since the bundle names its sources by their place below the current folder.
  await run([process.execPath, import.meta.path, BUNDLE, join(copy, FOLDER)], ROOT);
}

/** Packs this copy into a folder. Returns the path of the package. Throws where the bundle or the package cannot be made. */
export async function pack(folder: string): Promise<string> {
  const copy = mkdtempSync(join(tmpdir(), "lectern-pack-"));
  try {
    await copyWithBundle(copy);
    await addClient(copy);
    await addTypes(copy);
    await run(
      [process.execPath, CLIENT_TYPES, join(copy, typesOf(packaged.exports[CLIENT]), "../api_types.d.ts")],
      ROOT,
    );
    describe(copy);
    mkdirSync(folder, { recursive: true });
    const before = new Set(readdirSync(folder));
    const command = Bun.which("npm")
      ? ["npm", "pack", "--pack-destination", resolve(folder)]
      : [process.execPath, "pm", "pack", "--destination", resolve(folder)];
    await run(command, copy);
    const made = readdirSync(folder).find((name) => name.endsWith(".tgz") && !before.has(name));
    if (made === undefined) throw new Error(`Cannot pack: no new package is in "${folder}"`);
    return join(folder, made);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Adds the client as plain JavaScript: Node runs no TypeScript below node_modules. */
async function addClient(copy: string): Promise<void> {
  const { success, logs } = await Bun.build({
    entrypoints: [join(ROOT, packaged.exports[CLIENT])],
    outdir: join(copy, CLIENT),
    target: "node",
    packages: "external",
  });
  if (!success) throw new Error(`Cannot make the client:\n${logs.join("\n")}`);
}

/** Names declarations and client in the manifest of the copy. */
function describe(copy: string): void {
  const path = join(copy, "package.json");
  const manifest = JSON.parse(readFileSync(path, "utf8")) as typeof packaged;
  const entries = Object.entries(packaged.exports).map(([name, source]) => [
    name,
    {
      types: typesOf(source),
      ...(name === CLIENT && { bun: source }),
      default: name === CLIENT ? `${CLIENT}/mod.js` : source,
    },
  ]);
  const files = [...manifest.files, basename(CLIENT), TYPES];
  writeFileSync(path, `${JSON.stringify({ ...manifest, files, exports: Object.fromEntries(entries) }, null, 2)}\n`);
}

async function run(command: string[], cwd: string): Promise<void> {
  const child = Bun.spawn(command, { cwd, stdout: "ignore", stderr: "pipe" });
  const [errors, code] = await Promise.all([new Response(child.stderr).text(), child.exited]);
  if (code !== 0) throw new Error(`Cannot pack: ${errors.trim()}`);
}

/** Writes the bundle into a folder. Throws where a source cannot be part of it. */
async function bundle(folder: string): Promise<void> {
  const entries = mkdtempSync(join(tmpdir(), "lectern-bundle-"));
  try {
    const exported = Object.entries(packaged.exports).filter(([name]) => name !== UNBUNDLED);
    const files = [["main", "./core/cli/main.ts"], ...exported.map(([name, file]) => [basename(name), file])] as const;
    for (const [name = "", file = ""] of files) writeFileSync(join(entries, `${name}.ts`), entryOf(join(ROOT, file)));
    const { success, logs } = await Bun.build({
      entrypoints: files.map(([name]) => join(entries, `${name}.ts`)),
      outdir: folder,
      target: "bun",
      packages: "external",
      splitting: true,
      naming: { entry: "[name].[ext]", chunk: "part-[hash].[ext]" },
      plugins: [withSourcePlaces(folder)],
    });
    if (!success) throw new Error(`Cannot bundle:\n${logs.join("\n")}`);
  } finally {
    rmSync(entries, { recursive: true, force: true });
  }
}

/** The module of an entry: all that a source exports. */
function entryOf(file: string): string {
  const hasDefault = /^export default/m.test(readFileSync(file, "utf8"));
  return `export * from ${JSON.stringify(file)};\n${hasDefault ? `export { default } from ${JSON.stringify(file)};\n` : ""}`;
}

/** Sources name files beside them by `import.meta`; in the bundle it is that of `bundle`, beside the folders of the sources. */
function withSourcePlaces(folder: string): BunPlugin {
  return {
    name: "places of sources",
    setup(build) {
      build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const text = await Bun.file(path).text();
        const from = (place: string) => JSON.stringify(`/../${relative(ROOT, place)}`);
        const odd = /import\.meta\.(?!dir\b|url\b|path\b|resolve\()\w+/.exec(text);
        if (odd) throw new Error(`Cannot bundle "${relative(ROOT, path)}": "${odd[0]}" would be that of ${folder}`);
        const contents = text
          .replaceAll(/\bimport\.meta\.dir\b/g, `(import.meta.dir + ${from(dirname(path))})`)
          .replaceAll(/\bimport\.meta\.url\b/g, `(new URL("." + ${from(path)}, import.meta.url).href)`);
        return { contents, loader: "ts" };
      });
    },
  };
}

if (import.meta.main) {
  const [first, second, ...rest] = process.argv.slice(2);
  try {
    if (first === BUNDLE && second !== undefined) await bundle(second);
    else if (first === undefined || second !== undefined || rest.length > 0)
      throw new Error("Usage: bun .ci/pack.ts FOLDER");
    else process.stdout.write(`${await pack(first)}\n`);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
