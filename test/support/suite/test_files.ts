import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The top of the repository. */
export const ROOT = join(import.meta.dir, "../../..");

/** A test that opens a runtime by one of these takes the store that DATABASE_URL names, or the embedded one. */
const OPENS_RUNTIME = /from "(?:\.\.\/)+support\/harness\/(?:test_runtime|scenario|attachments)\.ts"/;

/** All test files in the order of their paths, which are relative to the top of the repository. */
export function testFiles(): string[] {
  const glob = new Bun.Glob("{core,db,plugins,themes,test}/**/*{_test,.test}.ts");
  return [...glob.scanSync({ cwd: ROOT })].filter((path) => !/^test\/bench\/|node_modules/.test(path)).sort();
}

/** Whether a test file opens a runtime in its process, over the store of the tests. */
export function opensRuntime(path: string): boolean {
  return path.startsWith("test/") && OPENS_RUNTIME.test(readFileSync(join(ROOT, path), "utf8"));
}

/** Whether a test file drives a browser, which few machines have. */
export function needsBrowser(path: string): boolean {
  return path.startsWith("test/browser/");
}

/** Whether a test file drives Firefox. */
export function needsFirefox(path: string): boolean {
  return path === "test/browser/firefox_test.ts";
}

/** Whether a test file opens stores of both kinds itself (`db/_stores.ts`). */
export function opensStores(path: string): boolean {
  return path.startsWith("db/");
}

/** A test that starts the program by one of these takes the copy of Lectern that the run has made for that. */
const STARTS_PROGRAMS = /from "(?:\.\.\/)+support\/harness\/(?:program|command)\.ts"/;

/** Whether a test file starts programs (`support/harness/program.ts`). */
export function startsPrograms(path: string): boolean {
  return path.startsWith("test/") && STARTS_PROGRAMS.test(readFileSync(join(ROOT, path), "utf8"));
}
