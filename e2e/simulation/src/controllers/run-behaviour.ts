import type { ReconcileContext, Request } from '@keelson/manager';
import { Part, Thing } from '../server/kind.ts';
import type { SimulatedServer } from '../server/simulated-server.ts';

/** How a run of a reconcile acts, and how it ends. */
export type Behaviour =
  | 'succeeds'
  | 'takes some turns'
  | 'throws'
  | 'throws a terminal error'
  | 'retries'
  | 'requeues'
  | 'returns an invalid result'
  | 'hangs until its signal aborts'
  | 'ignores its signal'
  | 'removes a watch'
  | 'writes'
  | 'writes before another client'
  | 'stops its controller';

const behaviours: readonly Behaviour[] = [
  'succeeds',
  'succeeds',
  'takes some turns',
  'takes some turns',
  'throws',
  'throws',
  'throws',
  'throws a terminal error',
  'retries',
  'requeues',
  'returns an invalid result',
  'hangs until its signal aborts',
  'ignores its signal',
  'removes a watch',
  'writes',
  'writes before another client',
  'writes before another client',
  'writes before another client',
  'stops its controller',
];

/** Runs with a behaviour of their own. Later runs succeed, so that every controller comes to rest. */
const MAX_RUNS = 25;

/** Chooses the behaviours of the runs of one controller. */
export class Behaviours {
  readonly #random: () => number;
  #runs = 0;

  constructor(random: () => number) {
    this.#random = random;
  }

  calm(): void {
    this.#runs = MAX_RUNS;
  }

  /** A number from 0 to 1. */
  choice(): number {
    return this.#random();
  }

  next(): Behaviour {
    this.#runs++;
    const choice = behaviours[Math.floor(this.#random() * behaviours.length)] ?? 'succeeds';
    return this.#runs > MAX_RUNS ? 'succeeds' : choice;
  }
}

export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Runs that do not end by themselves. */
export class HangingRuns {
  readonly #ends = new Set<() => void>();

  /** Resolves at the abort of the signal, or at a release. */
  hang(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      this.#ends.add(resolve);
      signal?.addEventListener('abort', () => resolve());
      if (signal?.aborted === true) resolve();
    });
  }

  /** Ends the runs. Returns their number. */
  release(): number {
    const ends = [...this.#ends];
    this.#ends.clear();
    for (const end of ends) end();
    return ends.length;
  }
}

/** The choice of a write that succeeds whether the object exists or not. */
const APPLIES_THING = 0.2;

/** Writes an object of a request, whatever its state. A write may fail, as any. */
export async function writeObject(
  { namespace = '', name }: Request,
  { client, cache }: ReconcileContext,
  choice: number,
): Promise<void> {
  const thing = { metadata: { namespace, name }, spec: { value: Math.floor(choice * 100) } };
  const part = { metadata: { namespace, name: 'a' }, spec: { value: 7, target: name } };
  const writes: readonly (() => Promise<unknown>)[] = [
    () => client.update(Thing, thing),
    () => client.apply(Thing, thing),
    () => client.create(Thing, thing),
    () => client.apply(Part, part),
    () => client.delete(Part, part.metadata),
    async () => {
      const found = cache.get(Thing, { namespace, name });
      if (found !== undefined) await client.update(Thing, { ...found, spec: { value: 8 } });
    },
  ];
  const write = async (): Promise<unknown> => writes[Math.floor(choice * writes.length)]?.();
  await write().catch(() => undefined);
}

/** Writes the object of a request, and another client does so directly after it. */
export async function writeInRace(
  request: Request,
  context: ReconcileContext,
  server: SimulatedServer,
): Promise<void> {
  const { namespace = '', name } = request;
  const written = writeObject(request, context, APPLIES_THING);
  server.write({ resource: Thing, namespace, name }, { labels: { app: 'x' }, value: 9 });
  await written;
}
