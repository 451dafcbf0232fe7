/** Names from before version 0.2. What a plugin registers under such a name would never be used, so it stops the boot. */
import { BootError } from "../errors.ts";

const MOMENTS: Readonly<Record<string, string>> = { prepare: "beforeTransaction", join: "inTransaction" };
const SLOTS: Readonly<Record<string, string>> = { hanging: "dependents", shown: "response_fields" };

/** Throws BootError for handlers under the old name of a moment; `what` is the event in the message. */
export function checkMoments(plugin: string, what: string, handlers: object): void {
  for (const [old, now] of Object.entries(MOMENTS))
    if (old in handlers)
      throw new BootError(`The plugin "${plugin}" handles ${what} with "${old}", which is called "${now}" now`);
}

/** Throws BootError for the old name of a slot. */
export function checkSlot(plugin: string, slot: string): void {
  const now = Object.hasOwn(SLOTS, slot) ? SLOTS[slot] : undefined;
  if (now !== undefined)
    throw new BootError(`The plugin "${plugin}" uses the slot "${slot}", which is called "${now}" now`);
}
