import type { Ui } from "lectern/contracts";
import { GUEST, mayUseApi, type Permit } from "lectern/core";
import { readerOf } from "./recording.ts";

/** Whether the viewer is among those whom a permit names. */
export function isPermitted(permit: Permit, ui: Ui): boolean {
  if (permit === "public") return true;
  if (permit === "user") return ui.isSignedIn;
  if (permit === "reader") return readerOf(ui) !== GUEST;
  if (!ui.isSignedIn) return false;
  // Administrators use the API also where their role lacks it.
  if (permit === "access-api") return mayUseApi(readerOf(ui));
  if (typeof permit === "string") return ui.may(permit);
  return "all" in permit ? permit.all.every((name) => ui.may(name)) : permit.some((name) => ui.may(name));
}
