import { randomBytes } from 'node:crypto';
import { builtin } from '@keelson/apimachinery';
import type { Client, ListOptions } from '@keelson/client';
import type { History } from './history.ts';
import { requestBound } from './within.ts';

interface BusyOptions {
  readonly name: string;
  /** The number of objects at the start. */
  readonly objects: number;
  /** Bytes of random, incompressible text in the metadata of each object. */
  readonly filler?: number;
}

/** A namespace of ConfigMaps that the test changes, with a record of every change. */
export class BusyNamespace {
  readonly name: string;
  readonly #client: Client;
  readonly #truth: Record<string, string[]> = {};
  readonly #filler: number;
  #step = 0;

  private constructor(client: Client, { name, filler = 0 }: BusyOptions) {
    this.#client = client;
    this.name = name;
    this.#filler = filler;
  }

  static async create(client: Client, options: BusyOptions): Promise<BusyNamespace> {
    const { name, objects } = options;
    await client.create(builtin.Namespace, { metadata: { name } }, requestBound);
    const busy = new BusyNamespace(client, options);
    const keys = Array.from({ length: objects }, (_, index) => `object-${index}`);
    await Promise.all(keys.map((key) => busy.add(key)));
    return busy;
  }

  get truth(): History {
    return this.#truth;
  }

  /** The number of the last step; each `churn` is one step. */
  get step(): number {
    return this.#step;
  }

  /** Updates every second object, deletes every fifth, and creates one object for each deleted one. */
  async churn(): Promise<void> {
    this.#step++;
    const living = Object.keys(this.#truth)
      .filter((key) => this.#lives(key))
      .toSorted();
    for (const [index, key] of living.entries()) {
      if (index % 5 === 0) await this.remove(key);
      else if (index % 2 === 0) await this.change(key);
      if (index % 10 === 0) await this.add(key);
    }
    await this.add(`late-${this.#step}`);
  }

  async add(key: string): Promise<void> {
    const annotations = { filler: randomBytes(this.#filler / 2).toString('hex') };
    const metadata = { name: key, namespace: this.name, labels: this.#labels(), annotations };
    await this.#client.create(builtin.ConfigMap, { metadata, data: { key } }, requestBound);
    this.#note(key, 'add');
  }

  async change(key: string): Promise<void> {
    const body = { metadata: { labels: this.#labels() } };
    const name = { namespace: this.name, name: key };
    await this.#client.patch(builtin.ConfigMap, name, { type: 'merge', body }, requestBound);
    this.#note(key, 'update');
  }

  async remove(key: string): Promise<void> {
    await this.#client.delete(builtin.ConfigMap, { namespace: this.name, name: key }, requestBound);
    this.#note(key, 'delete');
  }

  /** Returns the resourceVersion of each object on the server, or of the selected ones. */
  async versions(
    choice: Pick<ListOptions, 'labelSelector' | 'fieldSelector'> = {},
  ): Promise<Record<string, string>> {
    const namespace = this.name;
    const list = await this.#client.list(builtin.ConfigMap, {
      ...requestBound,
      ...choice,
      namespace,
    });
    return Object.fromEntries(
      list.items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]),
    );
  }

  /** The label `parity` changes with each step, so that objects enter and leave a selection. */
  #labels(): Record<string, string> {
    return { step: String(this.#step), parity: this.#step % 2 === 0 ? 'even' : 'odd' };
  }

  #lives(key: string): boolean {
    return this.#truth[key]?.at(-1)?.startsWith('delete') === false;
  }

  #note(key: string, event: string): void {
    const events = (this.#truth[key] ??= []);
    // A delete event has the last state of the object.
    const step = event === 'delete' ? events.at(-1)?.split(' ')[1] : this.#step;
    events.push(`${event} ${step}`);
  }
}
