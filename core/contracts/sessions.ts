import type { Viewer } from "../viewer.ts";

/** The signed-in viewer of a screen. Screens check for cross-site requests themselves. */
export interface Sessions {
  /**
   * The viewer of a request's cookie, for any method, and extends the session; undefined where there is no session or the
   * e-mail address of the account is not confirmed.
   */
  viewer(request: Request): Promise<Viewer | undefined>;
  /** The viewer for visitors who are not signed in; undefined where the instance is not public. */
  guest(): Promise<Viewer | undefined>;
}

declare module "../runtime/registry.ts" {
  interface Contracts {
    sessions: Sessions;
  }
}
