import { ApiError } from "../errors.ts";
import { ObjectStoreAway } from "../files/s3_requests.ts";

/** Causes that are searched, as a chain may be circular. */
const MAX_CAUSES = 10;
const RETRY_SECONDS = 5;
const UNAVAILABLE = "The files are not available at the moment. Please try again later.";

/** The 503 of an object store that does not answer; undefined for other errors, such as a refused access key. */
export function objectStoreError(thrown: unknown): ApiError | undefined {
  let error = thrown;
  for (let at = 0; at < MAX_CAUSES && error instanceof Error; at++, error = error.cause)
    if (error instanceof ObjectStoreAway)
      return new ApiError(503, UNAVAILABLE, { headers: { "retry-after": String(RETRY_SECONDS) } });
  return undefined;
}
