/**
 * The longest time that nothing else could run while `run` did, as a share of the whole: near 1 where all was done without a
 * pause. A share is the same on a busy machine as on an idle one.
 */
export async function longestDelay(run: () => Promise<void>): Promise<number> {
  const started = performance.now();
  let last = started;
  let gap = 0;
  const timer = setInterval(() => {
    gap = Math.max(gap, performance.now() - last - 5);
    last = performance.now();
  }, 5);
  await run();
  clearInterval(timer);
  const ended = performance.now();
  return Math.max(gap, ended - last - 5) / (ended - started);
}
