/**
 * A server of its own for stalls.ts: a throw-away cluster with as many pages of ordinary text as asked for, written by SQL
 * before the server starts, so that the server builds its indexes and counts as for an instance that had none.
 */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { startCluster } from "../support/harness/cluster.ts";

const START_MS = 1_800_000;
const TOKEN = "benchid:benchsecret";
/** Words of which the most frequent stands in nearly every page. */
const WORDS = `(array['the','call','server','failover','database','at','any','hour','node','is','down','restart','backup','rack',
  'power','switch','on','duty','phone','network','disk','mirror','a','of','to','and','runbook','page','step','check'])`;

/** Where it answers, and as whom. */
export interface Served {
  readonly baseUrl: string;
  readonly token: string;
  stop(): Promise<void>;
}

/** Starts a server over so many pages, in a hundredth as many books. */
export async function served(pages: number, port: number): Promise<Served> {
  const cluster = await startCluster();
  if (!cluster) throw new Error("Cannot measure: install PostgreSQL, or name a running server by --base-url");
  const dataDir = mkdtempSync(join(tmpdir(), "lectern-stalls-"));
  chmodSync(dataDir, 0o755);
  const env = {
    ...process.env,
    DATABASE_URL: cluster.url,
    DATA_DIR: dataDir,
    PORT: String(port),
    LOG_LEVEL: "error",
    ADMIN_TOKEN: TOKEN,
    ADMIN_PASSWORD: "bench password",
    API_REQUESTS_PER_MIN: "100000000",
  };
  const run = (command: string) =>
    Bun.spawn([process.execPath, "core/cli.ts", command, "plugins/mod.ts"], {
      env,
      stdout: "ignore",
      stderr: "inherit",
    });
  const stopCluster = async () => {
    await cluster.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    if ((await run("migrate").exited) !== 0) throw new Error("Cannot measure: the tables could not be made");
    await fill(cluster.url, pages);
  } catch (error) {
    await stopCluster();
    throw error;
  }
  const server = run("serve");
  const baseUrl = `http://127.0.0.1:${port}`;
  for (const until = performance.now() + START_MS; performance.now() < until && server.exitCode === null; ) {
    const answers = await fetch(baseUrl).then(
      () => true,
      () => false,
    );
    if (answers) break;
    await Bun.sleep(200);
  }
  return {
    baseUrl,
    token: TOKEN,
    async stop() {
      server.kill("SIGTERM");
      await server.exited;
      await stopCluster();
    },
  };
}

/** Writes so many pages of ordinary text into empty tables, in a hundredth as many books. */
export async function fill(url: string, pages: number): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  const books = Math.ceil(pages / 100);
  const text = `(select string_agg(${WORDS}[1 + floor(30 * random() * random())::integer], ' ') from generate_series(1, 120) where n > 0)`;
  await sql.unsafe(
    `insert into books (name, slug) select 'Book ' || n, 'book-' || n from generate_series(1, ${books}) n`,
  );
  await sql.unsafe(`insert into pages (book_id, name, slug, html, markdown, text, rendered, priority, editor)
    select 1 + n % ${books}, 'Page ' || md5(n::text), 'page-' || n, '<p>' || text || '</p>', '', text, '<p>' || text || '</p>',
      n % 50, 'wysiwyg'
    from (select n, ${text} as text from generate_series(1, ${pages}) n) made`);
  await sql.unsafe("analyze");
  await sql.end();
}
