/**
 * Runs work of another party with a time limit, such as a call of a service: rejects after `ms` milliseconds, even if the work
 * ignores the signal, which aborts then. The work itself may go on.
 * @example
 * const answer = await withinTime(5_000, (signal) => context.fetch("https://notes.example.com/ping", { signal }));
 */
export async function withinTime<T>(
  ms: number,
  run: (signal: AbortSignal) => Promise<T>,
  message = `It took longer than ${ms} milliseconds`,
): Promise<T> {
  const controller = new AbortController();
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const late = new Error(message);
    reject(late);
    controller.abort(late);
  }, ms);
  try {
    return await Promise.race([run(controller.signal), promise]);
  } finally {
    clearTimeout(timer);
  }
}
