/**
 * A full disk or an exceeded quota, in the spool of uploads, in the file store, in temporary files or in PostgreSQL. Such
 * errors are found by their code in the chain of causes and answered 507, since nothing is wrong with the request.
 */
import { ApiError } from "../errors.ts";

/** Codes of file systems, with EFBIG for a limit on the size of files, and of PostgreSQL (53100). */
const CODES: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT", "EFBIG", "53100"]);
/** Causes that are searched, as a chain may be circular. */
const MAX_CAUSES = 10;

/** The 507 of an error that a full disk caused; undefined for other errors. */
export function diskFullError(thrown: unknown): ApiError | undefined {
  let error = thrown;
  for (let at = 0; at < MAX_CAUSES && error instanceof Error; at++, error = error.cause)
    if (CODES.has((error as { code?: unknown }).code)) return noRoomError();
  return undefined;
}

/**
 * The 507 of a full disk.
 * @example
 * const child = Bun.spawn(["weasyprint", "in.html", "out.pdf"], { stderr: "pipe" });
 * if ((await new Response(child.stderr).text()).includes("No space left")) throw noRoomError();
 */
export function noRoomError(): ApiError {
  const text = "The server has no room left to store this. Its operator has to free some disk space.";
  return new ApiError(507, text);
}
