import type { ListOptions } from '@keelson/client';
import { BusyNamespace } from './busy-namespace.ts';
import { historyOf, isSameState, requestsOf, stateOf, type History } from './history.ts';
import type { Peer } from './peer.ts';
import type { ServerUnderTest } from './server-under-test.ts';
import type { TestServers } from './test-servers.ts';
import type { Trickle } from './trickle.ts';

/** The type of an informer of client-go. */
export interface InformerKind {
  readonly mode: 'json' | 'protobuf' | 'dynamic' | 'metadata';
  readonly watchList: boolean;
}

/** Every kind of informer of client-go. */
export const informerKinds: readonly InformerKind[] = (
  ['json', 'protobuf', 'dynamic', 'metadata'] as const
).flatMap((mode) => [true, false].map((watchList) => ({ mode, watchList })));

/** The events and requests of an informer. */
export interface Seen {
  readonly events: History;
  readonly requests: readonly string[];
}

/** The watched kind and the options of the watch. */
export interface WatchedOptions {
  readonly name: string;
  readonly kinds: readonly InformerKind[];
  readonly choice?: { readonly labels?: string; readonly fields?: string };
  /** Makes the objects large and their responses slow until `hurry` is called. */
  readonly slow?: boolean;
}

/** A busy namespace and informers of client-go that watch it, each with its own proxy. */
export class WatchedNamespace implements AsyncDisposable {
  readonly server: ServerUnderTest;
  readonly namespace: BusyNamespace;
  readonly peers: Peer[] = [];
  readonly #options: WatchedOptions;
  readonly #trickles: Trickle[] = [];

  private constructor(server: ServerUnderTest, namespace: BusyNamespace, options: WatchedOptions) {
    this.server = server;
    this.namespace = namespace;
    this.#options = options;
  }

  /** Resolves when the informers run; they may not have synced. */
  static async create(
    servers: TestServers,
    server: ServerUnderTest,
    options: WatchedOptions,
  ): Promise<WatchedNamespace> {
    const { name, kinds, slow = false } = options;
    const filler = slow ? 10_000 : 0;
    const namespace = await BusyNamespace.create(server.client, { name, filler, objects: 20 });
    const watched = new WatchedNamespace(server, namespace, options);
    for (const kind of kinds) await watched.#start(servers, kind);
    return watched;
  }

  /** Resolves when this number of bytes is held for each informer. */
  async holding(bytes: number): Promise<void> {
    await Promise.all(this.#trickles.map((trickle) => trickle.holding(bytes)));
  }

  /** Sends the responses at full speed. */
  hurry(): void {
    for (const trickle of this.#trickles) trickle[Symbol.dispose]();
  }

  async synced(): Promise<void> {
    await Promise.all(this.peers.map((peer) => peer.line('synced')));
  }

  /** Resolves when the events of every informer lead to exactly the objects on the server. */
  async caughtUp(): Promise<void> {
    const { labels: labelSelector, fields: fieldSelector } = this.#options.choice ?? {};
    const choice: Pick<ListOptions, 'labelSelector' | 'fieldSelector'> = {
      labelSelector,
      fieldSelector,
    };
    const versions = await this.namespace.versions(choice);
    const isThere = (peer: Peer): Promise<void> =>
      peer.until(`the state ${JSON.stringify(versions)}`, (lines) =>
        isSameState(stateOf(lines), versions),
      );
    await Promise.all(this.peers.map(isThere));
  }

  /** Returns the contents of the store of each informer. */
  async states(): Promise<unknown[]> {
    return Promise.all(
      this.peers.map(async (peer) => {
        peer.ask('state');
        return (await peer.line('state')).state;
      }),
    );
  }

  /** Stops the informers gracefully; returns the events and requests of each. */
  async end(): Promise<Record<string, Seen>> {
    const seen = this.peers.map(async (peer, index) => {
      const lines = await peer.end();
      if (lines.at(-1)?.ended !== true) throw new Error('an informer ended too early');
      const kind = JSON.stringify(this.#options.kinds[index]);
      return [kind, { events: historyOf(lines), requests: requestsOf(lines) }] as const;
    });
    return Object.fromEntries(await Promise.all(seen));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.peers.map((peer) => peer[Symbol.asyncDispose]()));
  }

  async #start(servers: TestServers, { mode, watchList }: InformerKind): Promise<void> {
    const { choice: { labels = '', fields = '' } = {}, slow } = this.#options;
    const scenario = {
      namespace: this.namespace.name,
      scenario: 'informer',
      flags: [`-mode=${mode}`, `-labels=${labels}`, `-fields=${fields}`],
      env: { KUBE_FEATURE_WatchListClient: String(watchList) },
    };
    const peer = await servers.start(this.server, scenario, (proxy) => {
      if (slow) this.#trickles.push(proxy.trickle());
    });
    this.peers.push(peer);
  }
}
