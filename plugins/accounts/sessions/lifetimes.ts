/** When sessions end: after a time without a request, and after a time since the sign-in whatever their activity. */
import { HOUR_MS, MINUTE_MS, type RawBuilder, sql } from "lectern/core";
import { refs } from "lectern/db";

/** How long sessions last, in milliseconds. */
export interface SessionLifetimes {
  /** Without a request. */
  readonly idleMs: number;
  /** Since the sign-in; Infinity for no limit. */
  readonly absoluteMs: number;
}

/** Thirty days: what NIST SP 800-63B allows before a password has to be entered again. */
const ABSOLUTE_HOURS = 720;

/** The lifetimes of the settings. Unset, the absolute one never ends a session before an idle one would. */
export function lifetimesOf(settings: {
  readonly lifetime: number;
  readonly absoluteLifetime?: number;
}): SessionLifetimes {
  const { lifetime, absoluteLifetime: hours } = settings;
  const idleMs = lifetime * MINUTE_MS;
  if (hours === undefined) return { idleMs, absoluteMs: Math.max(ABSOLUTE_HOURS * HOUR_MS, idleMs) };
  return { idleMs, absoluteMs: hours === 0 ? Number.POSITIVE_INFINITY : hours * HOUR_MS };
}

/** The time at which a session ends if no request follows, in milliseconds since 1970, as are its own times. */
export function endOf(
  { idleMs, absoluteMs }: SessionLifetimes,
  { startedAt, seenAt }: { readonly startedAt: number; readonly seenAt: number },
): number {
  return Math.min(seenAt + idleMs, startedAt + absoluteMs);
}

/** A condition that holds for stored sessions that have ended. */
export function hasEnded({ idleMs, absoluteMs }: SessionLifetimes): RawBuilder<boolean> {
  const isOlder = (column: "sessions.created_at" | "sessions.last_seen_at", ms: number) =>
    sql<boolean>`${refs(column)} < now() - ${ms} * interval '1 millisecond'`;
  const isIdle = isOlder("sessions.last_seen_at", idleMs);
  if (!Number.isFinite(absoluteMs)) return isIdle;
  return sql<boolean>`(${isIdle} or ${isOlder("sessions.created_at", absoluteMs)})`;
}
