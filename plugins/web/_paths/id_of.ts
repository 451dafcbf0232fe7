import type { Visit } from "lectern/contracts";

/** The id of the URL as a segment of a path of the API; `name` is that of the parameter. */
export function idOf(visit: Visit, name = "id"): `${number}` {
  return idIn(visit.params[name] ?? "");
}

/** The id of a text as such a segment. */
export function idIn(text: string): `${number}` {
  // The API checks it: what is no number leads to its 404.
  return encodeURIComponent(text) as `${number}`;
}
