import type { Visit } from "lectern/contracts";

/** The id of the URL as a segment of a path of the API; `name` is that of the parameter. */
export function idOf(visit: Visit, name = "id"): `${number}` {
  // The API checks it: what is no number leads to its 404.
  return encodeURIComponent(visit.params[name] ?? "") as `${number}`;
}
