/**
 * Landlock: rules of the Linux kernel by which a process restricts itself, inherited by what it executes and never lifted. Here
 * files can be read below given paths and executed at given ones, nothing can be written, no TCP port be bound or connected
 * to (ABI 4), and no process outside be signalled nor abstract socket be reached (ABI 6).
 */
import { statSync } from "node:fs";
import { cString, type Syscall } from "./syscalls.ts";

const VERSION_FLAG = 1;
const RULE_PATH_BENEATH = 1;
const RIGHTS = { execute: 1n << 0n, readFile: 1n << 2n, readFolder: 1n << 3n } as const;
/** The number of file system rights by ABI: from 1 on, with REFER in 2, TRUNCATE in 3, IOCTL_DEV in 5. */
const RIGHTS_BY_ABI = [0, 13, 14, 15, 15, 16] as const;
const NETWORK_ABI = 4;
const SCOPE_ABI = 6;
const ALL_OF_TWO = 3n;
const O_PATH_CLOEXEC = 0o12000000;
const AT_FDCWD = -100;

/** What a confined process may use of the file system. */
export interface FileRules {
  /** Files, and folders with all below them, that it may read. */
  readonly readable: readonly string[];
  /** Folders of which it may list the names of all that is below them. */
  readonly listable: readonly string[];
  /** Files that it may execute and read. */
  readonly executable: readonly string[];
}

/** The version of Landlock's interface; 0 where the kernel has none or has it disabled. */
export function landlockAbi(syscall: Syscall): number {
  return Math.max(0, syscall("landlock_create_ruleset", 0, 0, VERSION_FLAG));
}

/** Whether this version confines signals. */
export function scopesSignals(abi: number): boolean {
  return abi >= SCOPE_ABI;
}

/** Restricts the calling thread to the rules. Requires no_new_privs. Throws where the kernel refuses. */
export function restrictFiles(syscall: Syscall, abi: number, { readable, listable, executable }: FileRules): void {
  const rules = checked(
    syscall("landlock_create_ruleset", ...sized(rulesetOf(abi)), 0),
    "create the rules of Landlock",
  );
  for (const path of listable) allow(syscall, rules, path, RIGHTS.readFolder);
  for (const path of readable) allow(syscall, rules, path, readRights(path));
  for (const path of executable) allow(syscall, rules, path, RIGHTS.execute | RIGHTS.readFile);
  checked(syscall("landlock_restrict_self", rules, 0), "apply the rules of Landlock");
  syscall("close", rules);
}

/** struct landlock_ruleset_attr: handled file rights, handled network rights, scopes. Older kernels know a shorter one. */
function rulesetOf(abi: number): BigUint64Array {
  const rights = RIGHTS_BY_ABI[Math.min(abi, RIGHTS_BY_ABI.length - 1)] ?? 0;
  const words = [(1n << BigInt(rights)) - 1n];
  if (abi >= NETWORK_ABI) words.push(ALL_OF_TWO);
  if (abi >= SCOPE_ABI) words.push(ALL_OF_TWO);
  return BigUint64Array.from(words);
}

function sized(memory: BigUint64Array): [BigUint64Array, number] {
  return [memory, memory.byteLength];
}

function readRights(path: string): bigint {
  return statSync(path).isDirectory() ? RIGHTS.readFile | RIGHTS.readFolder : RIGHTS.readFile;
}

function allow(syscall: Syscall, rules: number, path: string, rights: bigint): void {
  const name = cString(path);
  const folder = checked(syscall("openat", AT_FDCWD, name, O_PATH_CLOEXEC, 0), `open "${path}"`);
  // struct landlock_path_beneath_attr, packed: rights, descriptor.
  const rule = new DataView(new ArrayBuffer(12));
  rule.setBigUint64(0, rights, true);
  rule.setInt32(8, folder, true);
  checked(
    syscall("landlock_add_rule", rules, RULE_PATH_BENEATH, new Uint8Array(rule.buffer), 0),
    `allow to read "${path}"`,
  );
  syscall("close", folder);
}

function checked(result: number, what: string): number {
  if (result < 0) throw new Error(`Cannot ${what}: error ${-result} of the kernel`);
  return result;
}
