import { BootError } from "../errors.ts";
import { mapHandlers } from "../events/scoped_transaction.ts";

/** Handlers of "app_boot" whose failure stops the boot with one sentence for the operator: a BootError stays as it is. */
export function stoppingBoot<H extends object>(handlers: H, toBootError: (cause: unknown) => BootError): H {
  return mapHandlers(handlers, (run, moment) => {
    if (moment === "notify") return run;
    return async (...args) => {
      try {
        return await run(...args);
      } catch (cause) {
        throw cause instanceof BootError ? cause : toBootError(cause);
      }
    };
  });
}
