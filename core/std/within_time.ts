/**
 * Runs work of another party with a time limit, such as a call of a service: rejects after `ms` milliseconds, even if the work
 * ignores the signal, which aborts then. The work itself may go on. `late` is the message of the error, or makes the error. It is the
 * one way to wait with a limit; many short waits, and those that a blocked event loop must not shorten, use `withinCountdown`.
 * @example
 * const answer = await withinTime(5_000, (signal) => context.fetch("https://notes.example.com/ping", { signal }));
 */
export async function withinTime<T>(
  ms: number,
  run: (signal: AbortSignal) => Promise<T>,
  late: string | (() => Error) = `It took longer than ${ms} milliseconds`,
): Promise<T> {
  const controller = new AbortController();
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const error = typeof late === "string" ? new Error(late) : late();
    reject(error);
    controller.abort(error);
  }, ms);
  try {
    return await Promise.race([run(controller.signal), promise]);
  } finally {
    clearTimeout(timer);
  }
}
