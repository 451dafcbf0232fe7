import type { Handlers } from "./bus.ts";
import { BootError } from "./errors.ts";
import type { EventName } from "./registry.ts";

/**
 * Handlers of "app_boot" whose failure stops the boot with what `told` makes of it: the start is not a request that fails
 * alone, and the operator wants one sentence. What is a BootError already stays as it is.
 */
export function stopping<E extends EventName>(handlers: Handlers<E>, told: (cause: unknown) => BootError): Handlers<E> {
  const { prepare, filter, veto, join } = handlers;
  const guard = async <Result>(run: () => Result): Promise<Awaited<Result>> => {
    try {
      return await run();
    } catch (cause) {
      throw cause instanceof BootError ? cause : told(cause);
    }
  };
  return {
    ...handlers,
    ...(prepare && { prepare: (...args) => guard(() => prepare.call(handlers, ...args)) }),
    ...(filter && { filter: (...args) => guard(() => filter.call(handlers, ...args)) }),
    ...(veto && { veto: (...args) => guard(() => veto.call(handlers, ...args)) }),
    ...(join && { join: (...args) => guard(() => join.call(handlers, ...args)) }),
  };
}
