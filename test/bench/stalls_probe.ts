// A process of its own for stalls.ts: requests each path every 50 ms, whether or not the last one was answered, until its
// standard input ends; then prints, as JSON by path, how many milliseconds each answer took. What is still unanswered after
// a minute counts as it stands, and so does whatever failed, by its name.
export {};

const EVERY_MS = 50;
const LAST_MS = 60_000;

const [baseUrl = "", token = "", ...paths] = process.argv.slice(2);
const headers = { authorization: `Token ${token}` };
const waits: Record<string, number[]> = Object.fromEntries(paths.map((path) => [path, []]));
const failures: Record<string, number> = {};
const open = new Map<number, { path: string; started: number }>();
let count = 0;

async function ask(path: string): Promise<void> {
  const at = count++;
  const started = performance.now();
  open.set(at, { path, started });
  const outcome = await fetch(baseUrl + path, { headers, signal: AbortSignal.timeout(2 * LAST_MS) })
    .then(async (response) => {
      await response.arrayBuffer();
      return String(response.status);
    })
    .catch((error: Error) => error.name);
  open.delete(at);
  waits[path]?.push(performance.now() - started);
  if (outcome !== "200") failures[outcome] = (failures[outcome] ?? 0) + 1;
}

const timer = setInterval(() => {
  for (const path of paths) void ask(path);
}, EVERY_MS);
for await (const _ of Bun.stdin.stream());
clearInterval(timer);
for (const until = performance.now() + LAST_MS; open.size > 0 && performance.now() < until; ) await Bun.sleep(10);
for (const { path, started } of open.values()) waits[path]?.push(performance.now() - started);
process.stdout.write(JSON.stringify({ waits, failures, unanswered: open.size }));
process.exit(0);
