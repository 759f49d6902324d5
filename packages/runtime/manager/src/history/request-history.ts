import { NO_SLOT, type EventColumns, type RecordedEvent } from './event-columns.ts';
import type { LruEntry } from './lru-map.ts';
import type { RecordedRun } from './recorded-run.ts';

/** The history of one request: its latest events, whose slots are a list, and its latest runs. */
export class RequestHistory implements LruEntry<RequestHistory> {
  readonly key: string;
  readonly #columns: EventColumns;
  /** The latest run, the first of a list. */
  latestRun: RecordedRun | undefined = undefined;
  /** The time at which the queue dropped the request because the sources of its causes were removed. */
  purgedAt: number | undefined = undefined;
  /** The slots of the oldest and of the latest event. */
  oldest: number = NO_SLOT;
  latest: number = NO_SLOT;
  eventCount = 0;
  /** The bytes that the history of the controller counts for this request. */
  bytes = 0;
  before: RequestHistory | undefined = undefined;
  after: RequestHistory | undefined = undefined;
  table = 0;

  constructor(key: string, columns: EventColumns) {
    this.key = key;
    this.#columns = columns;
  }

  /** The runs, oldest first. */
  get runs(): RecordedRun[] {
    const runs: RecordedRun[] = [];
    for (let run = this.latestRun; run !== undefined; run = run.earlier) runs.unshift(run);
    return runs;
  }

  /** The events, oldest first. */
  events(): RecordedEvent[] {
    const events: RecordedEvent[] = [];
    let slot = this.oldest;
    for (let index = 0; index < this.eventCount; index += 1) {
      const event = this.#columns.read(slot);
      if (event !== undefined) events.push(event);
      slot = this.#columns.next(slot);
    }
    return events;
  }
}
