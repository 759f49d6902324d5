import { optional, type Shape } from './response-shape.ts';

/** The part of the snapshot of a debug server that the overview prints. */
export interface Overview {
  readonly process: {
    readonly rssBytes: number;
    readonly uptimeSeconds: number;
    readonly loopDelay: { readonly p99: number };
    readonly leader?: { readonly lease: string; readonly isLeader: boolean };
    readonly shard?: { readonly name: string; readonly owned: number; readonly wanted: number };
  };
  readonly controllers: { readonly set: readonly ControllerFacts[] };
  readonly watches: { readonly set: readonly WatchFacts[] };
}

interface ControllerFacts {
  readonly id: string;
  readonly state: string;
  readonly isPaused: boolean;
  readonly obstacles: readonly string[];
  readonly ready: number;
  readonly running: number;
  readonly concurrency: number;
  readonly reconciles: number;
  readonly errors: number;
}

interface WatchFacts {
  readonly resource: string;
  readonly cluster?: string;
  readonly namespace?: string;
  readonly state: string;
  readonly reason: string;
  readonly objects: number;
  readonly bytes: number;
  readonly holders: readonly string[];
}

/** The form of an overview, which a server of another kind does not send. */
export const overviewShape: Shape = {
  process: {
    rssBytes: 'number',
    uptimeSeconds: 'number',
    loopDelay: { p99: 'number' },
    leader: optional({ lease: 'string', isLeader: 'boolean' }),
    shard: optional({ name: 'string', owned: 'number', wanted: 'number' }),
  },
  controllers: {
    set: [
      {
        id: 'string',
        state: 'string',
        isPaused: 'boolean',
        obstacles: ['string'],
        ready: 'number',
        running: 'number',
        concurrency: 'number',
        reconciles: 'number',
        errors: 'number',
      },
    ],
  },
  watches: {
    set: [
      {
        resource: 'string',
        cluster: optional('string'),
        namespace: optional('string'),
        state: 'string',
        reason: 'string',
        objects: 'number',
        bytes: 'number',
        holders: ['string'],
      },
    ],
  },
};

/** The lines of an overview for a terminal. */
export function overviewLines({ process, controllers, watches }: Overview): readonly string[] {
  const { leader, shard, loopDelay } = process;
  const facts = [
    `up ${process.uptimeSeconds} s`,
    `memory ${mebibytes(process.rssBytes)}`,
    `event loop delay p99 ${Math.round(loopDelay.p99)} ms`,
    ...(leader === undefined
      ? []
      : [`${leader.isLeader ? 'leader' : 'standby'} (${leader.lease})`]),
    ...(shard === undefined ? [] : [`${shard.owned} of ${shard.wanted} slots (${shard.name})`]),
  ];
  const controllerRows = controllers.set.map((row) => [
    row.id,
    row.isPaused ? 'paused' : row.state,
    String(row.ready),
    `${row.running} of ${row.concurrency}`,
    String(row.reconciles),
    String(row.errors),
    row.obstacles.join('; '),
  ]);
  const watchRows = watches.set.map((row) => [
    row.resource,
    [row.cluster, row.namespace ?? 'all'].filter((part) => part !== undefined).join(': '),
    row.state,
    String(row.objects),
    mebibytes(row.bytes),
    row.holders.join(', '),
    row.state === 'live' ? '' : row.reason,
  ]);
  return [
    facts.join(', '),
    '',
    ...columns(
      ['CONTROLLER', 'STATE', 'READY', 'RUNNING', 'RUNS', 'ERRORS', 'WHY NOT'],
      controllerRows,
    ),
    '',
    ...columns(
      ['WATCH', 'NAMESPACE', 'STATE', 'OBJECTS', 'MEMORY', 'HELD BY', 'REASON'],
      watchRows,
    ),
  ];
}

function mebibytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}

/** A line feed in a cell would begin another row. */
function columns(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const all = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll(/\s/g, ' ')));
  const widths = head.map((_, at) => Math.max(...all.map((row) => row[at]?.length ?? 0)));
  return all.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
