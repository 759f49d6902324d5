/** What a line begins with that tells which test begins, and which has ended. */
export const beginMark = '[begins] ';
export const endMark = '[ended] ';

/** Follows the output of a suite: which tests have begun and not ended. */
export class RunningTests {
  readonly #running = new Set<string>();

  /** Takes a line and returns what is to be shown of it, if anything. */
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
