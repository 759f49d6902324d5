import { setImmediate } from 'node:timers/promises';
import type { ControllerPage, RequestRow } from '@keelson/inspector';
import { errorText } from '../explain/explanation-text.ts';
import type { RequestHistory } from '../history/history.ts';
import type { InspectedController } from './inspected-manager.ts';
import { epochOf } from './snapshot-reader.ts';

/** The rows of each list. */
const MAX_ROWS = 50;
/** Histories that are read before the event loop has a turn. */
const SLICE = 2000;

/** Reads the requests of a controller that its history knows, and those whose key contains the filter. */
export async function readController(
  controller: InspectedController,
  filter: string,
): Promise<ControllerPage> {
  const { history, clock } = controller.parts;
  const slowest = new TopRows(({ slowestMs = 0 }) => slowestMs);
  const failing = new TopRows(({ failures }) => failures);
  const matching = new TopRows(({ lastRunAt = 0 }) => lastRunAt);
  let matches = 0;
  let read = 0;
  for (const request of history?.all() ?? []) {
    const row = rowOf(request, (reading) => epochOf(reading, clock));
    slowest.add(row);
    failing.add(row);
    if (request.key.includes(filter)) {
      matches += 1;
      matching.add(row);
    }
    read += 1;
    if (read % SLICE === 0) await setImmediate();
  }
  return {
    controller: controller.name,
    text: controller.explain().text,
    slowest: slowest.rows.filter(({ slowestMs }) => slowestMs !== undefined),
    failing: failing.rows.filter(({ failures }) => failures > 0),
    matching: matching.rows,
    matches,
    hasHistory: history !== undefined,
  };
}

function rowOf(request: RequestHistory, timeOf: (reading: number) => number): RequestRow {
  const { runs } = request;
  const last = runs.at(-1);
  const ended = runs.map(({ duration }) => duration).filter((ms) => ms !== undefined);
  const failed = runs.findLast(({ error }) => error !== undefined)?.error;
  return {
    request: request.key,
    lastRunAt: last && timeOf(last.startedAt),
    slowestMs: ended.length === 0 ? undefined : Math.max(...ended),
    failures: last === undefined ? 0 : last.attempt - (last.error === undefined ? 1 : 0),
    error: failed && errorText(failed),
  };
}

/** The rows with the largest values, largest first. */
class TopRows {
  readonly #valueOf: (row: RequestRow) => number;
  #rows: RequestRow[] = [];

  constructor(valueOf: (row: RequestRow) => number) {
    this.#valueOf = valueOf;
  }

  get rows(): readonly RequestRow[] {
    return this.#sorted().slice(0, MAX_ROWS);
  }

  add(row: RequestRow): void {
    this.#rows.push(row);
    // Sorted seldom, so that a row costs little.
    if (this.#rows.length >= SLICE) this.#rows = this.#sorted().slice(0, MAX_ROWS);
  }

  #sorted(): RequestRow[] {
    return this.#rows.toSorted((one, other) => this.#valueOf(other) - this.#valueOf(one));
  }
}
