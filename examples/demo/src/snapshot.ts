import { table } from './table.ts';

/** One kind as the table shows it. */
export interface KindRow {
  readonly kind: string;
  /** The state of its watch, or `–` without a watch. */
  readonly state: string;
  readonly handles: number;
  readonly objects: number;
  /** Open watches as the server counts them; `undefined` on a cluster, which has no such count. */
  readonly onTheWire: number | undefined;
}

/** One controller as the table shows it. */
export interface ControllerRow {
  readonly name: string;
  readonly depth: number;
  readonly running: number;
  readonly reconciles: number;
  /** `undefined` before the first second. */
  readonly perSecond: number | undefined;
}

/** The demo at one moment. */
export interface Snapshot {
  readonly kinds: readonly KindRow[];
  readonly controllers: readonly ControllerRow[];
}

/** The lines of both tables. */
export function renderSnapshot({ kinds, controllers }: Snapshot): string[] {
  const kindRows = kinds.map(({ kind, onTheWire, handles, objects, state }) => {
    return [kind, String(onTheWire ?? '–'), String(handles), String(objects), state];
  });
  const controllerRows = controllers.map(({ name, depth, running, reconciles, perSecond }) => {
    return [name, String(depth), String(running), String(reconciles), String(perSecond ?? '–')];
  });
  return [
    ...table(['KIND', 'WATCHES ON THE WIRE', 'HANDLES', 'OBJECTS', 'STATE'], kindRows),
    '',
    ...table(['CONTROLLER', 'DEPTH', 'RUNNING', 'RECONCILES', 'PER SECOND'], controllerRows),
  ];
}

/** The same in one line, for a log. */
export function snapshotLine({ kinds, controllers }: Snapshot): string {
  const objects = kinds.map(({ kind, objects: count }) => `${count} ${kind}s`);
  const sum = (of: (row: ControllerRow) => number): number =>
    controllers.reduce((total, row) => total + of(row), 0);
  const work = `${sum((row) => row.depth)} queued, ${sum((row) => row.reconciles)} reconciled`;
  const hasRate = controllers.some(({ perSecond }) => perSecond !== undefined);
  const rate = hasRate ? `, ${sum((row) => row.perSecond ?? 0)} a second` : '';
  return `in the cache: ${objects.join(', ')}; ${work}${rate}`;
}
