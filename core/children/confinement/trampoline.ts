/**
 * The entry of a confined process: `bun trampoline.ts ORDER`, where ORDER is JSON. It confines itself, reports on standard
 * output what the kernel enforces, and executes Bun again with `main.ts`, the same order and an empty environment. Rules of
 * Landlock apply to the calling thread alone, hence the second execution: no thread of the first one is left.
 */
import { readFileSync, realpathSync, writeSync } from "node:fs";
import { join } from "node:path";
import { landlockAbi, restrictFiles, scopesSignals } from "./landlock.ts";
import { messageBytes } from "./messages.ts";
import { installFilter } from "./seccomp.ts";
import { cString, knownArchitecture, openSyscalls, pointersTo, type Syscall } from "./syscalls.ts";

/** What a process that is confined runs. */
export interface ConfinedOrder {
  /** The module to execute. */
  readonly main: string;
  /** Files and folders that the process may read, beside Bun, core and its libraries. */
  readonly readable: readonly string[];
  /** Whether it also runs where the kernel cannot confine it. */
  readonly unenforced: boolean;
  /** Folders of which it may list the names of all that is below them: Bun finds packages only where it can list the folders above. */
  readonly listable?: readonly string[];
  /** The files of modules by import name, null for an empty one; those for plugins by default, which precede what is installed. */
  readonly modules?: Readonly<Record<string, string | null>>;
}

/** The order as the process gets it. */
export type TrampolineOrder = Required<ConfinedOrder>;

/** What the kernel enforces, as the first message of the process. */
export type Enforcement =
  | { readonly landlock: number; readonly network: "namespace" | "seccomp" }
  | { readonly missing: string };

const MAIN = join(import.meta.dir, "main.ts");
const STDOUT = 1;
const PR = { setDeathSignal: 1, setNoNewPrivileges: 38 } as const;
const SIGKILL = 9;
const NEW_USER = 0x10000000;
const NEW_NETWORK = 0x40000000;
const CAPABILITY_VERSION = 0x20080522;
/** Limits of resources by number: size of written files, size of core dumps, open files. */
const RESOURCE_LIMITS = [
  [1, 0n],
  [4, 0n],
  [7, 2048n],
] as const;

/** Files below /proc/PID that the start of Bun and process.memoryUsage() read. */
const PROC_SELF = ["maps", "stat"];

const parent = process.ppid;
const [, , text = "{}"] = process.argv;
const order = JSON.parse(text) as TrampolineOrder;
const syscall = openSyscalls();
const enforced = confine(order, syscall);
writeSync(STDOUT, messageBytes(enforced));
if (!("missing" in enforced) && syscall) execute(syscall);
else if (order.unenforced) await import(MAIN);

function confine({ readable, listable }: TrampolineOrder, call: Syscall | undefined): Enforcement {
  const architecture = knownArchitecture();
  if (!architecture || !call) return { missing: "the system calls of this platform are unknown" };
  const abi = landlockAbi(call);
  if (abi === 0) return { missing: "the kernel lacks Landlock" };
  const rules = { listable, readable: [...readable, ...libraries()], executable: programs() };
  const network = leaveNetwork(call) ? "namespace" : "seccomp";
  for (const [resource, limit] of RESOURCE_LIMITS)
    call("prlimit64", 0, resource, new BigUint64Array([limit, limit]), 0);
  dropCapabilities(call);
  call("prctl", PR.setNoNewPrivileges, 1, 0, 0, 0);
  call("prctl", PR.setDeathSignal, SIGKILL);
  // The server may have ended before the signal was set.
  if (process.ppid !== parent) process.exit(1);
  restrictFiles(call, abi, rules);
  const isFiltered = installFilter(call, architecture, { pid: process.pid, scopesSignals: scopesSignals(abi) });
  return isFiltered ? { landlock: abi, network } : { missing: "the kernel lacks seccomp filters" };
}

/** Enters a network namespace without interfaces, where the kernel lets this user make one. */
function leaveNetwork(call: Syscall): boolean {
  return call("unshare", NEW_USER | NEW_NETWORK) === 0 || call("unshare", NEW_NETWORK) === 0;
}

/** Drops all capabilities, which matters for root where user namespaces are unavailable. */
function dropCapabilities(call: Syscall): void {
  call("capset", new Uint32Array([CAPABILITY_VERSION, 0]), new Uint32Array(6));
}

/** The files that this process has mapped: Bun and the libraries it is linked with. */
function mapped(): string[] {
  const paths = readFileSync("/proc/self/maps", "utf8").match(/\/\S.*$/gm) ?? [];
  return [...new Set(paths)].filter((path) => !path.startsWith("/dev/") && !path.endsWith("(deleted)"));
}

function libraries(): string[] {
  return [
    ...mapped(),
    "/etc/ld.so.cache",
    "/dev/null",
    "/dev/urandom",
    ...PROC_SELF.map((name) => `/proc/${process.pid}/${name}`),
  ].flatMap(existing);
}

/** Bun and the loader of its libraries, which the kernel opens to execute it. */
function programs(): string[] {
  const loaders = mapped().filter((path) => /\/ld(-linux|-musl)?[^/]*\.so[^/]*$/.test(path));
  return [process.execPath, ...loaders].flatMap(existing);
}

function existing(path: string): string[] {
  try {
    return [realpathSync(path)];
  } catch {
    return [];
  }
}

function execute(call: Syscall): void {
  const program = cString(realpathSync(process.execPath));
  const words = [process.execPath, "--no-install", "run", MAIN, text].map(cString);
  const result = call("execve", program, pointersTo(words), pointersTo([]));
  throw new Error(`Cannot execute Bun: error ${-result} of the kernel`);
}
