import { SECOND_MS } from "lectern/core";

/** Local times of forms: `2030-01-31T12:00` with the name of a time zone, converted to and from the times of the API. */

/** Time zones that forms offer, UTC first. */
export const ZONES: readonly string[] = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((name) => name !== "UTC")];

const LOCAL = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2}))?$/;

/**
 * Converts a local time to ISO 8601 UTC; null for an empty text. A text that is not a valid local time is returned unchanged, for
 * the API to reject.
 */
export function utcTime(zone: string, local: string): string | null {
  const text = local.trim();
  if (text === "") return null;
  const parts = LOCAL.exec(text);
  const asUtc = new Date(`${text}Z`);
  if (!parts || Number.isNaN(asUtc.getTime()) || asUtc.getUTCDate() !== Number(parts[3])) return text;
  const known = ZONES.includes(zone) ? zone : "UTC";
  // The offset depends on the result: a second pass corrects it near a change of daylight saving time.
  const guess = asUtc.getTime() - offsetMs(known, asUtc.getTime());
  return new Date(asUtc.getTime() - offsetMs(known, guess)).toISOString();
}

/** A time of the API as the value of a form field, in UTC. */
export function fieldTime(at: string | null): string {
  return at === null ? "" : at.slice(0, 16);
}

function offsetMs(zone: string, at: number): number {
  const parts = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  }).formatToParts(at);
  const of = (type: string) => Number(parts.find((part) => part.type === type)?.value ?? 0);
  const shown = Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute"), of("second"));
  return shown - Math.floor(at / SECOND_MS) * SECOND_MS;
}
