import { builtin, type Client } from '@keelson/manager';
import { label } from './operator.ts';

/** The state of one object, as the server stored it last. */
interface WorkObject {
  /** The replica whose run works; empty between two runs. */
  worker: string;
  handledBy: string;
}

/** The objects that the replicas handle, in the order in which the server stored their writes. */
export class Work {
  readonly #client: Client;
  readonly #objects = new Map<string, WorkObject>();
  /** Runs that began while another replica worked on the object. */
  readonly overlaps: string[] = [];
  /** Replicas that were killed: they left runs without an end. */
  readonly killed = new Set<string>();
  runs = 0;
  #changed = Promise.withResolvers<void>();

  constructor(client: Client) {
    this.#client = client;
  }

  /** Creates so many objects. */
  async create(count: number): Promise<void> {
    for (let at = 0; at < count; at += 1) {
      const metadata = { namespace: 'default', name: `work-${at}`, labels: { [label]: '' } };
      await this.#client.create(builtin.ConfigMap, { metadata });
    }
  }

  /** Records the writes of the replicas until the signal aborts. */
  async record(signal: AbortSignal): Promise<void> {
    const options = { namespace: 'default', labelSelector: label, signal };
    try {
      for await (const { type, object } of this.#client.watch(builtin.ConfigMap, options)) {
        if (type === 'BOOKMARK') continue;
        const { worker = '', handledBy = '' } = object.data ?? {};
        this.#add(object.metadata?.name ?? '', { worker, handledBy });
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** The number of objects that each replica handled last. */
  shares(): Map<string, number> {
    const shares = new Map<string, number>();
    for (const { handledBy } of this.#objects.values())
      shares.set(handledBy, (shares.get(handledBy) ?? 0) + 1);
    return shares;
  }

  /** Resolves when each of these replicas handled at least half of its share last, and no other one any object. */
  async untilSharedBy(names: readonly string[]): Promise<void> {
    const isShared = (): boolean => {
      const shares = this.shares();
      const least = this.#objects.size / names.length / 2;
      return (
        shares.size === names.length && names.every((name) => (shares.get(name) ?? 0) >= least)
      );
    };
    while (!isShared()) await this.#changed.promise;
  }

  #add(name: string, next: WorkObject): void {
    const { worker: former = '' } = this.#objects.get(name) ?? {};
    const isOther = next.worker !== '' && former !== '' && next.worker !== former;
    if (isOther && !this.killed.has(former))
      this.overlaps.push(`${name}: ${former} and ${next.worker}`);
    if (next.worker === '' && next.handledBy !== '') this.runs += 1;
    this.#objects.set(name, next);
    const { resolve } = this.#changed;
    this.#changed = Promise.withResolvers<void>();
    resolve();
  }
}
