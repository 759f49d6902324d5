import { builtin } from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import type { History } from './history.ts';

/** A namespace of ConfigMaps that the test changes, and the truth about what it did. */
export class BusyNamespace {
  readonly name: string;
  readonly #client: Client;
  readonly #truth: Record<string, string[]> = {};
  #step = 0;

  private constructor(client: Client, name: string) {
    this.#client = client;
    this.name = name;
  }

  static async create(client: Client, name: string, objects: number): Promise<BusyNamespace> {
    await client.create(builtin.Namespace, { metadata: { name } });
    const busy = new BusyNamespace(client, name);
    const keys = Array.from({ length: objects }, (_, index) => `object-${index}`);
    await Promise.all(keys.map((key) => busy.add(key)));
    return busy;
  }

  get truth(): History {
    return this.#truth;
  }

  /** Updates every second object, deletes every fifth, brings back or adds one for each deleted. */
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
    const metadata = { name: key, namespace: this.name, labels: { step: String(this.#step) } };
    await this.#client.create(builtin.ConfigMap, { metadata, data: { key } });
    this.#note(key, 'add');
  }

  async change(key: string): Promise<void> {
    const body = { metadata: { labels: { step: String(this.#step) } } };
    const name = { namespace: this.name, name: key };
    await this.#client.patch(builtin.ConfigMap, name, { type: 'merge', body });
    this.#note(key, 'update');
  }

  async remove(key: string): Promise<void> {
    await this.#client.delete(builtin.ConfigMap, { namespace: this.name, name: key });
    this.#note(key, 'delete');
  }

  /** The resourceVersion of each object that the server has. */
  async versions(): Promise<Record<string, string>> {
    const list = await this.#client.list(builtin.ConfigMap, { namespace: this.name });
    return Object.fromEntries(
      list.items.map(({ metadata }) => [metadata?.name ?? '', metadata?.resourceVersion ?? '']),
    );
  }

  #lives(key: string): boolean {
    return this.#truth[key]?.at(-1)?.startsWith('delete') === false;
  }

  #note(key: string, event: string): void {
    const events = (this.#truth[key] ??= []);
    // A delete shows the last state that was there.
    const step = event === 'delete' ? events.at(-1)?.split(' ')[1] : this.#step;
    events.push(`${event} ${step}`);
  }
}
