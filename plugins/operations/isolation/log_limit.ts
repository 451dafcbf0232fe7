/** The limit of log lines of one isolated plugin: a process in a loop would otherwise fill the disk and hide what others log. */
import { MINUTE_MS } from "lectern/core";

/** Lines of the log that a plugin may write in a minute. */
export const MAX_LINES_PER_MINUTE = 600;

/** Counts the lines of one plugin, minute by minute. */
export class LogLimit {
  readonly #say: (dropped: number) => void;
  #lines = 0;
  #dropped = 0;
  #minute: ReturnType<typeof setTimeout> | undefined;

  /** `say` is called at the end of each minute in which lines were dropped, with their number. */
  constructor(say: (dropped: number) => void) {
    this.#say = say;
  }

  /** Whether one more line may be written; it is counted as dropped otherwise. */
  take(): boolean {
    this.#minute ??= setTimeout(() => this.end(), MINUTE_MS).unref();
    this.#lines += 1;
    if (this.#lines <= MAX_LINES_PER_MINUTE) return true;
    this.#dropped += 1;
    return false;
  }

  /** Ends the minute early, as the server stops. */
  end(): void {
    clearTimeout(this.#minute);
    this.#minute = undefined;
    const dropped = this.#dropped;
    this.#lines = 0;
    this.#dropped = 0;
    if (dropped > 0) this.#say(dropped);
  }
}
