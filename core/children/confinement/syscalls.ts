/**
 * System calls by number, through the function `syscall` of the C library. Bun has no interface of its own for what confines a
 * process. Numbers are those of Linux on x64 and arm64; on other systems there are none, and nothing can be confined.
 */
import { dlopen, FFIType, ptr, read } from "bun:ffi";

const LIBRARIES = ["libc.so.6", `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`];
const WORD = FFIType.u64;

/** Numbers that are used to confine, on x64 and on arm64. Those of newer calls are the same on both. */
const NUMBERS = {
  x64: { close: 3, execve: 59, prctl: 157, openat: 257, unshare: 272, capset: 126, prlimit64: 302 },
  arm64: { close: 57, execve: 221, prctl: 157 + 10, openat: 56, unshare: 97, capset: 91, prlimit64: 261 },
} as const;
const NEWER = { landlock_create_ruleset: 444, landlock_add_rule: 445, landlock_restrict_self: 446 } as const;

/** The name of a system call that is used to confine. */
export type SyscallName = keyof typeof NUMBERS.x64 | keyof typeof NEWER;

/** An argument: a number, or memory whose address is passed. The caller keeps the memory. */
export type SyscallArgument = number | bigint | NodeJS.TypedArray;

/** Calls the kernel. Returns the result, or minus the error number. */
export type Syscall = (name: SyscallName, ...args: readonly SyscallArgument[]) => number;

/** The architecture, if its numbers are known. */
export function knownArchitecture(): "x64" | "arm64" | undefined {
  if (process.platform !== "linux") return undefined;
  return process.arch === "x64" || process.arch === "arm64" ? process.arch : undefined;
}

/** Opens the C library; undefined where the system, the numbers or the library are unknown. */
export function openSyscalls(): Syscall | undefined {
  const architecture = knownArchitecture();
  if (!architecture) return undefined;
  const numbers = { ...NUMBERS[architecture], ...NEWER };
  for (const library of LIBRARIES) {
    try {
      const { symbols } = dlopen(library, {
        syscall: { args: [FFIType.i64, WORD, WORD, WORD, WORD, WORD], returns: FFIType.i64 },
        __errno_location: { args: [], returns: FFIType.ptr },
      });
      return (name, ...args) => {
        const [first = 0, second = 0, third = 0, fourth = 0, fifth = 0] = args.map(addressOf);
        const result = Number(symbols.syscall(numbers[name], first, second, third, fourth, fifth));
        const errno = symbols.__errno_location();
        return result === -1 && errno !== null ? -read.i32(errno, 0) : result;
      };
    } catch {
      // Another C library, or a Bun without its interface for foreign functions.
    }
  }
  return undefined;
}

/** A text as C reads it. */
export function cString(text: string): Uint8Array {
  return Buffer.from(`${text}\0`);
}

function addressOf(argument: SyscallArgument): number | bigint {
  return typeof argument === "object" ? ptr(argument) : argument;
}

/** An array of addresses as C reads it, with a null at its end. The caller keeps the memory. */
export function pointersTo(memory: readonly Uint8Array[]): BigUint64Array {
  return BigUint64Array.from([...memory.map((each) => BigInt(ptr(each))), 0n]);
}
