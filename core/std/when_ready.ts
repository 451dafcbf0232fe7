/** A value, or a promise of it. */
export type MaybePromise<V> = V | Promise<V>;

/**
 * Goes on with a value: at once where it is there, so that what waits for nothing makes no promise. Throws what `next` throws then; rejects
 * with it where it waits.
 */
export function whenReady<V, R>(value: MaybePromise<V>, next: (value: V) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
