import type { ApiServer } from '@keelson/apiserver';
import {
  builtin,
  createClient,
  type ApiResource,
  type Client,
  type Cluster,
  type Logger,
  type WatchHandle,
} from '@keelson/manager';
import { CacheBarrier } from './cache-barrier.ts';
import type { Check } from './check.ts';
import { Deletions } from './deletions.ts';
import { colourOf } from './desired-objects.ts';
import { checkObjects, isOpen } from './object-checks.ts';
import { ReconcileTally } from './reconcile-tally.ts';
import type { Screen } from './screen.ts';
import { Shop } from './shop.ts';
import { ShopWriter, themes } from './shop-writer.ts';
import { createShopOperator, type ShopOperator } from './shop-operator.ts';
import { takeSnapshot } from './take-snapshot.ts';
import { WireCheck } from './wire-check.ts';

/** The cluster, the namespace and the screen of a run of the demo. */
export interface DemoOptions {
  readonly cluster: Cluster;
  /** The embedded server: the demo breaks its watches and reads its statistics. */
  readonly server: ApiServer | undefined;
  /** A namespace of the demo's own; it must exist. */
  readonly namespace: string;
  readonly shops: number;
  readonly screen: Screen;
  readonly logger: Logger;
  /** True to print where the inspector and the metrics are, as soon as they are served. Default false. */
  readonly printsAddresses?: boolean;
}

/** The kinds that are watched all the time: the reconciled kind and the owned kinds. */
const steadyKinds: readonly ApiResource[] = [Shop, builtin.Deployment, builtin.Service];

/** Milliseconds between two updates of the screen. */
const INTERVAL_MS = 100;

/** Runs the demo on a cluster that serves Shops. */
export class Demo implements AsyncDisposable {
  readonly operator: ShopOperator;
  readonly #options: DemoOptions;
  readonly #screen: Screen;
  readonly #client: Client;
  readonly #shops: ShopWriter;
  readonly #tally = new ReconcileTally();
  readonly #deletions = new Deletions();
  readonly #wire: WireCheck | undefined;
  /** The Shops that should exist. */
  readonly #names = new Set<string>();
  readonly #checks: Check[] = [];
  readonly #refreshTimer: NodeJS.Timeout;
  #handles: WatchHandle[] = [];
  #barrier: CacheBarrier;
  readonly #stop = new AbortController();
  /** The uids of deleted Shops and of the objects that they owned. */
  readonly #deletedUids: string[] = [];
  #running: Promise<void> | undefined;

  constructor(options: DemoOptions) {
    const { cluster, namespace, logger, server, screen } = options;
    this.#options = options;
    this.#screen = screen;
    this.#client = createClient({ cluster, fieldManager: 'keelson-demo' });
    this.#shops = new ShopWriter(this.#client, namespace);
    const manager = {
      cluster,
      logger,
      servers: { metrics: 0, debug: 0 },
      cache: { linger: 500 },
      stopSignals: [],
    };
    this.operator = createShopOperator(manager, namespace, this.#tally.count);
    this.#wire = server && new WireCheck(server, steadyKinds);
    this.#barrier = new CacheBarrier([], this.#stop.signal);
    this.#refreshTimer = setInterval(() => this.#show(), INTERVAL_MS);
  }

  /** Runs every phase; resolves to the checks of the summary. */
  async run(): Promise<readonly Check[]> {
    await this.#start();
    await this.#createShops();
    await this.#watchThemes();
    await this.#upgradeShops();
    await this.#breakWatches();
    await this.#checkServer();
    return this.#checks;
  }

  /** Where the metrics are while the manager runs. */
  get metricsUrl(): string {
    return `http://127.0.0.1:${this.operator.manager.ports.metrics}/metrics`;
  }

  /** Where the inspector is, with its token, while the manager runs. */
  get inspectorUrl(): string {
    const { ports, debugToken } = this.operator.manager;
    return `http://127.0.0.1:${ports.debug}/#token=${debugToken}`;
  }

  /** Returns the number of reconciles and of changes, as text. */
  summary(): string {
    const { server } = this.#options;
    const writes = server === undefined ? '' : `, ${changesOf(server)} changes on the server`;
    return `${this.#tally.sum()} reconciles by three controllers${writes}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#refreshTimer);
    this.#stop.abort(new Error('the demo was stopped'));
    this.#deletions.stop();
    for (const handle of this.#handles) handle.release();
    await this.operator.manager.stop();
    await this.#running?.catch(() => undefined);
    await this.#client.close();
  }

  async #start(): Promise<void> {
    const { manager } = this.operator;
    this.#screen.phase('the manager starts: three controllers, three kinds', 0);
    this.#running = manager.start();
    await Promise.race([manager.started, this.#running]);
    const { namespace, printsAddresses = false } = this.#options;
    if (printsAddresses) {
      this.#screen.print(`inspector: ${this.inspectorUrl}`);
      this.#screen.print(`metrics: ${this.metricsUrl}`);
    }
    const options = { owner: 'demo', required: false };
    this.#handles = steadyKinds.map((resource) =>
      manager.cache.acquire({ resource, namespace }, options),
    );
    for (const handle of this.#handles) this.#deletions.listen(handle);
    this.#barrier = new CacheBarrier(this.#handles, this.#stop.signal);
    await Promise.all(this.#handles.map((handle) => handle.synced));
  }

  async #createShops(): Promise<void> {
    const names = shopNames('shop', this.#options.shops);
    const title = `${names.length} Shops are created; the controllers create a Deployment and a Service for each`;
    for (const name of names) this.#names.add(name);
    await this.#shops.create(names, this.#progress(title, 0, 0.5));
    await this.#untilOpen(title);
  }

  async #watchThemes(): Promise<void> {
    const { deployments } = this.operator;
    const title =
      'a controller adds a watch of ConfigMaps and updates the colour of every Deployment';
    await this.#setColour('dark');
    this.#screen.phase(title, 0.1);
    const watch = deployments.watchThemes();
    await watch.synced;
    await this.#untilColour(title, 'dark');
    await this.#setColour('light');
    await this.#untilColour(title, 'light');
    this.#wire?.expectOpen(builtin.ConfigMap, 1, 'while a controller watches them');
    this.#screen.phase('the watch is removed', 1);
    await deployments.forgetThemes();
    const before = this.#tally.causedBy(watch.name);
    await this.#setColour('unseen');
    this.#checks.push({
      what: 'Reconciles caused by ConfigMaps after the removal of the watch',
      expected: '0',
      actual: String(this.#tally.causedBy(watch.name) - before),
    });
  }

  async #upgradeShops(): Promise<void> {
    const title = 'every Shop gets a new image';
    await this.#shops.update([...this.#names], 'shop:2', this.#progress(title, 0, 0.5));
    await this.#untilOpen(title);
  }

  async #breakWatches(): Promise<void> {
    const faults = this.#options.server?.faults;
    const fifth = Math.ceil(this.#names.size / 5);
    const changes = `${fifth} Shops are deleted, ${fifth} created, others changed`;
    const title = faults
      ? `the server breaks every watch and rejects new ones; meanwhile ${changes}`
      : changes;
    const outage = faults?.reset({ verb: 'watch' });
    const cut = faults?.cutWatches({ how: 'reset' }) ?? 0;
    await this.#changeShops(title);
    outage?.end();
    const began = performance.now();
    await this.#untilOpen(title);
    const took = Math.round(performance.now() - began);
    if (faults)
      this.#screen.print(
        `${cut} watches were broken; the cache was up to date ${took} ms after new ones were accepted`,
      );
  }

  async #changeShops(title: string): Promise<void> {
    const names = [...this.#names];
    const closing = names.filter((_, index) => index % 5 === 0);
    const opening = shopNames('new-shop', closing.length);
    const changing = names.filter((_, index) => index % 5 === 1);
    for (const name of closing) this.#names.delete(name);
    for (const name of opening) this.#names.add(name);
    this.#deletedUids.push(...this.#uidsOf(closing));
    await this.#shops.delete(closing, this.#progress(title, 0, 0.2));
    await this.#shops.update(changing, 'shop:3', this.#progress(title, 0.2, 0.4));
    await this.#shops.create(opening, this.#progress(title, 0.4, 0.6));
  }

  async #checkServer(): Promise<void> {
    this.#screen.phase('comparing the objects on the API server with the expected ones', 1);
    await this.#wire?.untilClosed(builtin.ConfigMap);
    const { namespace } = this.#options;
    this.#checks.push(
      ...(this.#wire?.checks() ?? []),
      ...(await checkObjects(this.#client, namespace, this.#names)),
      ...this.#deletions.checks(this.#deletedUids),
    );
    this.#show();
  }

  /** As the cache knows them: Shops, Deployments and Services of these names. */
  #uidsOf(names: readonly string[]): string[] {
    const { namespace } = this.#options;
    return this.#handles.flatMap(({ store }) =>
      names.map((name) => store.view({ namespace, name })?.uid ?? `no ${name}`),
    );
  }

  async #setColour(shade: string): Promise<void> {
    for (const theme of themes) await this.#shops.setColour(theme, `${shade}-${theme}`);
  }

  /** The cache holds exactly the Shops that should exist, all open, and no object of a deleted one. */
  async #untilOpen(title: string): Promise<void> {
    const { cache } = this.operator.manager;
    const selection = { namespace: this.#options.namespace };
    await this.#barrier.until(title, () => {
      const shops = cache.list(Shop, selection);
      const open = shops.filter((shop) => isOpen(shop) && this.#names.has(shop.metadata.name));
      this.#screen.phase(title, 0.6 + (0.4 * open.length) / this.#names.size);
      const counts = [builtin.Deployment, builtin.Service].map(
        (resource) => cache.list<object>(resource, selection).length,
      );
      return [open.length, shops.length, ...counts].every((count) => count === this.#names.size);
    });
  }

  async #untilColour(title: string, shade: string): Promise<void> {
    const { cache } = this.operator.manager;
    const selection = { namespace: this.#options.namespace };
    await this.#barrier.until(title, () => {
      const deployments = cache.list(builtin.Deployment, selection);
      const painted = deployments.filter((deployment) => colourOf(deployment)?.startsWith(shade));
      this.#screen.phase(title, painted.length / deployments.length);
      return painted.length === deployments.length;
    });
  }

  #progress(title: string, from: number, to: number): (share: number) => void {
    return (share) => this.#screen.phase(title, from + share * (to - from));
  }

  #show(): void {
    this.#wire?.sample();
    this.#screen.show(takeSnapshot(this.operator, this.#tally, this.#options.server));
  }
}

function changesOf({ stats }: ApiServer): number {
  return steadyKinds.reduce((sum, kind) => sum + stats.changes(kind), 0);
}

function shopNames(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${String(index).padStart(4, '0')}`);
}
