import type { InputObject } from "../input/body_parsing.ts";

/** Options of a call within the process. */
export interface CallOptions {
  /** The input that a body would hold. */
  readonly input?: InputObject;
  /** The address of the client on whose behalf the call is made. */
  readonly address?: string;
  readonly headers?: Readonly<Record<string, string>>;
}
