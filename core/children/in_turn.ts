/** Milliseconds of short work in one turn of the event loop; what comes then waits for a later turn. */
const TURN_MS = 10;

/** Waiting work by owner, in the order in which owners take turns. */
const waiting = new Map<string, (() => void)[]>();
/** Whether work has begun in this turn of the event loop and not ended. */
let isBusy = false;
let spentMs = 0;
let isScheduled = false;

/**
 * Runs short work in this process: at once while little of it has run in this turn of the event loop, else in a later turn, so that
 * requests are accepted and answered in between, however much comes at once. Owners of waiting work take turns. Work that waits
 * for something else, such as the store, does not hold up the next.
 * @example
 * const lengths = await inTurn(`viewer ${viewer.id}`, () => String(input.text).split("\n").map((line) => line.length));
 */
export async function inTurn<R>(owner: string, work: () => R | Promise<R>): Promise<R> {
  if (isBusy || spentMs >= TURN_MS || waiting.size > 0) await turnOf(owner);
  isBusy = true;
  schedule();
  const started = performance.now();
  try {
    return await work();
  } finally {
    spentMs += performance.now() - started;
    isBusy = false;
    if (spentMs < TURN_MS) beginNext();
    else schedule();
  }
}

function turnOf(owner: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const own = waiting.get(owner);
  if (own) own.push(resolve);
  else waiting.set(owner, [resolve]);
  schedule();
  return promise;
}

/** Begins the next turn of the event loop, and another one after it while work is waiting. */
function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(() => {
    isScheduled = false;
    isBusy = false;
    spentMs = 0;
    beginNext();
  });
}

/** Begins the work of the next owner, who is then behind the others. */
function beginNext(): void {
  const [next] = waiting;
  if (!next) return;
  const [owner, [begin, ...later]] = next;
  waiting.delete(owner);
  if (later.length > 0) waiting.set(owner, later);
  isBusy = true;
  begin?.();
  schedule();
}
