/** The prefixes of lines that report the start and the end of a test. */
export const beginMark = '[begins] ';
export const endMark = '[ended] ';

/** Tracks the running tests of a suite by its output. */
export class RunningTests {
  readonly #running = new Set<string>();

  /** Processes a line and returns the part to print, if any. */
  take(line: string): string | undefined {
    if (line.startsWith(beginMark)) {
      this.#running.add(line.slice(beginMark.length));
      return undefined;
    }
    if (!line.startsWith(endMark)) return line;
    const ended = line.slice(endMark.length);
    this.#running.delete(ended.slice(0, ended.lastIndexOf(' (')));
    return `  ${ended}`;
  }

  get titles(): string[] {
    return [...this.#running];
  }
}
