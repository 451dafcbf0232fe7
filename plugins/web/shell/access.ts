import type { ScreenAccess, Ui } from "lectern/contracts";
import { GUEST } from "lectern/core";

/** Whether the viewer is among those that an access admits. */
export function isAdmitted(admits: ScreenAccess, ui: Ui): boolean {
  if (admits === "anyone") return true;
  if (admits === "user") return ui.isSignedIn;
  if (admits === "reader") return ui.viewer !== GUEST;
  if (!ui.isSignedIn) return false;
  return "all" in admits ? admits.all.every((name) => ui.may(name)) : admits.some((name) => ui.may(name));
}
