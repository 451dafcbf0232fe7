/** What is wrong with an archive: dotted paths into its data with a text each, "format" for the archive as such. */
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

/** An error about the archive as such. */
export function unusable(text: string): ArchiveError {
  return new ArchiveError([["format", text]]);
}

/** Errors as messages have them: a line each (platform 8.4). */
export function errorLines(errors: readonly ArchiveFieldError[]): string {
  return errors.map(([key, text]) => `[${key}] ${text}`).join("\n");
}

/** Not a ZIP file, or one that contradicts itself. */
export const UNREADABLE = "Could not read ZIP file.";
