/** Milliseconds of a minute. */
export const MINUTE_MS = 60_000;

/** What work resolves to, or undefined where that takes longer than `ms` milliseconds. The work goes on; its later failure is ignored. */
export async function inTime<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>();
  // The connection that is waited for keeps the process running, not the timer.
  const timer = setTimeout(() => late.resolve(undefined), ms).unref();
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
