import { BootError } from "../errors.ts";
import type { Handlers } from "../events/event_bus.ts";
import type { EventName } from "./registry.ts";

/**
 * Handlers of "app_boot" whose failure stops the boot with what `told` makes of it: the start is not a request that fails
 * alone, and the operator wants one sentence. What is a BootError already stays as it is.
 */
export function stoppingBoot<E extends EventName>(
  handlers: Handlers<E>,
  toBootError: (cause: unknown) => BootError,
): Handlers<E> {
  const { beforeTransaction, filter, veto, inTransaction } = handlers;
  const guard = async <Result>(run: () => Result): Promise<Awaited<Result>> => {
    try {
      return await run();
    } catch (cause) {
      throw cause instanceof BootError ? cause : toBootError(cause);
    }
  };
  return {
    ...handlers,
    ...(beforeTransaction && {
      beforeTransaction: (...args) => guard(() => beforeTransaction.call(handlers, ...args)),
    }),
    ...(filter && { filter: (...args) => guard(() => filter.call(handlers, ...args)) }),
    ...(veto && { veto: (...args) => guard(() => veto.call(handlers, ...args)) }),
    ...(inTransaction && { inTransaction: (...args) => guard(() => inTransaction.call(handlers, ...args)) }),
  };
}
