/**
 * The signals that stop a server. Their handlers stay for the rest of the process: a signal without one ends it at once, and its
 * embedded PostgreSQL would go on. Several arrive where a whole group is signalled, since npm, the launcher and the parent of workers
 * send them on.
 */
import { readFileSync } from "node:fs";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** The bit of SIGHUP in a mask of signals. */
const HANGUP_BIT = 1n;

/** The signals of this process from the call on. */
export class StopSignals {
  /** Resolves to the first one. */
  readonly first: Promise<NodeJS.Signals>;
  /** Is called when a signal arrives a second time: somebody does not want to wait. */
  onRepeat: (signal: NodeJS.Signals) => void = () => {};
  #isReceived = false;

  constructor() {
    const first = Promise.withResolvers<NodeJS.Signals>();
    this.first = first.promise;
    const seen = new Set<NodeJS.Signals>();
    for (const signal of SIGNALS) {
      if (signal === "SIGHUP" && ignoresHangup()) continue;
      process.on(signal, () => {
        if (seen.has(signal)) this.onRepeat(signal);
        seen.add(signal);
        this.#isReceived = true;
        first.resolve(signal);
      });
    }
  }

  /** Ends this process by a signal, as if it had no handler. */
  endBy(signal: NodeJS.Signals): void {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  }

  /** Whether one has arrived. */
  get isReceived(): boolean {
    return this.#isReceived;
  }
}

/** Whether the process was started to ignore SIGHUP, as by nohup; a handler would end that. */
function ignoresHangup(): boolean {
  try {
    const mask = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1];
    return mask !== undefined && (BigInt(`0x${mask}`) & HANGUP_BIT) !== 0n;
  } catch {
    // Without /proc it is not known; SIGHUP then stops in order, where it would have ended the process.
    return false;
  }
}
