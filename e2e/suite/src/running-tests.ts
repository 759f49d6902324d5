/** The prefixes of lines that report the begin and end of a test. */
export const beginMark = '[begins] ';
export const endMark = '[ended] ';

/** Follows the output of a suite: which tests have begun and not ended. */
export class RunningTests {
  readonly #running = new Set<string>();

  /** Takes a line and returns the part to show, if any. */
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
