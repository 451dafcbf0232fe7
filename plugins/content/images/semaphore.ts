import { ApiError } from "lectern/core";

/** How much is decoded at once, and how long others wait for it. */
export interface SemaphoreLimits {
  /** Runs at once. */
  readonly atOnce: number;
  /** Bytes of all runs together; what needs more than that alone runs alone. */
  readonly bytes: number;
  /** Longer queues turn away who comes last. */
  readonly waiting: number;
  /** In milliseconds; who waits longer is turned away. */
  readonly patience: number;
}

/** Runs something that takes so many bytes of memory, when its turn has come. */
export type WithPermit = <R>(bytes: number, run: () => Promise<R>) => Promise<R>;

/** In seconds: when to try again. */
const AFTER = 10;

interface Waiting {
  readonly bytes: number;
  readonly go: () => void;
}

/** Lets a few run at once; the others wait in order. Throws ApiError 503 where the wait would be too long. */
export function semaphore(limits: SemaphoreLimits): WithPermit {
  const queue: Waiting[] = [];
  let running = 0;
  let taken = 0;
  const fits = (bytes: number) => running === 0 || (running < limits.atOnce && taken + bytes <= limits.bytes);
  const begin = (bytes: number) => {
    running += 1;
    taken += bytes;
  };
  const next = () => {
    for (let first = queue[0]; first && fits(first.bytes); first = queue[0]) {
      queue.shift();
      begin(first.bytes);
      first.go();
    }
  };
  const wait = (bytes: number) =>
    new Promise<void>((resolve, reject) => {
      if (queue.length >= limits.waiting) throw busy();
      const timer = setTimeout(() => {
        queue.splice(queue.indexOf(one), 1);
        reject(busy());
        next();
      }, limits.patience);
      const go = () => {
        clearTimeout(timer);
        resolve();
      };
      const one: Waiting = { bytes, go };
      queue.push(one);
    });
  return async (bytes, run) => {
    if (queue.length === 0 && fits(bytes)) begin(bytes);
    else await wait(bytes);
    try {
      return await run();
    } finally {
      running -= 1;
      taken -= bytes;
      next();
    }
  };
}

function busy(): ApiError {
  const text = "Too many pictures are being read at the moment. Try again later.";
  return new ApiError(503, text, { headers: { "retry-after": String(AFTER) } });
}
