import { builtin, defineResource, type KubernetesObject } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createLogger, createManager, ownerReferenceTo, type Manager } from '@keelson/manager';

interface WebApp extends KubernetesObject {
  spec?: { image?: string };
  status?: { ready?: boolean };
}

const WebApp = defineResource<WebApp>({
  group: 'apps.example.com',
  version: 'v1',
  kind: 'WebApp',
  plural: 'webapps',
});
const { ConfigMap, CustomResourceDefinition, Deployment } = builtin;
const namespace = 'default';

/** One situation of docs/guides/debugging.md: an operator with a mistake, and where the page shows it. */
export interface Situation {
  /** The name of its picture. */
  readonly name: string;
  /** The place of the page. */
  readonly hash: string;
  /** The height of its picture. Pages with much text make large pictures. */
  readonly height: number;
  /** Texts that the guide names, each with the place that has it. */
  readonly shows: readonly (readonly [selector: string, text: RegExp])[];
  /** Adds the controllers, and does what the guide describes. */
  readonly begin: (operator: SituationOperator) => Promise<void> | void;
}

/** An operator and its server. */
export class SituationOperator implements AsyncDisposable {
  readonly server: ApiServer;
  readonly manager: Manager;
  #ended: Promise<void> | undefined;

  private constructor(server: ApiServer) {
    this.server = server;
    this.manager = createManager({
      cluster: server.cluster,
      logger: createLogger({ level: 'silent' }),
      stopSignals: [],
      gracePeriod: 0,
      servers: { debug: { port: 0 } },
    });
  }

  static async create(): Promise<SituationOperator> {
    return new SituationOperator(await createApiServer());
  }

  /** The address of the page, with the token in its fragment. */
  get url(): string {
    const { ports, debugToken } = this.manager;
    return `http://127.0.0.1:${ports.debug}/#token=${debugToken}`;
  }

  async serveWebApps(): Promise<void> {
    const { group, version, kind, plural } = WebApp;
    await this.manager.client.create(CustomResourceDefinition, {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.${group}` },
      spec: {
        group,
        names: { kind, plural, singular: 'webapp', listKind: 'WebAppList' },
        scope: 'Namespaced',
        versions: [
          {
            name: version,
            served: true,
            storage: true,
            subresources: { status: {} },
            schema: {
              openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        ],
      },
    });
  }

  async createWebApp(name: string): Promise<void> {
    const spec = { image: 'nginx:1.27' };
    await this.manager.client.create(WebApp, {
      apiVersion: 'apps.example.com/v1',
      kind: 'WebApp',
      metadata: { namespace, name },
      spec,
    });
  }

  /** Starts, and resolves when the debug server listens: a watch that is not live keeps the rest from starting. */
  async start(): Promise<void> {
    this.#ended = this.manager.start().catch(() => undefined);
    while (this.manager.ports.debug === undefined) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.manager.stop();
    await this.#ended;
    await this.server.close();
  }
}

const loop: Situation = {
  name: 'loop',
  hash: '#/request/web-app/default%2Fweb',
  height: 520,
  shows: [
    ['.timeline li:nth-of-type(n+2)', /because of for WebApp updated/],
    [
      '.timeline li',
      /patch \/apis\/apps\.example\.com\/v1\/namespaces\/default\/webapps\/web\/status: 200/,
    ],
    ['main', /delayed for \d+ ms by eventRate \(delayed\)/],
  ],
  async begin(operator) {
    const { manager } = operator;
    await operator.serveWebApps();
    manager.addController({
      name: 'web-app',
      for: WebApp,
      async reconcile(request, { cache, patchStatus }) {
        const app = cache.get(WebApp, request);
        // Each run writes another status, whose event leads to the next run.
        if (app !== undefined)
          await patchStatus(WebApp, app, { ready: app.status?.ready !== true });
      },
    });
    await operator.start();
    await operator.createWebApp('web');
  },
};

const never: Situation = {
  name: 'never',
  hash: '#/',
  height: 720,
  shows: [
    ['tr:has(a[href="#/controller/web-app"])', /watch for WebApp is .*\(watch-not-live\)/],
    ['tr:has(a:text("apps.example.com/v1/webapps"))', /not served|404/],
  ],
  async begin(operator) {
    const { manager } = operator;
    // The definition of the kind is not installed.
    manager.addController({ name: 'web-app', for: WebApp, reconcile: () => undefined });
    manager.addController({ name: 'config', for: ConfigMap, reconcile: () => undefined });
    await operator.start();
  },
};

const slow: Situation = {
  name: 'slow',
  hash: '#/request/web-app/default%2Fweb',
  height: 560,
  shows: [
    [
      '.timeline li',
      /get \/api\/v1\/namespaces\/default\/configmaps\/web-0: 404, \d{3,}(\.\d)? ms/,
    ],
    ['.timeline li', /: \d{4,}(\.\d)? ms, runs again/],
  ],
  async begin(operator) {
    const { manager, server } = operator;
    await operator.serveWebApps();
    manager.addController({
      name: 'web-app',
      for: WebApp,
      async reconcile({ name }, { client }) {
        for (let index = 0; index < 4; index += 1) {
          const part = { namespace, name: `${name}-${index}` };
          await client.get(ConfigMap, part).catch(() => undefined);
        }
        return { requeueAfter: '2s' };
      },
    });
    await operator.start();
    server.faults.delay({ resource: ConfigMap, verb: 'get', by: '450ms' });
    await operator.createWebApp('web');
  },
};

/** The watches that the leaking controller has added. */
const LEAKED_WATCHES = 12;

const leak: Situation = {
  name: 'leak',
  hash: '#/',
  height: 720,
  shows: [
    [`tr:has-text("labels app=web-${LEAKED_WATCHES - 1}")`, /web-app#1: /],
    ['caption:has-text("Watches")', /Watches 1[2-9]/],
  ],
  async begin(operator) {
    const { manager } = operator;
    await operator.serveWebApps();
    const seen = new Set<string>();
    const controller = manager.addController({
      name: 'web-app',
      for: WebApp,
      reconcile({ name }) {
        if (seen.has(name)) return;
        seen.add(name);
        // Added for each object, and removed with none.
        controller.watch({
          resource: ConfigMap,
          namespace,
          labelSelector: `app=${name}`,
          map: () => ({ namespace, name }),
        });
      },
    });
    await operator.start();
    for (let index = 0; index < LEAKED_WATCHES; index += 1) {
      const name = `web-${index}`;
      const data = { config: 'x'.repeat(2000) };
      const metadata = { namespace, name, labels: { app: name } };
      await manager.client.create(ConfigMap, { metadata, data });
      await operator.createWebApp(name);
    }
  },
};

const fight: Situation = {
  name: 'fight',
  hash: '#/request/web-app/default%2Fweb',
  height: 560,
  shows: [
    ['.timeline li', /owns Deployment: updated of default\/web/],
    ['table:has-text("Last writers")', /default\/web \(owns Deployment\)/],
    ['table:has-text("Last writers")', /autoscaler|web-app/],
  ],
  async begin(operator) {
    const { manager } = operator;
    await operator.serveWebApps();
    const labels = { app: 'web' };
    const template = {
      metadata: { labels },
      spec: { containers: [{ name: 'web', image: 'nginx' }] },
    };
    manager.addController({
      name: 'web-app',
      for: WebApp,
      owns: [Deployment],
      async reconcile(request, { cache, client }) {
        const app = cache.get(WebApp, request);
        if (app === undefined) return;
        const ownerReferences = [ownerReferenceTo(app, { controller: true })];
        await client.apply(Deployment, {
          metadata: { ...request, ownerReferences },
          spec: { replicas: 2, selector: { matchLabels: labels }, template },
        });
      },
    });
    manager.addController({
      name: 'autoscaler',
      for: Deployment,
      async reconcile({ name }, { client }) {
        const body = { spec: { replicas: 5 } };
        await client.patch(Deployment, { namespace, name }, { type: 'merge', body });
      },
    });
    await operator.start();
    await operator.createWebApp('web');
  },
};

/** In the order of the guide. */
export const situations: readonly Situation[] = [loop, never, slow, leak, fight];
