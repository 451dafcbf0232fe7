/**
 * A seccomp filter: a program that the kernel runs at each system call of a process, kept by what it executes and never lifted.
 * It denies what Landlock lets pass: sockets of any kind (UDP, UNIX paths), new processes, signals, attributes of files, changes
 * of other processes, and calls that are newer than this list.
 */
import { ptr } from "bun:ffi";
import type { Syscall } from "./syscalls.ts";

const PR_SET_SECCOMP = 22;
const MODE_FILTER = 2;
const OFFSET = { number: 0, architecture: 4, firstArgument: 16 } as const;
const AUDIT_ARCHITECTURE = { x64: 0xc000003e, arm64: 0xc00000b7 } as const;
const CODE = { load: 0x20, ifEqual: 0x15, ifAtLeast: 0x35, ifAnyBit: 0x45, answer: 0x06 } as const;
const ALLOW = 0x7fff0000;
const KILL_PROCESS = 0x80000000;
const EPERM = 0x00050000 | 1;
const ENOSYS = 0x00050000 | 38;
const CLONE_THREAD = 0x10000;
const PR_SET_PDEATHSIG = 1;
/** The last system call that this list knows (mseal). Newer ones answer as on an older kernel. */
const LAST_KNOWN = 462;
const CLONE3 = 435;

interface Numbers {
  /** Always denied. */
  readonly denied: readonly number[];
  /** Denied unless their first argument is the process itself. */
  readonly onlySelf: readonly number[];
  readonly tkill: number;
  readonly clone: number;
  readonly prctl: number;
  readonly prlimit64: number;
}

/** Calls with the same number on both architectures. */
const DENIED_NEWER = [
  // io_uring, which reaches sockets and files past this filter
  425, 426, 427,
  // pidfd_send_signal, pidfd_open, pidfd_getfd, process_madvise, process_mrelease
  424, 434, 438, 440, 448,
  // open_tree, move_mount, fsopen, fsconfig, fsmount, fspick, mount_setattr, quotactl_fd
  428, 429, 430, 431, 432, 433, 442, 443,
  // memfd_secret, fchmodat2, statmount, listmount
  447, 452, 457, 458,
];

const NUMBERS: Readonly<Record<"x64" | "arm64", Numbers>> = {
  x64: {
    denied: [
      // socket, connect, bind, listen, socketpair, accept, accept4
      41, 42, 49, 50, 53, 43, 288,
      // fork, vfork
      57, 58,
      // ptrace, process_vm_readv, process_vm_writev, kcmp, process memory and priorities of others
      101, 310, 311, 312, 256, 279, 141, 142, 144, 203, 251, 314,
      // unshare, setns, mount, umount2, pivot_root, chroot
      272, 308, 165, 166, 155, 161,
      // bpf, perf_event_open, userfaultfd, add_key, request_key, keyctl
      321, 298, 323, 248, 249, 250,
      // modules, kexec, reboot, swap, host name, accounting, quotas, kernel log, clocks, ports, modify_ldt
      175, 313, 176, 246, 320, 169, 167, 168, 170, 171, 163, 179, 103, 164, 227, 159, 305, 172, 173, 154,
      // name_to_handle_at, open_by_handle_at, fanotify_init, inotify_init, inotify_init1
      303, 304, 300, 253, 294,
      // chmod, fchmod, fchmodat, chown, fchown, lchown, fchownat, utime, utimes, futimesat, utimensat
      90, 91, 268, 92, 93, 94, 260, 132, 235, 261, 280,
      // extended attributes
      188, 189, 190, 191, 192, 193, 194, 195, 196, 197, 198, 199,
      // memfd_create, shmget, shmat, msgget, semget, mq_open
      319, 29, 30, 68, 64, 240,
    ],
    // kill, tgkill, rt_sigqueueinfo, rt_tgsigqueueinfo
    onlySelf: [62, 234, 129, 297],
    tkill: 200,
    clone: 56,
    prctl: 157,
    prlimit64: 302,
  },
  arm64: {
    denied: [
      198, 203, 200, 201, 199, 202, 242, 117, 270, 271, 272, 238, 239, 140, 118, 119, 122, 30, 274, 97, 268, 40, 39, 41,
      51, 280, 241, 282, 217, 218, 219, 105, 273, 106, 104, 294, 142, 224, 225, 161, 162, 89, 60, 116, 170, 112, 171,
      266, 264, 265, 262, 26, 52, 53, 54, 55, 88, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 279, 194, 196, 186, 190,
      180,
    ],
    onlySelf: [129, 131, 138, 240],
    tkill: 130,
    clone: 220,
    prctl: 167,
    prlimit64: 261,
  },
};

/** Installs the filter in the calling thread; requires no_new_privs. Whether the kernel accepted it. */
export function installFilter(
  syscall: Syscall,
  architecture: "x64" | "arm64",
  options: { readonly pid: number; readonly scopesSignals: boolean },
): boolean {
  const program = programOf(architecture, options);
  // struct sock_fprog: number of instructions, their address.
  const header = new BigUint64Array([BigInt(program.length), BigInt(ptr(program))]);
  return syscall("prctl", PR_SET_SECCOMP, MODE_FILTER, header) === 0;
}

function programOf(
  architecture: "x64" | "arm64",
  { pid, scopesSignals }: { readonly pid: number; readonly scopesSignals: boolean },
): BigUint64Array {
  const numbers = NUMBERS[architecture];
  const denied = [...numbers.denied, ...DENIED_NEWER, ...(scopesSignals ? [] : [numbers.tkill])];
  return BigUint64Array.from([
    instruction(CODE.load, OFFSET.architecture),
    instruction(CODE.ifEqual, AUDIT_ARCHITECTURE[architecture], 1, 0),
    instruction(CODE.answer, KILL_PROCESS),
    instruction(CODE.load, OFFSET.number),
    instruction(CODE.ifAtLeast, LAST_KNOWN + 1, 0, 1),
    instruction(CODE.answer, ENOSYS),
    ...denied.flatMap((number) => [instruction(CODE.ifEqual, number, 0, 1), instruction(CODE.answer, EPERM)]),
    // The C library uses clone instead, whose flags a filter can read.
    instruction(CODE.ifEqual, CLONE3, 0, 1),
    instruction(CODE.answer, ENOSYS),
    ...byFirstArgument(numbers.clone, instruction(CODE.ifAnyBit, CLONE_THREAD, 1, 0)),
    ...byFirstArgument(numbers.prctl, instruction(CODE.ifEqual, PR_SET_PDEATHSIG, 0, 1)),
    ...byFirstArgument(numbers.prlimit64, instruction(CODE.ifEqual, 0, 1, 0)),
    ...numbers.onlySelf.flatMap((number) => byFirstArgument(number, instruction(CODE.ifEqual, pid, 1, 0))),
    instruction(CODE.answer, ALLOW),
  ]);
}

/** Denies a call by its first argument: `test` jumps over one instruction to allow it. */
function byFirstArgument(number: number, test: bigint): bigint[] {
  return [
    instruction(CODE.ifEqual, number, 0, 4),
    instruction(CODE.load, OFFSET.firstArgument),
    test,
    instruction(CODE.answer, EPERM),
    instruction(CODE.answer, ALLOW),
  ];
}

/** struct sock_filter: code, jump if true, jump if false, operand. */
function instruction(code: number, operand: number, ifTrue = 0, ifFalse = 0): bigint {
  return BigInt(code) | (BigInt(ifTrue) << 16n) | (BigInt(ifFalse) << 24n) | (BigInt(operand >>> 0) << 32n);
}
