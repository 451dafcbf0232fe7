/** x */
export const BOTH_STORES: Readonly<Record<string, string>> = { "test/core/collation_test.ts": "collation" };
