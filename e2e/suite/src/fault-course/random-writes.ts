import { builtin, hasCode, isNotFound } from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import { constantFrom, nat, record, sample } from 'fast-check';
import { stateOf } from '../event-history.ts';

/** One change of one object. `replace` deletes the object and creates it again with the same name. */
export interface Step {
  readonly index: number;
  readonly does: 'write' | 'delete' | 'replace';
}

const size = 300;
/** Number of objects that change at the same time; the changes of one object are sequential. */
const lanes = 8;
const labels = { churn: 'yes' };

/** Selects the objects of the random writes in the namespace. */
export const selection: { readonly labelSelector: string } = { labelSelector: 'churn=yes' };

/** Returns random steps; the same seed returns the same steps. */
export function stepsOf(seed: number, count: number): readonly Step[] {
  const step = record({
    index: nat({ max: size - 1 }),
    does: constantFrom<Step['does']>('write', 'write', 'write', 'delete', 'replace'),
  });
  return sample(step, { seed, numRuns: count });
}

/** Writes continuously in one namespace, during every fault. */
export class RandomWrites {
  readonly namespace: string;
  readonly #client: Client;
  #round = 0;

  constructor(client: Client, namespace: string) {
    this.#client = client;
    this.namespace = namespace;
  }

  /** Creates all objects. */
  async fill(): Promise<void> {
    await this.run(Array.from({ length: size }, (_, index): Step => ({ index, does: 'write' })));
  }

  async run(steps: readonly Step[]): Promise<void> {
    const lane = async (number: number): Promise<void> => {
      for (const step of steps) if (step.index % lanes === number) await this.#do(step);
    };
    await Promise.all(Array.from({ length: lanes }, (_, number) => lane(number)));
  }

  /** Makes the last write: when its event arrives, all earlier events should have arrived. */
  async end(): Promise<string> {
    await this.#write('last');
    return `${this.namespace}/last`;
  }

  /** Returns the objects on the server, in the form of `EventHistory.state`. */
  async state(): Promise<string[]> {
    const { namespace } = this;
    const { items } = await this.#client.list(builtin.ConfigMap, { namespace, ...selection });
    return stateOf(items);
  }

  async #do({ index, does }: Step): Promise<void> {
    const name = `c-${index}`;
    if (does !== 'write') await this.#remove(name);
    if (does !== 'delete') await this.#write(name);
  }

  #write(name: string): Promise<unknown> {
    const metadata = { namespace: this.namespace, name, labels };
    const data = { round: String(this.#round++), filler: 'x'.repeat(200) };
    return persistently(() => this.#client.apply(builtin.ConfigMap, { metadata, data }));
  }

  #remove(name: string): Promise<unknown> {
    const { namespace } = this;
    return persistently(async () => {
      try {
        await this.#client.delete(builtin.ConfigMap, { namespace, name });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    });
  }
}

/** Repeats a request until it succeeds, because the server may be down for a while. */
async function persistently<Result>(ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask();
  } catch (error) {
    // The client was closed after a failed test.
    if (hasCode(error, 'CLIENT_CLOSED')) throw error;
    return persistently(ask);
  }
}
