import { BootError } from "lectern/core";

/** Reporting intervals of an hour or more that agents support, in minutes (dashboard-stats 6.2). */
const LONG = [60, 120, 180, 360, 720, 1440];

/** Validates the setting. Throws BootError for an interval that agents do not support. */
export function checkedInterval(minutes: number): number {
  if (LONG.includes(minutes) || (minutes >= 5 && minutes < 60 && minutes % 5 === 0)) return minutes;
  throw new BootError(
    `Cannot read HOSTS_UPDATE_INTERVAL_MIN "${minutes}": expected 5 to 55 in steps of 5, or one of ${LONG.join(", ")}`,
  );
}

/** The interval as a cron schedule. */
export function cronOf(minutes: number): string {
  if (minutes < 60) return `*/${minutes} * * * *`;
  if (minutes === 60) return "0 * * * *";
  return minutes === 1440 ? "0 0 * * *" : `0 */${minutes / 60} * * *`;
}

/** The interval as a cron schedule with an offset by host, so that reports do not arrive in the same minute. */
export function spreadCronOf(minutes: number, hostId: number): string {
  if (minutes < 60) return `${hostId % minutes}-59/${minutes} * * * *`;
  const minute = hostId % 60;
  if (minutes === 60) return `${minute} * * * *`;
  return minutes === 1440 ? `${minute} ${hostId % 24} * * *` : `${minute} */${minutes / 60} * * *`;
}
