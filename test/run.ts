/**
 * `bun run test`: every test of the house on the embedded store, then those that touch the store again on a server:
 * DATABASE_URL if it is set, else a throw-away cluster of the system's own PostgreSQL where there is one. Arguments narrow
 * the run to files whose path contains them. The last line sums up: `N passed, N failed`.
 */
import { throwawayUrl } from "./support/cluster.ts";

const TIMEOUT_MS = 60_000;
/** What runs a second time on a server. */
const ON_STORE = ["./test/core", "./test/api"];

/** How a run of `bun test` ended. */
interface Outcome {
  readonly passed: number;
  readonly failed: number;
}

async function suite(title: string, paths: readonly string[], env: Record<string, string>): Promise<Outcome> {
  process.stdout.write(`\n== ${title}\n`);
  const child = Bun.spawn([process.execPath, "test", "--timeout", String(TIMEOUT_MS), ...paths], {
    env: { ...process.env, ...env },
    stdin: "ignore",
    stdout: "inherit",
    stderr: "pipe",
  });
  let text = "";
  for await (const chunk of child.stderr.pipeThrough(new TextDecoderStream())) {
    process.stderr.write(chunk);
    text += chunk;
  }
  const code = await child.exited;
  const count = (word: string) => Number(new RegExp(`^\\s*(\\d+) ${word}$`, "m").exec(text)?.[1] ?? 0);
  // A run that dies counts as failed even where no single test did.
  return { passed: count("pass"), failed: Math.max(count("fail"), code === 0 ? 0 : 1) };
}

async function onServer(filters: readonly string[]): Promise<Outcome> {
  const paths = filters.length > 0 ? filters : ON_STORE;
  const given = process.env.DATABASE_URL;
  if (given) return suite("on the server of DATABASE_URL", paths, { DATABASE_URL: given });
  const cluster = await throwawayUrl();
  if (!cluster) {
    process.stdout.write("\nskipped on a server: no PostgreSQL is installed here and DATABASE_URL is not set\n");
    return { passed: 0, failed: 0 };
  }
  try {
    return await suite("on a throw-away PostgreSQL server", paths, { DATABASE_URL: cluster.url });
  } finally {
    await cluster.stop();
  }
}

const filters = process.argv.slice(2);
const outcomes = [await suite("on the embedded store", filters, { DATABASE_URL: "" }), await onServer(filters)];
const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0);
const failed = outcomes.reduce((sum, outcome) => sum + outcome.failed, 0);
process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
