/**
 * The files of a release: `bun .ci/release.ts FOLDER` packs the npm package of this copy, lists its packages in CycloneDX (an SBOM)
 * and writes SHA-256 checksums of both. It publishes nothing: .github/RELEASING.md has the steps. The package has the same bytes
 * on every machine, so that others can build it again and compare.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { releasesOf } from "./changes.ts";

const ROOT = join(import.meta.dir, "..");
const SUMS = "SHA256SUMS";

/** Makes the files of a release in an empty or new folder. Returns their names. Throws an error that says what is wrong. */
export function makeRelease(folder: string, root = ROOT): string[] {
  const { name, version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Record<string, string>;
  const newest = releasesOf(readFileSync(join(root, ".github/CHANGELOG.md"), "utf8"))[0]?.version;
  if (newest !== version)
    throw new Error(`Cannot release ${version}: the newest version of the changelog is ${newest ?? "none"}`);
  mkdirSync(folder, { recursive: true });
  if (readdirSync(folder).length > 0) throw new Error(`Cannot release to "${folder}": the folder is not empty`);
  npm(["pack", "--pack-destination", resolve(folder)], root);
  const bill = npm(["sbom", "--sbom-format", "cyclonedx", "--sbom-type", "application", "--omit", "dev"], root);
  // npm takes the name of the folder for that of the package.
  const named = JSON.parse(bill) as { metadata: { component: object } };
  Object.assign(named.metadata.component, { name });
  writeFileSync(join(folder, `${name}-${version}.cdx.json`), `${JSON.stringify(named, null, 2)}\n`);
  const files = readdirSync(folder).sort();
  const sums = files.map((file) => `${sha256(join(folder, file))}  ${file}\n`);
  writeFileSync(join(folder, SUMS), sums.join(""));
  return [...files, SUMS];
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
    for (const file of makeRelease(folder)) process.stdout.write(`${file}\n`);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
