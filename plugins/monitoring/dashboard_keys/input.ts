import { ApiError, type Input, localizedError, rules } from "lectern/core";
import { networkOf } from "./addresses.ts";
import type { KeyChange, KeyDraft } from "./contract.ts";

/** Rules of a new key (dashboard-stats 5.3). */
export const createRules = rules({
  token_name: ["required", "string", "min:1", "max:255"],
  integration_type: ["string", "in:dashboard,enrolment"],
  allowed_ip_ranges: ["nullable", "array"],
  "allowed_ip_ranges.*": ["string", "max:100"],
  expires_at: ["nullable", "string"],
  max_hosts_per_day: ["integer", "min:1", "max:1000"],
});

/** Rules of a change; null clears the list of addresses and the expiry. */
export const updateRules = rules({
  token_name: ["string", "min:1", "max:255"],
  is_active: ["boolean"],
  allowed_ip_ranges: ["nullable", "array"],
  "allowed_ip_ranges.*": ["string", "max:100"],
  expires_at: ["nullable", "string"],
  max_hosts_per_day: ["integer", "min:1", "max:1000"],
});

const BYTE = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
const RANGE = `^${BYTE}(?:\\.${BYTE}){3}/(?:3[0-2]|[12]?\\d)$`;

/** What the documentation says beside the rules. */
export const keyFields = {
  expires_at: { format: "date-time" },
  allowed_ip_ranges: {
    items: {
      type: "string",
      description: "An address, or a range as CIDR; of IPv6 too",
      anyOf: [{ format: "ipv4" }, { format: "ipv6" }, { pattern: RANGE }],
    },
  },
};

/** A new key from validated input. Throws 400 for addresses and times that cannot be parsed. */
export function draftOf(sent: Input<typeof createRules>): KeyDraft {
  return {
    name: sent.token_name,
    integration_type: sent.integration_type === "enrolment" ? "enrolment" : "dashboard",
    expires_at: timeOf(sent.expires_at),
    allowed_ip_ranges: rangesOf(sent.allowed_ip_ranges),
    ...(sent.max_hosts_per_day === undefined ? {} : { max_hosts_per_day: sent.max_hosts_per_day }),
  };
}

/** A change from validated input. Throws as `draftOf` does. */
export function changeOf(sent: Input<typeof updateRules>): KeyChange {
  return {
    ...(sent.token_name === undefined ? {} : { name: sent.token_name }),
    ...(sent.is_active === undefined ? {} : { is_active: sent.is_active }),
    ...(sent.expires_at === undefined ? {} : { expires_at: timeOf(sent.expires_at) }),
    ...(sent.allowed_ip_ranges === undefined ? {} : { allowed_ip_ranges: rangesOf(sent.allowed_ip_ranges) }),
    ...(sent.max_hosts_per_day === undefined ? {} : { max_hosts_per_day: sent.max_hosts_per_day }),
  };
}

const BAD_TIME = "The expires at must be a time with its offset, such as 2030-01-31T12:00:00Z.";
const BAD_RANGE = 'The allowed ip ranges hold ":range", which is neither an address nor a CIDR range.';
const TIME = /^(\d{4})-(\d{2})-(\d{2})T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,6})?)?(Z|[+-](0\d|1[0-4]):?[0-5]\d)$/i;

/**
 * A time as ISO 8601 UTC; null where none was sent. Throws 400 unless it has an offset, is a valid date and, in UTC, lies
 * within the years 1 to 9999. Blank text is an error, so that it cannot create a key that never expires.
 */
export function timeOf(text: string | null | undefined): string | null {
  if (text === undefined || text === null) return null;
  const parts = TIME.exec(text.trim());
  const day = new Date(`${text.trim().slice(0, 10)}T00:00:00Z`);
  const wrong = new ApiError(400, BAD_TIME, { validation: { expires_at: [BAD_TIME] } });
  if (!parts || Number.isNaN(day.getTime()) || day.getUTCDate() !== Number(parts[3])) throw wrong;
  const moment = new Date(text.trim().replace(/([+-]\d{2})(\d{2})$/, "$1:$2"));
  if (!(moment.getUTCFullYear() >= 1 && moment.getUTCFullYear() <= 9999)) throw wrong;
  return moment.toISOString();
}

function rangesOf(sent: unknown): string[] {
  if (sent === undefined || sent === null) return [];
  const ranges = Object.values(Object(sent)).map((range) => String(range).trim());
  const wrong = ranges.find((range) => !networkOf(range));
  if (wrong !== undefined)
    throw localizedError(
      400,
      BAD_RANGE,
      { range: wrong },
      { validation: { allowed_ip_ranges: [BAD_RANGE.replace(":range", () => wrong)] } },
    );
  return [...new Set(ranges)];
}
