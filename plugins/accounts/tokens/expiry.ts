/** When tokens expire: days of the calendar, `YYYY-MM-DD`. */
import { ApiError, invalidFields } from "lectern/core";

const DEFAULT_YEARS = 100;

/** Whether a text is a day of the calendar as `YYYY-MM-DD`. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text < "1000") return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** The day a hundred years after a moment, when a token without an expiry date expires. */
export function defaultExpiry(now: Date): string {
  const day = new Date(now);
  day.setUTCFullYear(day.getUTCFullYear() + DEFAULT_YEARS);
  return day.toISOString().slice(0, 10);
}

/** The expiry of a draft, by default in a hundred years (platform 1.2). Throws 422 for a text that is no day. */
export function expiryOf(day: string | undefined): string {
  if (day === undefined || day === "") return defaultExpiry(new Date());
  if (!isDay(day)) throw new ApiError(422, `cannot read the date "${day}", wanted YYYY-MM-DD`);
  return day;
}

/** Throws 422 for a text of a body that is neither empty nor a day. */
export function checkDay(day: string | null | undefined): void {
  if (day && !isDay(day)) throw invalidFields({ expires_at: "The expires at must be a day of the form YYYY-MM-DD." });
}

/**
 * The expiry of a token that is created or updated with another one, which expires on `end`; undefined if the request
 * carries no token. Without a day of its own it expires with that token; a later day throws 422.
 */
export function limitExpiry(
  end: string | undefined,
  { expires_at = "" }: { expires_at?: string },
): {
  expires_at?: string;
} {
  if (end === undefined || (expires_at !== "" && expires_at <= end)) return { expires_at };
  if (expires_at === "") return { expires_at: end };
  throw invalidFields({ expires_at: `The expires at must not be after ${end}, when the token in use ends.` });
}
