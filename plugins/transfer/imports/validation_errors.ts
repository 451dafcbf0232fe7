import { ApiError } from "lectern/core";

/** An error of an archive: a dotted path into its data, or "format" for the archive as a whole, and a message. */
export type ArchiveFieldError = readonly [key: string, text: string];

/** An archive that cannot be imported. */
export class ArchiveError extends Error {
  override readonly name = "ArchiveError";
  readonly errors: readonly ArchiveFieldError[];

  constructor(errors: readonly ArchiveFieldError[]) {
    super(errorLines(errors));
    this.errors = errors;
  }
}

/** An error of the archive as a whole. */
export function formatError(text: string): ArchiveError {
  return new ArchiveError([["format", text]]);
}

/** Formats errors for messages, one per line (platform 8.4). */
export function errorLines(errors: readonly ArchiveFieldError[]): string {
  return errors.map(([key, text]) => `[${key}] ${text}`).join("\n");
}

/** The message for what is not a ZIP file, or is inconsistent. */
export const UNREADABLE = "Could not read ZIP file.";

/** An error with the two further keys that clients of the original API read (platform 1.7). */
export function importError(status: number, message: string): ApiError {
  return new ApiError(status, message, { extra: { message, status: "error" } });
}
