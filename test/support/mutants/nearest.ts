import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** By folder the tests in test/ that would be the first to run after a change there. */
export const TESTS_OF: Readonly<Record<string, readonly string[]>> = {
  "core/events": [
    "core/acting",
    "core/answer_cache",
    "core/cache",
    "core/jobs",
    "core/plugin_faults",
    "core/schedules",
    "core/two_servers",
    "operations/dead_jobs",
  ],
  "db/connection": ["core/answer_cache", "core/jobs", "core/slow_reads", "core/two_servers", "server/replicas"],
  "db/grants": ["core/column_grants", "core/grants", "core/grants_escape", "core/grants_true", "core/server_roles"],
  "plugins/accounts/access": [
    "accounts/access_lists",
    "accounts/access_property",
    "accounts/content_permissions",
    "accounts/privilege_escapes",
    "accounts/ruled_tables",
    "accounts/truth_table",
    "core/grants_true",
    "operations/doctor",
  ],
};
/** Further folders of `db` whose tests use what the first one has. */
const NEIGHBOURS: Readonly<Record<string, readonly string[]>> = {
  "db/connection": ["db/query", "db/replicas"],
  "db/grants": ["db/query"],
};

/** The source files that a path stands for: itself, or those below it that are no tests; sorted. Throws where there is none. */
export function sourcesOf(root: string, path: string): string[] {
  const pattern = path.endsWith(".ts") ? path : `${path.replace(/\/$/, "")}/**/*.ts`;
  const found = [...new Bun.Glob(pattern).scanSync({ cwd: root })].filter((file) => !/(?:_test|\.d)\.ts$/.test(file));
  if (found.length === 0) throw new Error(`Cannot find "${path}": wanted a source file, or a folder with some`);
  return found.sort();
}

/**
 * The tests nearest to a source file: those of its folder, and what the list above has for it. For a folder that is not in the
 * list those files of test/ that name a file of it, or are named after it.
 */
export function nearestTests(root: string, path: string): string[] {
  const folder = dirname(path);
  const listed = TESTS_OF[folder];
  const near = [folder, ...(NEIGHBOURS[folder] ?? [])].flatMap((one) => testsIn(root, one));
  const far = listed?.map((name) => `test/${name}_test.ts`) ?? namedAfter(root, folder);
  return [...new Set([...near, ...far])];
}

function testsIn(root: string, folder: string): string[] {
  return [...new Bun.Glob(`${folder}/*_test.ts`).scanSync({ cwd: root })].sort();
}

function namedAfter(root: string, folder: string): string[] {
  const tests = [
    ...new Bun.Glob("test/{accounts,content,core,monitoring,operations,transfer,web}/*_test.ts").scanSync({
      cwd: root,
    }),
  ];
  const name = new RegExp(`^${basename(folder)}(?:_.*)?_test\\.ts$`);
  return tests
    .filter((test) => name.test(basename(test)) || readFileSync(join(root, test), "utf8").includes(`${folder}/`))
    .sort();
}
