import type { Ui } from "lectern/contracts";
import { writtenNumber } from "lectern/core";

/** A number of bytes in a readable unit. */
export function sizeOf(bytes: number, ui: Ui): string {
  const units = ["B", "KB", "MB", "GB", "TB"];
  const step = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${writtenNumber(bytes / 1024 ** step, ui.language, 1)} ${units[step]}`;
}
