/**
 * The hooks of plugins around the time in which a server works, `onStart` and `onStop`. A start that fails stops the server and
 * names the plugin; a stop goes on, so that a plugin's failure neither keeps the process nor the embedded store running.
 */
import type { Log } from "../log.ts";
import { withinTime } from "../std/within_time.ts";
import { runSetup } from "./plugin_setup.ts";

/** A hook with the plugin that registered it. */
export interface LifecycleHook {
  readonly plugin: string;
  readonly run: () => void | Promise<void>;
}

/** Runs the hooks of starts in boot order. Throws BootError that names the plugin of one that throws or takes longer than `limitMs`. */
export async function runStarts(hooks: readonly LifecycleHook[], limitMs: number): Promise<void> {
  for (const { plugin, run } of hooks) await runSetup(plugin, limitMs, async () => run(), "start");
}

/** Runs the hooks of stops, last ones first. One that throws or takes longer than `limitMs` is logged with its plugin. */
export async function runStops(hooks: readonly LifecycleHook[], limitMs: number, log: Log): Promise<void> {
  for (const { plugin, run } of hooks.toReversed())
    await stopPart(
      limitMs,
      async () => run(),
      (error) => log.error("A plugin failed to stop", { plugin, error }),
    );
}

/** Runs a part of a stop for at most `limitMs` milliseconds. `failed` gets the error of one that throws or takes longer. */
export async function stopPart(
  limitMs: number,
  run: () => Promise<void>,
  failed: (error: unknown) => void,
): Promise<void> {
  try {
    await withinTime(limitMs, run, `It did not end within ${limitMs} ms`);
  } catch (error) {
    failed(error);
  }
}
