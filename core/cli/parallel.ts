/** Processes items in order, `workers` at a time. Rejects with the first failure, after which no further item is started. */
export async function inParallel<T>(
  workers: number,
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  let failed = false;
  async function worker(): Promise<void> {
    for (const item of waiting) {
      if (failed) return;
      try {
        await work(item);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  }
  await Promise.all(Array.from({ length: Math.max(1, workers) }, worker));
}
