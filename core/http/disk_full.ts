/**
 * A disk that is full, or a quota that is used up, wherever it shows: in the spool of requests, in the store of files, in
 * temporary files of exports and imports, or in PostgreSQL. Whoever writes wraps such an error as it sees fit; it is known by its
 * code, anywhere along the chain of causes. The client reads 507, since nothing is wrong with what it sent.
 */
import { ApiError } from "../errors.ts";

/** Of file systems; EFBIG is a limit on the size of files, of the system or of the process. The last is PostgreSQL's. */
const CODES: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT", "EFBIG", "53100"]);
/** More causes than that have nobody's error. */
const MAX_CAUSES = 10;

/** The answer to a request that failed for want of room; undefined where it failed for another reason. */
export function diskFullError(thrown: unknown): ApiError | undefined {
  let error = thrown;
  for (let at = 0; at < MAX_CAUSES && error instanceof Error; at++, error = error.cause)
    if (CODES.has((error as { code?: unknown }).code)) return noRoomError();
  return undefined;
}

/**
 * What clients read where there is no room left.
 * @example
 * const child = Bun.spawn(["weasyprint", "in.html", "out.pdf"], { stderr: "pipe" });
 * if ((await new Response(child.stderr).text()).includes("No space left")) throw noRoomError();
 */
export function noRoomError(): ApiError {
  const text = "The server has no room left to store this. Its operator has to free some disk space.";
  return new ApiError(507, text);
}
