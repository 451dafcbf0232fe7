/**
 * A seccomp filter: a program that the kernel runs at each system call of a process, kept by what it executes and never lifted.
 * It denies what Landlock lets pass, on older kernels or on all: sockets of any kind (UDP, UNIX paths), new processes, signals,
 * attributes of files, truncation, memory and queues that processes share, changes of other processes, and calls that are newer
 * than this list.
 */
import { ptr } from "bun:ffi";
import type { Syscall } from "./syscalls.ts";

const PR_SET_SECCOMP = 22;
const MODE_FILTER = 2;
const OFFSET = { number: 0, architecture: 4, arguments: 16 } as const;
const BYTES_PER_ARGUMENT = 8;
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
/** Calls whose arguments lie in memory, which a filter cannot read; the C library uses older ones instead: clone3, openat2. */
const UNREADABLE = [435, 437];
const O_TRUNC = 0x200;
/** F_SETOWN, F_SETSIG, F_SETOWN_EX of fcntl; FIOSETOWN, SIOCSPGRP of ioctl: they let the kernel signal other processes. */
const SET_OWNER = { fcntl: [8, 10, 15], ioctl: [0x8901, 0x8902] } as const;

interface Numbers {
  /** Always denied. */
  readonly denied: readonly number[];
  /** Denied unless their first argument is the process itself. */
  readonly onlySelf: readonly number[];
  readonly tkill: number;
  readonly clone: number;
  readonly prctl: number;
  readonly prlimit64: number;
  readonly fcntl: number;
  readonly ioctl: number;
  /** Calls that open files, with the place of their flags among the arguments. */
  readonly opening: readonly (readonly [number: number, argument: number])[];
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
      // truncate, which Landlock denies since ABI 3 only
      76,
      // memfd_create; shared memory, semaphores and message queues: shmget, shmat, shmctl, shmdt, semget, semop, semctl,
      // semtimedop, msgget, msgsnd, msgrcv, msgctl, mq_open, mq_unlink
      319,
      29, 30, 31, 67, 64, 65, 66, 220, 68, 69, 70, 71, 240, 241,
    ],
    // kill, tgkill, rt_sigqueueinfo, rt_tgsigqueueinfo
    onlySelf: [62, 234, 129, 297],
    tkill: 200,
    clone: 56,
    prctl: 157,
    prlimit64: 302,
    fcntl: 72,
    ioctl: 16,
    // open, openat
    opening: [
      [2, 1],
      [257, 2],
    ],
  },
  arm64: {
    denied: [
      198, 203, 200, 201, 199, 202, 242, 117, 270, 271, 272, 238, 239, 140, 118, 119, 122, 30, 274, 97, 268, 40, 39, 41,
      51, 280, 241, 282, 217, 218, 219, 105, 273, 106, 104, 294, 142, 224, 225, 161, 162, 89, 60, 116, 170, 112, 171,
      266, 264, 265, 262, 26, 52, 53, 54, 55, 88, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 45, 279, 194, 196, 195,
      197, 190, 193, 191, 192, 186, 189, 188, 187, 180, 181,
    ],
    onlySelf: [129, 131, 138, 240],
    tkill: 130,
    clone: 220,
    prctl: 167,
    prlimit64: 261,
    fcntl: 25,
    ioctl: 29,
    opening: [[56, 2]],
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
    ...UNREADABLE.flatMap((number) => [instruction(CODE.ifEqual, number, 0, 1), instruction(CODE.answer, ENOSYS)]),
    ...allowedOnly(numbers.clone, CODE.ifAnyBit, CLONE_THREAD),
    ...allowedOnly(numbers.prlimit64, CODE.ifEqual, 0),
    ...numbers.onlySelf.flatMap((number) => allowedOnly(number, CODE.ifEqual, pid)),
    ...deniedFor(numbers.prctl, 0, CODE.ifEqual, [PR_SET_PDEATHSIG]),
    ...deniedFor(numbers.fcntl, 1, CODE.ifEqual, SET_OWNER.fcntl),
    ...deniedFor(numbers.ioctl, 1, CODE.ifEqual, SET_OWNER.ioctl),
    ...numbers.opening.flatMap(([number, argument]) => deniedFor(number, argument, CODE.ifAnyBit, [O_TRUNC])),
    instruction(CODE.answer, ALLOW),
  ]);
}

/** Allows a call only where its first argument passes the test. */
function allowedOnly(number: number, test: number, operand: number): bigint[] {
  return byArgument(number, 0, [
    instruction(test, operand, 1, 0),
    instruction(CODE.answer, EPERM),
    instruction(CODE.answer, ALLOW),
  ]);
}

/** Denies a call where the test of an argument passes for one of the operands. */
function deniedFor(number: number, argument: number, test: number, operands: readonly number[]): bigint[] {
  return byArgument(number, argument, [
    ...operands.map((operand, at) => instruction(test, operand, operands.length - at, 0)),
    instruction(CODE.answer, ALLOW),
    instruction(CODE.answer, EPERM),
  ]);
}

/** Loads the lower half of an argument of a call, and decides by the instructions that follow. */
function byArgument(number: number, argument: number, decision: readonly bigint[]): bigint[] {
  return [
    instruction(CODE.ifEqual, number, 0, decision.length + 1),
    instruction(CODE.load, OFFSET.arguments + argument * BYTES_PER_ARGUMENT),
    ...decision,
  ];
}

/** struct sock_filter: code, jump if true, jump if false, operand. */
function instruction(code: number, operand: number, ifTrue = 0, ifFalse = 0): bigint {
  return BigInt(code) | (BigInt(ifTrue) << 16n) | (BigInt(ifFalse) << 24n) | (BigInt(operand >>> 0) << 32n);
}
