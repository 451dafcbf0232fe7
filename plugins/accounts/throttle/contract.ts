/** Counted attempts in the current window of each limit and key. */
export interface ThrottlesTable {
  /** SHA-256 of the limit's name and the key, as hex, so that the table contains no addresses or accounts. */
  key_hash: string;
  count: number;
  /** When the window ends and the count starts again. */
  ends_at: string;
}

declare module "lectern/db" {
  interface Tables {
    throttles: ThrottlesTable;
  }
}
