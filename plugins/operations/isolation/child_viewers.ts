/**
 * The calls that an isolated process answers, and the viewers that came with them. A viewer here is a copy to read from; calls to the
 * server name the one that the server keeps.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { GUEST, SYSTEM, type Viewer } from "lectern/core";
import type { ViewerReference } from "./viewers.ts";

/** A viewer as it is sent. */
export type SentViewer = Omit<Viewer, "permissions" | "only"> & {
  readonly permissions: readonly string[];
  readonly only?: readonly string[];
};

/** As whom a call to the server is made. */
export interface ActingAs {
  /** The call of the server within which it is made. */
  readonly within: number | undefined;
  readonly viewer: ViewerReference;
}

/** Calls of the server that run, with their viewers. */
export class ChildViewers {
  readonly #current = new AsyncLocalStorage<number>();
  readonly #running = new Set<number>();
  readonly #known = new WeakMap<object, ActingAs>();

  /** Runs the answer to a call. */
  async run<Answer>(call: number, answer: () => Answer): Promise<Awaited<Answer>> {
    this.#running.add(call);
    try {
      return await this.#current.run(call, answer);
    } finally {
      this.#running.delete(call);
    }
  }

  /** The call of the server that is answered here; undefined once it has been. */
  get here(): number | undefined {
    const call = this.#current.getStore();
    return call !== undefined && this.#running.has(call) ? call : undefined;
  }

  /** A viewer that came with a call; `number` among those of the call. */
  received(call: number, number: number, { permissions, only, ...sent }: SentViewer): Viewer {
    const viewer = { ...sent, permissions: new Set(permissions), ...(only && { only: new Set(only) }) };
    this.#known.set(viewer, { within: call, viewer: number });
    return viewer;
  }

  /** How a viewer is named to the server. Throws for one that did not come from it. */
  named(viewer: Viewer): ActingAs {
    if (viewer === SYSTEM) return { within: this.here, viewer: "system" };
    if (viewer === GUEST) return { within: this.here, viewer: "guest" };
    const known = this.#known.get(viewer);
    if (!known)
      throw new Error("Isolated plugins act only as the viewer of a request or an event, while it runs, or as SYSTEM");
    return known;
  }
}
