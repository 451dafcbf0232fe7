import type { Viewer } from "../viewer.ts";

/** What screens ask about who is signed in. They guard against forms of other sites themselves. */
export interface Sessions {
  /**
   * Whom the cookie of a request names, whatever the method, and lets the session live on; undefined where none lives or
   * the account waits for its address to be confirmed.
   */
  viewer(request: Request): Promise<Viewer | undefined>;
  /** The visitor who is not signed in, where the instance is open to the public; undefined where it is not. */
  guest(): Promise<Viewer | undefined>;
}

declare module "../runtime/registry.ts" {
  interface Contracts {
    sessions: Sessions;
  }
}
