/**
 * `bun test/bench/sign_ins.ts [root]`: how long another user's downloads, lists and sign-in wait while 58 wrong passwords are
 * checked, sent at once from one address, and then at one account from 58 addresses; beside an undisturbed run. They are
 * probed every 50 ms from a process of their own. `root` is another checkout of Lectern to measure.
 */
import { dataFolder, startProgram } from "../support/harness/program.ts";
import { record } from "./record.ts";

const ATTEMPTS = 58;
const QUIET_MS = 3_000;
const AROUND_MS = 300;
const PASSWORD = "correct horse battery";
const [root] = process.argv.slice(2);

const folder = dataFolder();
const program = await startProgram(
  folder.path,
  { LOG_LEVEL: "error", APP_PROXIES: "*", ADMIN_PASSWORD: PASSWORD },
  root === undefined ? {} : { root },
);
const baseUrl = `http://127.0.0.1:${program.port}`;

/** Tries a password, as a client of an address; the status and milliseconds of the answer. */
async function knock(address: string, email: string, password: string) {
  const started = performance.now();
  const response = await fetch(`${baseUrl}/api/session`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-forwarded-for": address },
    body: JSON.stringify({ email, password }),
  });
  await response.arrayBuffer();
  return { status: response.status, ms: performance.now() - started };
}

interface Probed {
  readonly waits: Record<string, number[]>;
  readonly failures: Record<string, number>;
}

/** Probes paths while `run` goes on. */
async function probed(paths: readonly string[], run: () => Promise<unknown>): Promise<Probed> {
  const token = program.authorization.slice("Token ".length);
  const child = Bun.spawn([process.execPath, `${import.meta.dir}/stalls_probe.ts`, baseUrl, token, ...paths], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  await Bun.sleep(AROUND_MS);
  await run();
  await Bun.sleep(AROUND_MS);
  await child.stdin.end();
  return JSON.parse(await new Response(child.stdout).text());
}

function statuses(answers: readonly { status: number }[]): string {
  const counts = Map.groupBy(answers, ({ status }) => status);
  return [...counts].map(([status, all]) => `${all.length}x ${status}`).join(" ");
}

/** Waits for what runs until nothing more than an undisturbed server does. */
async function measure(name: string, paths: readonly string[], attempts: readonly [string, string][]): Promise<void> {
  let outcome = "";
  let good = { status: 0, ms: 0 };
  const { waits, failures } = await probed(paths, async () => {
    if (attempts.length === 0) await Bun.sleep(QUIET_MS);
    const wrong = Promise.all(attempts.map(([address, email]) => knock(address, email, "wrong password")));
    good = await knock("192.0.2.1", "admin@example.com", PASSWORD);
    outcome = statuses(await wrong);
  });
  const longest = (path: string) => Math.round(Math.max(...(waits[path] ?? [])));
  const [list = "", file = ""] = paths;
  record("Wrong passwords and others", {
    attempts: name,
    answers: outcome === "" ? "-" : outcome,
    "good sign-in (ms)": `${Math.round(good.ms)} (${good.status})`,
    "longest list (ms)": longest(list),
    "longest download (ms)": longest(file),
    failures: Object.keys(failures).join(" ") || "-",
  });
}

async function made(path: string, body: unknown): Promise<Record<string, unknown>> {
  const { status, body: answer } = await program.ask("POST", path, body);
  if (status !== 200) throw new Error(`Cannot measure: POST ${path} answers ${status}`);
  return answer;
}

try {
  const book = await made("/api/books", { name: "Sign-ins" });
  const page = await made("/api/pages", { book_id: book.id, name: "Files", html: "<p>a</p>" });
  const parts = new FormData();
  parts.set("name", "notes");
  parts.set("uploaded_to", String(page.id));
  parts.set("file", new File(["x".repeat(500_000)], "notes.txt"));
  const headers = { authorization: program.authorization };
  const attached = await fetch(`${baseUrl}/api/attachments`, { method: "POST", headers, body: parts });
  const { id } = (await attached.json()) as { id: number };
  for (const name of ["other", "target"])
    await made("/api/users", { name, email: `${name}@example.com`, password: PASSWORD });
  const paths = ["/api/books", `/attachments/${id}`];
  await knock("192.0.2.9", "admin@example.com", PASSWORD);
  const times = (make: (at: number) => [string, string]) => Array.from({ length: ATTEMPTS }, (_, at) => make(at));
  await measure("none", paths, []);
  await measure(
    "58 accounts from one address",
    paths,
    times((at) => ["192.0.2.66", `nobody${at}@example.com`]),
  );
  await measure(
    "one account from 58 addresses",
    paths,
    times((at) => [`198.51.100.${at}`, "target@example.com"]),
  );
} finally {
  program.signal("SIGTERM");
  await program.ended;
  folder.remove();
}
