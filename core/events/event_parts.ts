/** The parts of plugins in events, with their time limits: moments of handlers, actions, and what transactions leave to be done. */

import type { EventName } from "../registry.ts";
import type { Handlers } from "./event_bus.ts";
import type { Part, PartGuard } from "./part_guard.ts";

/** Limits of parts while the runtime boots, in milliseconds. */
export interface BootLimits {
  /** Without a statement, or outside of transactions in all. */
  readonly quietMs: number;
  /** In all. */
  readonly longMs: number;
}

/** A moment of handlers. */
export type Moment = keyof Handlers<EventName>;

/** Handlers with the parts that their moments are. */
export interface Registered<H> {
  readonly handlers: H;
  readonly parts: Readonly<Record<Moment, Part>>;
}

/** What the limits of parts follow from. */
export interface PartOptions {
  readonly guard: PartGuard;
  readonly bootLimits: BootLimits;
  /** Whether a plugin ships with Lectern: its handlers and actions may take as long as the longest request. */
  isShipped(plugin: string): boolean;
}

/** The runtime itself, where no plugin acts. */
export const CORE = "lectern";

/** The parts of one bus. */
export class EventParts {
  readonly #options: PartOptions;
  readonly #actions = new Map<string, Part>();

  constructor(options: PartOptions) {
    this.#options = options;
  }

  /** Limits of a transaction without a sign of life; of "app_boot" those of the boot. */
  limitsOf(event: string): { readonly quietMs: number; readonly attendedMs: number } {
    const { guard, bootLimits } = this.#options;
    const { quietMs } = bootLimits;
    return event === "app_boot" ? { quietMs, attendedMs: quietMs } : guard.limits;
  }

  /** Handlers of an event with their parts. `event` is "every event" for handlers of all. */
  registered<H>(handlers: H, plugin: string, event: string): Registered<H> {
    const { guard, bootLimits, isShipped } = this.#options;
    const { attendedMs, callMs, handlerMs, longMs } = guard.limits;
    const isBoot = event === "app_boot";
    const withinMs = isBoot ? bootLimits.longMs : isShipped(plugin) ? longMs : handlerMs;
    const part = (moment: Moment, limitMs: number): Part => ({ plugin, place: `${moment} of ${event}`, limitMs });
    const parts = {
      beforeTransaction: part("beforeTransaction", isBoot ? bootLimits.quietMs : callMs),
      filter: part("filter", withinMs),
      veto: part("veto", withinMs),
      inTransaction: part("inTransaction", withinMs),
      notify: part("notify", attendedMs),
    };
    return { handlers, parts };
  }

  /** The action of an event that a plugin performs. */
  action(plugin: string, event: string): Part {
    const key = `${plugin} ${event}`;
    const known = this.#actions.get(key);
    if (known) return known;
    const { guard, isShipped } = this.#options;
    const { attendedMs, longMs } = guard.limits;
    const part = { plugin, place: `action of ${event}`, limitMs: isShipped(plugin) ? longMs : attendedMs };
    this.#actions.set(key, part);
    return part;
  }
}
