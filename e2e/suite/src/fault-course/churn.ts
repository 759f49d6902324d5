import { builtin, hasCode, isNotFound } from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import { constantFrom, nat, record, sample } from 'fast-check';
import { stateOf } from '../event-history.ts';

/** One change of one object. `replace`: deleted and created again under its name. */
export interface Step {
  readonly index: number;
  readonly does: 'write' | 'delete' | 'replace';
}

const size = 300;
/** Changes of one object come one after the other, those of different ones side by side. */
const lanes = 8;
const labels = { churn: 'yes' };

/** What of a namespace the churn is about. */
export const selection: { readonly labelSelector: string } = { labelSelector: 'churn=yes' };

/** The same steps for the same seed. */
export function stepsOf(seed: number, count: number): readonly Step[] {
  const step = record({
    index: nat({ max: size - 1 }),
    does: constantFrom<Step['does']>('write', 'write', 'write', 'delete', 'replace'),
  });
  return sample(step, { seed, numRuns: count });
}

/** Continuous writes in one namespace, during every fault. */
export class Churn {
  readonly namespace: string;
  readonly #client: Client;
  #round = 0;

  constructor(client: Client, namespace: string) {
    this.#client = client;
    this.namespace = namespace;
  }

  /** Every object there is to be. */
  async fill(): Promise<void> {
    await this.run(Array.from({ length: size }, (_, index): Step => ({ index, does: 'write' })));
  }

  async run(steps: readonly Step[]): Promise<void> {
    const lane = async (number: number): Promise<void> => {
      for (const step of steps) if (step.index % lanes === number) await this.#do(step);
    };
    await Promise.all(Array.from({ length: lanes }, (_, number) => lane(number)));
  }

  /** The last write: when its event arrives, all earlier events should have arrived. */
  async end(): Promise<string> {
    await this.#write('last');
    return `${this.namespace}/last`;
  }

  /** The objects on the server, in the form of `EventHistory.state`. */
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

/** Asks until the server has done it: meanwhile it may be away. */
async function persistently<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    // After a failed test the server may be gone.
    if (hasCode(error, 'CLIENT_CLOSED')) throw error;
    return persistently(ask);
  }
}
