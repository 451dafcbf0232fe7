/**
 * The walls of a confined process, tried from inside. Where the kernel has no Landlock, the start is refused instead, which is
 * then what is tested.
 */
import { dlopen } from "bun:ffi";
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfinedProcess } from "../../core/children/confinement/confined_process.ts";
import { landlockAbi } from "../../core/children/confinement/landlock.ts";
import { openSyscalls } from "../../core/children/confinement/syscalls.ts";
import type { Aim } from "../fixtures/isolated/escapes.ts";
import { until } from "../support/harness/until.ts";

setDefaultTimeout(60_000);
const ROOT = join(import.meta.dir, "../..");
const MAIN = join(ROOT, "test/fixtures/isolated/escapes.ts");
const LIMITS = { maxBytes: 512 * 2 ** 20, maxMessageBytes: 65_536 };
const syscall = openSyscalls();
const hasLandlock = syscall !== undefined && landlockAbi(syscall) > 0;

const folder = mkdtempSync(join(tmpdir(), "lectern-walls-"));
const secret = join(folder, "secret");
const received: string[] = [];
const tcp = createServer((socket) => {
  received.push("TCP");
  socket.destroy();
}).listen(0, "127.0.0.1");
const unix = createServer((socket) => {
  received.push("UNIX");
  socket.destroy();
}).listen(join(folder, "socket"));
const udp = await Bun.udpSocket({ socket: { data: () => void received.push("UDP") }, hostname: "127.0.0.1" });
/** System V shared memory, which belongs to a user and not to a process: 0 is a private key, or the removal. */
const { symbols: library } = hasLandlock
  ? dlopen("libc.so.6", {
      shmget: { args: ["i32", "u64", "i32"], returns: "i32" },
      shmctl: { args: ["i32", "i32", "u64"], returns: "i32" },
    })
  : { symbols: undefined };
const shared = library?.shmget(0, 4_096, 0o600) ?? -1;
afterAll(() => {
  library?.shmctl(shared, 0, 0);
  tcp.close();
  unix.close();
  udp.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Starts the attempts; resolves with the first message of the process, rejects with the reason of its end. */
function start(order: { main: string; unenforced?: boolean }) {
  const message = Promise.withResolvers<Record<string, string>>();
  const ended = Promise.withResolvers<string>();
  const child = new ConfinedProcess(
    { readable: [join(ROOT, "test/fixtures/isolated")], unenforced: false, ...order },
    LIMITS,
    { receive: (found) => message.resolve(found as Record<string, string>), ended: ended.resolve },
  );
  return { child, message: message.promise, ended: ended.promise };
}

test("a confined process reads, writes, connects, signals and starts nothing; without Landlock it does not run", async () => {
  if (!hasLandlock) {
    const { child, ended } = start({ main: MAIN });
    expect(await child.enforcement).toEqual({ missing: expect.any(String) });
    await ended;
    return;
  }
  writeFileSync(secret, "secret", { mode: 0o644 });
  mkdirSync(join(folder, "below"));
  const before = statSync(secret);
  const { child, message, ended } = start({ main: MAIN });
  expect(await child.enforcement).toEqual({
    landlock: expect.any(Number),
    network: expect.stringMatching(/^(namespace|seccomp)$/),
  });
  const aim: Aim = {
    parent: process.pid,
    secret,
    folder,
    fresh: join(folder, "fresh"),
    tcp: (tcp.address() as { port: number }).port,
    udp: udp.port,
    socket: join(folder, "socket"),
    shared,
  };
  child.send(aim);
  const { environment, ...outcomes } = await Promise.race([
    message,
    ended.then((reason) => Promise.reject(new Error(reason))),
  ]);
  expect(environment).toBe("{}");
  const succeeded = Object.entries(outcomes).filter(([, outcome]) => outcome !== "denied");
  expect(succeeded).toEqual([]);
  expect(Object.keys(outcomes).length).toBeGreaterThan(25);
  expect(received).toEqual([]);
  expect([readFileSync(secret, "utf8"), statSync(secret).mode, statSync(secret).mtimeMs]).toEqual([
    "secret",
    before.mode,
    before.mtimeMs,
  ]);
  child.kill("the test is over");
  expect(await ended).toContain("the test is over");
});

test("the process ends with the server, also where that is killed", async () => {
  const code = `
    const { ConfinedProcess } = await import(${JSON.stringify(join(ROOT, "core/children/confinement/confined_process.ts"))});
    const order = { main: ${JSON.stringify(MAIN)}, readable: [${JSON.stringify(join(ROOT, "test/fixtures/isolated"))}], unenforced: true };
    const child = new ConfinedProcess(order, ${JSON.stringify(LIMITS)}, { receive() {}, ended() {} });
    await child.enforcement;
    console.log(child.pid);
    setInterval(() => {}, 1_000);`;
  const server = Bun.spawn([process.execPath, "-e", code], { stdout: "pipe", stderr: "inherit" });
  const { value } = await server.stdout.getReader().read();
  const pid = Number(new TextDecoder().decode(value));
  expect(isRunning(pid)).toBe(true);
  server.kill("SIGKILL");
  await server.exited;
  expect(
    await until(
      () => isRunning(pid),
      (found) => !found,
      10_000,
    ),
  ).toBe(false);
});

test("a message that is too long or malformed ends the process", async () => {
  const cases = [Buffer.from([0xff, 0xff, 0xff, 0x7f]), Buffer.concat([Buffer.from([3, 0, 0, 0]), Buffer.from("{x}")])];
  for (const [index, bytes] of cases.entries()) {
    const below = join(folder, `malformed_${index}`);
    mkdirSync(below);
    const main = join(below, "main.ts");
    const hex = bytes.toString("hex");
    writeFileSync(main, `require("node:fs").writeSync(1, Buffer.from("${hex}", "hex")); setInterval(() => {}, 1e3);`);
    const ended = Promise.withResolvers<string>();
    new ConfinedProcess({ main, readable: [below], unenforced: true }, LIMITS, { receive() {}, ended: ended.resolve });
    expect(await ended.promise).toContain("it broke the protocol");
  }
});

test("a process that does not read its messages ends, so that they do not pile up in the server", async () => {
  const below = join(folder, "deaf");
  mkdirSync(below);
  const main = join(below, "main.ts");
  writeFileSync(main, "setInterval(() => {}, 1e3);");
  const ended = Promise.withResolvers<string>();
  const order = { main, readable: [below], unenforced: true };
  const child = new ConfinedProcess(order, LIMITS, { receive() {}, ended: ended.resolve });
  await child.enforcement;
  const text = "x".repeat(60_000);
  for (let sent = 0; sent < 200 && (await Promise.race([ended.promise, Bun.sleep(1)])) === undefined; sent++)
    child.send({ text });
  expect(await ended.promise).toContain("it does not read its messages");
});

function isRunning(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.startsWith("Z") === false;
  } catch {
    return false;
  }
}
