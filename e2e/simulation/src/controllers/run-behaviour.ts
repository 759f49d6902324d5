import type { ReconcileContext, Request } from '@keelson/manager';
import { Thing } from '../server/kind.ts';

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

  next(): Behaviour {
    this.#runs++;
    const choice = behaviours[Math.floor(this.#random() * behaviours.length)] ?? 'succeeds';
    return this.#runs > MAX_RUNS ? 'succeeds' : choice;
  }
}

export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Writes the object of a request, whatever its state. A write may fail, as any. */
export async function writeObject(
  { namespace = '', name }: Request,
  { client }: ReconcileContext,
): Promise<void> {
  const object = { metadata: { namespace, name }, spec: { value: 7 } };
  await client.update(Thing, object).catch(() => undefined);
}
