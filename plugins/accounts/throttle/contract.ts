/** Attempts under way, by limit and key. */
export interface ThrottlesTable {
  /** SHA-256 of the limit's name and the key, as hex: whose attempts they were is nobody's business. */
  key_hash: string;
  count: number;
  ends_at: string;
}

declare module "lectern/db" {
  interface Tables {
    throttles: ThrottlesTable;
  }
}
