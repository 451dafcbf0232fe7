/**
 * Viewers as a process names them. The server keeps the viewers that it has sent, by call and number, and the process gives the number
 * back: what it says of a viewer itself is never read. As whom the plugin may act is decided by its context, as for any plugin.
 */
import { Type } from "@sinclair/typebox";
import { type AnyContext, GUEST, SYSTEM, type Viewer } from "lectern/core";
import type { SentViewer } from "./child_viewers.ts";

/** The form of a reference: a number among the viewers of a call, the first of which is the call's own, or one that needs no call. */
export const referenceSchema = Type.Union([
  Type.Integer({ minimum: 0 }),
  Type.Literal("system"),
  Type.Literal("guest"),
]);

/** A viewer as a process names it. */
export type ViewerReference = number | "system" | "guest";

/** Options of `callAs`. */
export type CallOptions = NonNullable<Parameters<AnyContext["callAs"]>[3]>;

/** A viewer as it is sent. */
export function sentViewer({ permissions, only, ...viewer }: Viewer): SentViewer {
  return { ...viewer, permissions: [...permissions], ...(only && { only: [...only] }) };
}

/** The viewer of a reference. Throws for one that the server has not sent within the call. */
export function viewerOf(reference: ViewerReference, sent: readonly Viewer[] = []): Viewer {
  if (reference === "system") return SYSTEM;
  if (reference === "guest") return GUEST;
  const found = sent[reference];
  if (!found) throw new Error("Isolated plugins act only as viewers that they were given by a call that still runs");
  return found;
}
