/**
 * The declarations of the npm package: `types` has a `.d.ts` for each source that the exports lead to. Compilers of plugins and scripts read
 * these in place of the sources, so that they check nothing of ours, whatever their version and options; Bun goes on to run the sources. What
 * sources merge into open interfaces is imported by the exports, as the compiler leaves out imports that declare nothing.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import packaged from "../package.json" with { type: "json" };
import config from "../tsconfig.json" with { type: "json" };

const ROOT = join(import.meta.dir, "..");
/** The folder of the declarations in the package. */
export const TYPES = "types";
/** Compiler options that older compilers refuse, and that say nothing about declarations. */
const OWN_OPTIONS: readonly string[] = ["erasableSyntaxOnly"];
/** Exports, by the folder whose merged declarations they import. */
const MERGED = { core: "core/mod", plugins: "plugins/mod" } as const;

/** Writes the declarations, and the `tsconfig.json` that plugins extend, into a copy of the package. Throws what the compiler says. */
export async function addTypes(copy: string): Promise<void> {
  const to = join(copy, TYPES);
  const exported = Object.values(packaged.exports).map((file) => join(ROOT, file));
  await compile([...config.files.map((file) => join(ROOT, file)), ...exported], to);
  const made = [...new Bun.Glob("**/*.d.ts").scanSync(to)].sort();
  const texts = new Map(made.map((file) => [file, declarations(readFileSync(join(to, file), "utf8"))]));
  for (const [folder, door] of Object.entries(MERGED)) {
    const merging = made.filter(
      (file) => file.startsWith(`${folder}/`) && /^declare module/m.test(texts.get(file) ?? ""),
    );
    const imports = merging.map((file) => {
      const path = relative(dirname(door), file.replace(/\.d\.ts$/, ".js"));
      return `import ${JSON.stringify(`./${path}`)};\n`;
    });
    texts.set(`${door}.d.ts`, `${texts.get(`${door}.d.ts`)}${imports.join("")}`);
  }
  for (const [file, text] of texts) writeFileSync(join(to, file), text);
  writeFileSync(join(copy, "tsconfig.json"), `${JSON.stringify(packedConfig(), null, 2)}\n`);
}

/** The declarations of a source in the package, as the manifest names them. */
export function typesOf(source: string): string {
  return `./${TYPES}/${source.replace(/^\.\//, "").replace(/\.ts$/, ".d.ts")}`;
}

async function compile(files: readonly string[], to: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "lectern-types-"));
  try {
    // The types themselves are checked by `check`, and one thread takes less CPU time than several.
    const own = {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      noCheck: true,
      rootDir: ROOT,
      outDir: to,
    };
    const settings = { extends: join(ROOT, "tsconfig.json"), compilerOptions: own, files, include: [] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(settings));
    const child = Bun.spawn([process.execPath, "x", "tsc", "--singleThreaded", "-p", folder], {
      cwd: ROOT,
      stdout: "pipe",
    });
    const [said, code] = await Promise.all([new Response(child.stdout).text(), child.exited]);
    if (code !== 0) throw new Error(`Cannot make the declarations:\n${said}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Declarations that name others as JavaScript, which compilers of all versions find. */
function declarations(text: string): string {
  return text.replace(/(["']\.{1,2}\/[^"']+?)(?:\.d)?\.ts(?=["'])/g, "$1.js");
}

/** The configuration that plugins extend: with the declarations in place of the sources. */
function packedConfig(): object {
  const { compilerOptions, files } = config;
  const options = Object.entries(compilerOptions).filter(([name]) => !OWN_OPTIONS.includes(name));
  const paths = Object.fromEntries(
    Object.entries(compilerOptions.paths).map(([name, sources]) => [name, sources.map(typesOf)]),
  );
  return { compilerOptions: { ...Object.fromEntries(options), paths }, files: files.map(typesOf) };
}
