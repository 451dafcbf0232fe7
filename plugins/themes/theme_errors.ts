/** Errors in the files of a theme: each names the file, and the line where one is known (platform 11.2). */
import { dirname, relative, sep } from "node:path";
import { BootError } from "lectern/core";
import { messageOf } from "lectern/db";

/** A path as errors show it: relative to the folder of the server. */
export function shownPath(file: string): string {
  return relative(process.cwd(), file);
}

/** The error of a theme's code, with its position. A module of a theme is recognised by its path. */
export function themeError(file: string, cause: unknown): BootError {
  const { place, line, text } = placeOf(file, cause);
  const at = line === undefined ? shownPath(place) : `${shownPath(place)}:${line}`;
  return new BootError(`Failed loading theme functions file at "${at}" with error: ${text}`, { cause });
}

interface Place {
  readonly place: string;
  readonly line: number | undefined;
  readonly text: string;
}

function placeOf(file: string, cause: unknown): Place {
  const text = messageOf(cause);
  // Syntax errors have a position; for thrown errors it is the innermost frame of the stack in the theme's folder.
  const { position, errors } = (cause ?? {}) as { position?: { file?: string; line?: number }; errors?: unknown[] };
  if (position?.line !== undefined) return { place: position.file || file, line: position.line, text };
  const home = dirname(file) + sep;
  for (const each of (cause instanceof Error ? (cause.stack ?? "") : "").split("\n")) {
    const [, place, line] = /(?:file:\/\/)?(\/[^()]*?):(\d+)(?::\d+)?\)?\s*$/.exec(each) ?? [];
    if (place?.startsWith(home)) return { place, line: Number(line), text };
  }
  return errors?.[0] === undefined ? { place: file, line: undefined, text } : placeOf(file, errors[0]);
}
