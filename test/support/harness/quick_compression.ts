/**
 * Scripts and styles compressed at a low level, as most tests in a browser start a server, and those of one screen take two seconds of one
 * core at their smallest, for each server anew. bunfig.toml preloads this module for tests; programs that a test starts compress as
 * those of operators do.
 */
import { BEST } from "../../../core/http/compression.ts";

BEST.zstd = 3;
BEST.gzip = 4;
BEST.br = 4;
