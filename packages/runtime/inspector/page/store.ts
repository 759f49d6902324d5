import type {
  ControllerRow,
  KindRow,
  ProcessRow,
  RowChanges,
  SnapshotMessage,
  WatchRow,
} from '@keelson/inspector';

/** Changes per second. */
export interface Rates {
  readonly reconciles: number;
  readonly errors: number;
  /** Mean milliseconds of a reconcile. */
  readonly meanMs: number;
}

/** Values over time, for a plot: the times in seconds, then a list for each line. */
export type Series = readonly number[][];

/** The most points of a plot: five minutes. */
const MAX_POINTS = 300;

const noRates: Rates = { reconciles: 0, errors: 0, meanMs: 0 };

/** The rows of the overview as the stream has changed them, and what follows from the last two messages. */
export class Store {
  readonly controllers: Map<string, ControllerRow> = new Map();
  readonly watches: Map<string, WatchRow> = new Map();
  readonly kinds: Map<string, KindRow> = new Map();
  process: ProcessRow | undefined;
  #rates = new Map<string, Rates>();
  #eventRates = new Map<string, number>();
  /** Of all controllers under the empty name: reconciles and errors per second, ready requests, delay of the event loop. */
  readonly #series = new Map<string, number[][]>();

  rates(controller: string): Rates {
    return this.#rates.get(controller) ?? noRates;
  }

  eventRate(watch: WatchRow): number {
    return this.#eventRates.get(kindOf(watch)) ?? 0;
  }

  kind(watch: WatchRow): KindRow | undefined {
    return this.kinds.get(kindOf(watch));
  }

  series(controller = ''): Series {
    return this.#series.get(controller) ?? [[], [], [], [], []];
  }

  apply({ process, controllers, watches, kinds }: SnapshotMessage): void {
    const seconds = this.process === undefined ? 0 : (process.at - this.process.at) / 1000;
    this.#measure(controllers, kinds, seconds);
    apply(this.controllers, controllers);
    apply(this.watches, watches);
    apply(this.kinds, kinds);
    this.process = process;
    for (const id of controllers.removed) this.#series.delete(id);
    if (seconds > 0) this.#record(process);
  }

  /** Forgets the rows, because the first message of the next stream has all of them. */
  restart(): void {
    for (const rows of [this.controllers, this.watches, this.kinds]) rows.clear();
    this.process = undefined;
  }

  #measure(
    controllers: RowChanges<ControllerRow>,
    kinds: RowChanges<KindRow>,
    seconds: number,
  ): void {
    this.#rates = new Map();
    this.#eventRates = new Map();
    if (seconds <= 0) return;
    for (const row of controllers.set) {
      const former = this.controllers.get(row.id);
      if (former === undefined) continue;
      const runs = row.reconciles - former.reconciles;
      this.#rates.set(row.id, {
        reconciles: runs / seconds,
        errors: (row.errors - former.errors) / seconds,
        meanMs: runs === 0 ? 0 : ((row.seconds - former.seconds) / runs) * 1000,
      });
    }
    for (const row of kinds.set) {
      const former = this.kinds.get(row.id);
      if (former !== undefined)
        this.#eventRates.set(row.id, (row.events - former.events) / seconds);
    }
  }

  #record({ at, loopDelay }: ProcessRow): void {
    const total = [0, 0, 0];
    for (const { id, ready } of this.controllers.values()) {
      const { reconciles, errors } = this.rates(id);
      this.#add(id, [at / 1000, reconciles, errors, ready]);
      for (const [index, value] of [reconciles, errors, ready].entries())
        total[index] = (total[index] ?? 0) + value;
    }
    this.#add('', [at / 1000, ...total, loopDelay.p99]);
  }

  #add(name: string, values: readonly number[]): void {
    const series = this.#series.get(name) ?? values.map(() => []);
    this.#series.set(name, series);
    for (const [index, list] of series.entries()) {
      list.push(values[index] ?? 0);
      if (list.length > MAX_POINTS) list.shift();
    }
  }
}

function apply<Row extends { readonly id: string }>(
  rows: Map<string, Row>,
  { set, removed }: RowChanges<Row>,
): void {
  for (const id of removed) rows.delete(id);
  for (const row of set) rows.set(row.id, row);
}

function kindOf({ cluster, resource }: WatchRow): string {
  return cluster === undefined ? resource : `${cluster}: ${resource}`;
}
