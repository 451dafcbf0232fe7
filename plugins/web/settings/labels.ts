import type { Ui } from "lectern/contracts";

/** A number of bytes in a readable unit. */
export function sizeOf(bytes: number, ui: Ui): string {
  const units = ["B", "KB", "MB", "GB", "TB"];
  const step = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const number = new Intl.NumberFormat(ui.language.replace("_", "-"), { maximumFractionDigits: 1 });
  return `${number.format(bytes / 1024 ** step)} ${units[step]}`;
}
