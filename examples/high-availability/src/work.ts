import { builtin, type Client } from '@keelson/manager';
import { label } from './operator.ts';

/** The ConfigMaps that the tour creates, and the replicas that handled them. */
export class Work {
  readonly #client: Client;
  readonly #namespace: string;
  #created = 0;
  /** The names of the replicas in the order in which the server stored their writes. */
  readonly handled: string[] = [];
  #next = Promise.withResolvers<void>();

  constructor(client: Client, namespace: string) {
    this.#client = client;
    this.#namespace = namespace;
  }

  get created(): number {
    return this.#created;
  }

  get waiting(): number {
    return this.#created - this.handled.length;
  }

  /** Creates one object. */
  async add(): Promise<void> {
    this.#created += 1;
    const metadata = {
      namespace: this.#namespace,
      name: `work-${this.#created}`,
      labels: { [label]: '' },
    };
    await this.#client.create(builtin.ConfigMap, { metadata });
  }

  /** Creates an object every few milliseconds until the signal aborts. */
  async keepAdding(milliseconds: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.add();
      await new Promise((resolve) => setTimeout(resolve, milliseconds));
    }
  }

  /** Records the replica of each object that becomes handled, until the signal aborts. */
  async record(signal: AbortSignal): Promise<void> {
    const options = { namespace: this.#namespace, labelSelector: label, signal };
    try {
      for await (const { type, object } of this.#client.watch(builtin.ConfigMap, options)) {
        if (type === 'MODIFIED') this.#add(object.data?.['handledBy'] ?? '');
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  #add(replica: string): void {
    this.handled.push(replica);
    this.#next.resolve();
    this.#next = Promise.withResolvers<void>();
  }

  /** The replicas in the order in which they handled objects, each with the number of its objects. */
  terms(): readonly { readonly replica: string; readonly handled: number }[] {
    const terms: { replica: string; handled: number }[] = [];
    for (const replica of this.handled) {
      const last = terms.at(-1);
      if (last?.replica === replica) last.handled += 1;
      else terms.push({ replica, handled: 1 });
    }
    return terms;
  }

  /** Throws if a replica wrote after another one had taken over from it. */
  checkTerms(): void {
    const replicas = this.terms().map(({ replica }) => replica);
    if (new Set(replicas).size === replicas.length) return;
    throw new Error(`two replicas led at once: ${replicas.join(' ')}`);
  }

  /** Resolves when this many objects are handled. */
  async untilHandled(count: number): Promise<void> {
    while (this.handled.length < count) await this.#next.promise;
  }
}
