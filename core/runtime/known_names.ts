/** Names that would do nothing if they are misspelt: moments of events, slots that plugins contribute to, permissions of what they add to screens. */

import { isObject } from "../../db/mod.ts";
import { BootError } from "../errors.ts";
import { MOMENTS } from "../events/root_transaction.ts";
import { contributorOf } from "../faults.ts";
import type { Log } from "../log.ts";
import { closestMatch, didYouMean, isMisspelt } from "../std/closest_match.ts";
import { permissionHint, type ShippedPlugins } from "./left_out.ts";
import { permissionsOf } from "./path_patterns.ts";
import type { AnyPlugin } from "./plugin.ts";
import type { DeclaredSlots } from "./slot_specs.ts";

/** Contributions by slot. */
type Contributions = Iterable<readonly [string, readonly unknown[]]>;

/** Throws BootError for handlers at a moment that is none of the event; `what` is the event in the message. */
export function checkMoments(
  plugin: string,
  what: string,
  handlers: object,
  moments: readonly string[] = MOMENTS,
): void {
  const subject = `The plugin "${plugin}" handles ${what}`;
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

/**
 * Checks the names of slots with contributions. Throws BootError for one that is most likely misspelt, and warns of others that resemble
 * a known one. An unknown slot is no error, since a plugin may read a slot of its own after the boot.
 */
export function checkSlots(
  slots: Contributions,
  { specs, read }: { readonly specs: DeclaredSlots; readonly read: ReadonlySet<string> },
  log: Log,
): void {
  for (const [slot, contributions] of slots) {
    if (read.has(slot) || specs.get(slot)) continue;
    const known = [...specs.all().keys(), ...read];
    const contributors = new Set(contributions.map(contributorOf));
    const meant = known.find((name) => isMisspelt(slot, name));
    if (meant !== undefined)
      throw new BootError(
        `The plugin "${[...contributors][0]}" contributes to the slot "${slot}", which no plugin reads; did you mean "${meant}"?`,
      );
    const near = closestMatch(slot, known);
    if (near === undefined) continue;
    for (const plugin of contributors)
      log.warn("A plugin contributes to a slot that is not known; is its name right?", { plugin, slot, known: near });
  }
}

/** Checks that some plugin adds each permission of `permit` of contributions: any other permits nobody. Throws BootError. */
export function checkPermitted(slots: Contributions, plugins: readonly AnyPlugin[], shipped: ShippedPlugins): void {
  const known: readonly string[] = ["access-api", ...plugins.flatMap(({ permissions }) => permissions)];
  for (const [slot, contributions] of slots)
    for (const contribution of contributions) {
      const permit = isObject(contribution) ? contribution.permit : undefined;
      // What belongs to a plugin that is left out is there for nobody.
      const wrong = permissionsOf(permit).find(
        (name) => !known.includes(name) && permissionHint(name, plugins, shipped) === "",
      );
      if (wrong === undefined) continue;
      throw new BootError(
        `A contribution of the plugin "${contributorOf(contribution)}" to the slot "${slot}" permits "${wrong}", a permission which no plugin adds${didYouMean(wrong, known)}`,
      );
    }
}
