const limit = 200;

/** The last lines of output of a process, bounded however long the process runs. */
export class LogLines {
  readonly #lines: string[] = [];
  #rest = '';

  add(chunk: string): void {
    const lines = (this.#rest + chunk).split('\n');
    this.#rest = lines.pop() ?? '';
    this.#lines.push(...lines);
    this.#lines.splice(0, this.#lines.length - limit);
  }

  toString(): string {
    return [...this.#lines, this.#rest].join('\n').trimEnd();
  }
}
