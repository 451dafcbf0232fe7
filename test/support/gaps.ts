/** The longest time in milliseconds that nothing else could run meanwhile. */
export async function longestGap(run: () => Promise<void>): Promise<number> {
  let last = performance.now();
  let gap = 0;
  const timer = setInterval(() => {
    gap = Math.max(gap, performance.now() - last - 5);
    last = performance.now();
  }, 5);
  await run();
  clearInterval(timer);
  return gap;
}
