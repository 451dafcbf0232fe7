import { BootError } from "lectern/core";

/** Minutes agents can be told to wait between two reports (dashboard-stats 6.2). */
const LONG = [60, 120, 180, 360, 720, 1440];

/** Checks the operator's choice. Throws BootError for one that agents do not know. */
export function checkedInterval(minutes: number): number {
  if (LONG.includes(minutes) || (minutes >= 5 && minutes < 60 && minutes % 5 === 0)) return minutes;
  throw new BootError(
    `Cannot read HOSTS_UPDATE_INTERVAL_MIN "${minutes}": wanted 5 to 55 in steps of 5, or one of ${LONG.join(", ")}`,
  );
}

/** The same as agents of cron want it. */
export function cronOf(minutes: number): string {
  if (minutes < 60) return `*/${minutes} * * * *`;
  if (minutes === 60) return "0 * * * *";
  return minutes === 1440 ? "0 0 * * *" : `0 */${minutes / 60} * * *`;
}

/** The same for one of many hosts, whose reports should not all come in the same minute. */
export function spreadCronOf(minutes: number, hostId: number): string {
  if (minutes < 60) return `${hostId % minutes}-59/${minutes} * * * *`;
  const minute = hostId % 60;
  if (minutes === 60) return `${minute} * * * *`;
  return minutes === 1440 ? `${minute} ${hostId % 24} * * *` : `${minute} */${minutes / 60} * * *`;
}
