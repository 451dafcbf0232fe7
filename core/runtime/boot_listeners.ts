import { BootError } from "../errors.ts";
import type { PartLate } from "../events/part_guard.ts";
import type { BootWatch } from "./boot_watch.ts";
import { mapHandlers } from "./scoped_transaction.ts";

/**
 * Handlers of "app_boot" whose failure stops the boot with one sentence for the operator: a BootError stays as it is. One that takes
 * long is named in the log meanwhile.
 */
export function stoppingBoot<H extends object>(
  handlers: H,
  { plugin, watch }: { readonly plugin: string; readonly watch: BootWatch },
): H {
  return mapHandlers(handlers, (run, moment) => {
    if (moment === "notify") return run;
    return async (...args) => {
      try {
        return await watch.shown({ plugin, part: `${moment} of app_boot` }, async () => run(...args));
      } catch (cause) {
        throw cause instanceof BootError ? cause : failed(plugin, cause);
      }
    };
  });
}

function failed(plugin: string, cause: unknown): BootError {
  const text = cause instanceof Error ? cause.message : String(cause);
  return new BootError(`The plugin "${plugin}" stopped the boot: its handler of "app_boot" failed: ${text}`, { cause });
}

/** The error of a boot at which a handler of "app_boot" did not end. */
export function lateAtBoot({ part }: PartLate): BootError {
  const { plugin, place } = part;
  return new BootError(`The plugin "${plugin}" stopped the boot: "${place}" did not go on in time`);
}
