/**
 * The files of a release: `bun .ci/release.ts FOLDER` packs the npm package of this copy, lists its packages in CycloneDX (an SBOM)
 * and writes SHA-256 checksums of both. It publishes nothing: .github/RELEASING.md has the steps. The package has the same bytes
 * on every machine, so that others can build it again and compare.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { releasesOf } from "./changes.ts";
import { pack } from "./pack.ts";

const ROOT = join(import.meta.dir, "..");
const SUMS = "SHA256SUMS";

/** Makes the files of a release in an empty or new folder. Returns their names. Throws an error that says what is wrong. */
export async function makeRelease(folder: string, root = ROOT): Promise<string[]> {
  const { name, version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Record<string, string>;
  const newest = releasesOf(readFileSync(join(root, ".github/CHANGELOG.md"), "utf8"))[0]?.version;
  if (newest !== version)
    throw new Error(`Cannot release ${version}: the newest version of the changelog is ${newest ?? "none"}`);
  mkdirSync(folder, { recursive: true });
  if (readdirSync(folder).length > 0) throw new Error(`Cannot release to "${folder}": the folder is not empty`);
  await pack(folder);
  const bill = npm(["sbom", "--sbom-format", "cyclonedx", "--sbom-type", "application", "--omit", "dev"], root);
  // npm takes the name of the folder for that of the package.
  const named = JSON.parse(bill) as { metadata: { component: object }; components: Component[] };
  Object.assign(named.metadata.component, { name });
  const listed = new Set(named.components.map((each) => `${each.name}@${each.version}`));
  // `--omit dev` also leaves out what a package for development needs besides.
  named.components.push(...installedComponents(root).filter((each) => !listed.has(`${each.name}@${each.version}`)));
  writeFileSync(join(folder, `${name}-${version}.cdx.json`), `${JSON.stringify(named, null, 2)}\n`);
  const files = readdirSync(folder).sort();
  const sums = files.map((file) => `${sha256(join(folder, file))}  ${file}\n`);
  writeFileSync(join(folder, SUMS), sums.join(""));
  return [...files, SUMS];
}

/** An entry of the bill of materials. */
interface Component {
  readonly "bom-ref": string;
  readonly type: "library";
  readonly name: string;
  readonly version: string;
  readonly purl: string;
}

/** The packages of an installation without those for development, as they are installed here. */
function installedComponents(root: string): Component[] {
  const found = new Map<string, Component>();
  const visit = (folder: string) => {
    const { dependencies = {}, optionalDependencies = {} } = JSON.parse(
      readFileSync(join(folder, "package.json"), "utf8"),
    ) as Record<string, Record<string, string> | undefined>;
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const at = installedAt(name, folder, root);
      if (at === undefined || found.has(at)) continue;
      const { version } = JSON.parse(readFileSync(join(at, "package.json"), "utf8")) as { version: string };
      const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
      found.set(at, { "bom-ref": `${name}@${version}`, type: "library", name, version, purl });
      visit(at);
    }
  };
  visit(root);
  return [...found.values()];
}

/** The folder of a package as Node finds it from another one; undefined for an optional one of another platform. */
function installedAt(name: string, from: string, root: string): string | undefined {
  for (let folder = from; folder.startsWith(root); folder = dirname(folder)) {
    const at = join(folder, "node_modules", name);
    if (existsSync(join(at, "package.json"))) return at;
  }
  return undefined;
}

function npm(args: readonly string[], cwd: string): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(["npm", ...args], { cwd });
  if (exitCode !== 0) throw new Error(`Cannot run "npm ${args.join(" ")}": ${stderr.toString().trim()}`);
  return stdout.toString();
}

function sha256(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}

if (import.meta.main) {
  const [folder, ...rest] = process.argv.slice(2);
  try {
    if (folder === undefined || rest.length > 0) throw new Error("Usage: bun .ci/release.ts FOLDER");
    for (const file of await makeRelease(folder)) process.stdout.write(`${file}\n`);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
