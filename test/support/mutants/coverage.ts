/** How often the lines of each file ran, by the file's path. */
export type Coverage = ReadonlyMap<string, ReadonlyMap<number, number>>;

/** Reads a report in the format of lcov, as `bun test --coverage` writes it. */
export function readCoverage(report: string): Coverage {
  const files = new Map<string, Map<number, number>>();
  let lines = new Map<number, number>();
  for (const record of report.split("\n")) {
    const [, path] = /^SF:(.+)$/.exec(record) ?? [];
    if (path !== undefined) {
      lines = new Map();
      files.set(path, lines);
    }
    const [, line, times] = /^DA:(\d+),(\d+)/.exec(record) ?? [];
    if (line !== undefined) lines.set(Number(line), Number(times));
  }
  return files;
}

/** Whether a run may have reached a line: of a file that it loaded each line counts that the report does not have. */
export function reaches(coverage: Coverage, path: string, line: number): boolean {
  const lines = coverage.get(path);
  return lines !== undefined && lines.get(line) !== 0;
}
