import { appendFileSync } from "node:fs";

/** By this variable a measurement (`test/bench/suite.ts`) names the file that gets the CPU milliseconds of each boot. */
export const BOOTS_VARIABLE = "TEST_BOOT_TIMES";

/** Runs a boot; adds what it takes of this process's CPU time to the file, if one is named. */
export async function timedBoot<T>(boot: () => Promise<T>): Promise<T> {
  const file = process.env[BOOTS_VARIABLE];
  if (file === undefined) return boot();
  const before = process.cpuUsage();
  const booted = await boot();
  const { user, system } = process.cpuUsage(before);
  appendFileSync(file, `${((user + system) / 1000).toFixed(1)}\n`);
  return booted;
}
