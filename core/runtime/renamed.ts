/** Names from before version 0.2, and misspelt ones. What a plugin registers under such a name would never be used, so it stops the boot. */

import { BootError } from "../errors.ts";
import { MOMENTS } from "../events/root_transaction.ts";
import { didYouMean } from "../std/closest_match.ts";

const FORMER_MOMENTS: Readonly<Record<string, string>> = { prepare: "beforeTransaction", join: "inTransaction" };
const SLOTS: Readonly<Record<string, string>> = { hanging: "dependents", shown: "response_fields" };

/** Throws BootError for handlers under the old name of a moment, and under any that is none; `what` is the event in the message. */
export function checkMoments(
  plugin: string,
  what: string,
  handlers: object,
  moments: readonly string[] = MOMENTS,
): void {
  const subject = `The plugin "${plugin}" handles ${what}`;
  for (const [old, now] of Object.entries(FORMER_MOMENTS))
    if (old in handlers) throw new BootError(`${subject} with "${old}", which is called "${now}" now`);
  // An instance of a class has members of its own.
  const own = Object.getPrototypeOf(handlers) === Object.prototype ? Object.entries(handlers) : [];
  for (const [moment, handler] of own) {
    if (!moments.includes(moment)) {
      const hint = didYouMean(moment, moments) || `: these are ${moments.join(", ")}`;
      throw new BootError(`${subject} with "${moment}", which is no moment of it${hint}`);
    }
    if (handler !== undefined && typeof handler !== "function")
      throw new BootError(`${subject} with a "${moment}" that is no function`);
  }
}

/** Throws BootError for the old name of a slot. */
export function checkSlot(plugin: string, slot: string): void {
  const now = Object.hasOwn(SLOTS, slot) ? SLOTS[slot] : undefined;
  if (now !== undefined)
    throw new BootError(`The plugin "${plugin}" uses the slot "${slot}", which is called "${now}" now`);
}
