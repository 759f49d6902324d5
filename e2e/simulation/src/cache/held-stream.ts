import type { StreamEvent } from '@keelson/informer';
import type { Item } from '../server/kind.ts';
import { stampOf } from '../server/object-state.ts';
import type { Report } from '../invariants/invariant.ts';
import type { HandlerHistory } from './handler-history.ts';

export interface HeldStreamOptions {
  readonly events: AsyncIterableIterator<StreamEvent<Item>>;
  readonly history: HandlerHistory;
  readonly report: Report;
  readonly trace: (line: string) => void;
  /** Called at the mark after the initial objects. */
  readonly checkSnapshot: () => void;
}

/** A stream of events that is read slowly, and the checks of what it yields. */
export class HeldStream {
  readonly name: string;
  readonly history: HandlerHistory;
  readonly #options: HeldStreamOptions;
  /** The number of events to read before the reader pauses. */
  #wanted = 0;
  #isReading = false;
  #isOpen = true;
  #marks = 0;

  constructor(name: string, options: HeldStreamOptions) {
    this.name = name;
    this.history = options.history;
    this.#options = options;
  }

  /** False after the last event. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Reads this many events more. */
  read(count: number): void {
    this.#wanted += count;
    if (!this.#isReading) void this.#read();
  }

  /** Ends the stream. */
  close(): void {
    void this.#options.events.return?.();
    this.read(Infinity);
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    for (; this.#wanted > 0 && this.#isOpen; this.#wanted--) {
      const { done, value } = (await this.#options.events.next()) as IteratorResult<
        StreamEvent<Item>,
        undefined
      >;
      if (done === true) this.#isOpen = false;
      else this.#take(value);
    }
    this.#isReading = false;
  }

  #take(event: StreamEvent<Item>): void {
    const { trace, report, checkSnapshot } = this.#options;
    if (event.type === 'initialDone') {
      trace(`  ${this.name}: all initial objects`);
      if (++this.#marks > 1) report('snapshot', `${this.name}: the mark arrives twice`);
      return checkSnapshot();
    }
    trace(`  ${this.name}: ${event.type} ${event.key} ${stampOf(event.object)}`);
    if (event.type === 'added' && event.initial && this.#marks > 0) {
      report('snapshot', `${this.name}: ${event.key} arrives as initial after the mark`);
    }
    this.history.take(event);
  }
}
