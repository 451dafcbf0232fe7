#!/usr/bin/env node
/**
 * The command `lectern` of the npm package, for Node: runs core/cli.ts with the Bun that npm installed as an optional package, else
 * with the `bun` of PATH. Signals and the exit code are passed on. Supervisors and containers run core/cli.ts with Bun directly.
 */
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("../cli.ts", import.meta.url));
/** The package with the binary of Bun for this system. */
const PACKAGE = `@oven/bun-${process.platform}-${process.arch === "arm64" ? "aarch64" : process.arch}`;

/**
 * Signals that end a server, each with the one that is sent on. It is another one, since terminals and supervisors also signal the
 * server itself, which a second signal of the same kind ends without waiting for requests.
 */
const FORWARDED = [
  ["SIGINT", "SIGTERM"],
  ["SIGTERM", "SIGINT"],
  ["SIGHUP", "SIGHUP"],
];
/** npm sends on what a terminal sends to this process too: within this time it is the same signal. */
const REPEAT_MS = 500;

/** The binary of Bun: that of this process under Bun, else the installed one, else the name that PATH resolves. */
function findBun() {
  if (process.versions.bun !== undefined) return process.execPath;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(`${PACKAGE}/package.json`)), "bin", "bun");
  } catch {
    // npm leaves optional packages out with --omit=optional, and on systems without one.
    return "bun";
  }
}

// Bun would download packages that are not installed.
const child = spawn(findBun(), ["--no-install", PROGRAM, ...process.argv.slice(2)], { stdio: "inherit" });
let isForwarded = false;
for (const [signal, forwarded] of FORWARDED) {
  let last = Number.NEGATIVE_INFINITY;
  process.on(signal, () => {
    const now = performance.now();
    if (now - last > REPEAT_MS) child.kill(forwarded);
    last = now;
    isForwarded = true;
  });
}
if (process.env.npm_command === "exec") {
  // npx runs this process by a shell; a signal that ends npx ends the shell, and does not arrive here.
  const shell = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(timer);
    // A signal to the whole group ends the shell and arrives here too.
    if (!isForwarded) child.kill("SIGTERM");
  }, REPEAT_MS);
  timer.unref();
}
child.on("error", (error) => {
  process.stderr.write(
    `Cannot start Bun: ${error.message}; install the optional package "${PACKAGE}", or Bun from https://bun.sh\n`,
  );
  process.exitCode = 1;
});
child.on("exit", (code, signal) => {
  process.exitCode = code ?? 128 + (constants.signals[signal ?? "SIGKILL"] ?? 0);
});
