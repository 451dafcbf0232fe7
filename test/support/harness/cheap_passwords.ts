/**
 * Passwords hashed at the lowest cost of argon2id, as most tests boot a runtime with an administrator and sign people in, at a
 * tenth of a second of one core each. A hash names its cost, so verifying is as cheap. bunfig.toml preloads this module for
 * tests; programs that a test starts hash at the cost of operators.
 */
const hash = Bun.password.hash;
const LOWEST = { algorithm: "argon2id", memoryCost: 8, timeCost: 1 } as const;

Bun.password.hash = (password, algorithm = LOWEST) => hash(password, algorithm);
