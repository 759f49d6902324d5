import { renderSnapshot, snapshotLine, type Snapshot } from './snapshot.ts';

/** The output of the demo. */
export interface Screen {
  /** A phase begins or progresses; `share` goes from 0 to 1. */
  phase(title: string, share: number): void;
  /** The current state; called a few times a second. */
  show(snapshot: Snapshot): void;
  /** Prints a line that stays. */
  print(line: string): void;
  /** Ends the output. */
  close(): void;
}

/** Writes the output of a screen to standard output, or to a list in a test. */
export type Write = (text: string) => void;

const barWidth = 30;

/** Redraws its last lines in place. */
export class LiveScreen implements Screen {
  readonly #write: Write;
  readonly #columns: () => number;
  #title = '';
  #share = 0;
  #snapshot: Snapshot | undefined;
  #drawn = 0;

  /** A line that the terminal would wrap counts as two when going back up, so lines are cut to its columns. */
  constructor(write: Write, columns: () => number) {
    this.#write = write;
    this.#columns = columns;
  }

  phase(title: string, share: number): void {
    this.#title = title;
    this.#share = share;
  }

  show(snapshot: Snapshot): void {
    this.#snapshot = snapshot;
    this.#draw(this.#lines());
  }

  print(line: string): void {
    this.#draw([]);
    this.#write(`${line}\n`);
    this.#draw(this.#lines());
  }

  close(): void {
    this.#draw([]);
  }

  #lines(): string[] {
    const filled = Math.round(this.#share * barWidth);
    const bar = `${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)}`;
    const tables = this.#snapshot === undefined ? [] : ['', ...renderSnapshot(this.#snapshot)];
    return ['', `${bar} ${this.#title}`, ...tables];
  }

  /** Moves up over what was drawn before, clears from there, and draws. */
  #draw(lines: readonly string[]): void {
    const up = this.#drawn === 0 ? '' : `\u001B[${this.#drawn}A`;
    const width = this.#columns();
    const text = lines.map((line) => `${line.slice(0, width)}\n`).join('');
    this.#write(`${up}\u001B[J${text}`);
    this.#drawn = lines.length;
  }
}

/** One line for each phase and each change, for logs and pipes. */
export class PlainScreen implements Screen {
  readonly #write: Write;
  readonly #now: () => number;
  #title = '';
  #snapshot: Snapshot | undefined;
  #shown = '';
  #shownAt = -Infinity;

  constructor(write: Write, now: () => number = () => performance.now()) {
    this.#write = write;
    this.#now = now;
  }

  phase(title: string): void {
    if (title === this.#title) return;
    // The last state of the previous phase is printed even within a second.
    this.#printState();
    this.#title = title;
    this.print(`== ${title}`);
  }

  show(snapshot: Snapshot): void {
    this.#snapshot = snapshot;
    if (this.#now() - this.#shownAt >= 1000) this.#printState();
  }

  print(line: string): void {
    this.#write(`${line}\n`);
  }

  close(): void {
    // Every line is printed already.
  }

  #printState(): void {
    if (this.#snapshot === undefined) return;
    const line = `   ${snapshotLine(this.#snapshot)}`;
    if (line === this.#shown) return;
    this.#shown = line;
    this.#shownAt = this.#now();
    this.print(line);
  }
}
