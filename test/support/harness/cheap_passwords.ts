/**
 * Passwords hashed at the lowest cost of argon2id, as most tests boot a runtime with an administrator and sign people in, at a
 * tenth of a second of one core each. A hash names its cost, so verifying is as cheap. bunfig.toml preloads this module for
 * tests; programs that a test starts hash at the cost of operators.
 */
import { HASH_COST } from "../../../core/http/slow_hashes.ts";

HASH_COST.memoryCost = 8;
HASH_COST.timeCost = 1;
