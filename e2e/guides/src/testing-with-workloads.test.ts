import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createTestEnvironment, type TestEnvironment } from '@keelson/envtest';
import {
  builtin,
  createLogger,
  createManager,
  defineResource,
  setControllerReference,
  type Client,
  type Cluster,
  type KubernetesObject,
  type Manager,
} from '@keelson/manager';

interface App extends KubernetesObject {
  spec: { image: string; replicas: number };
  status?: { ready: boolean };
}

const App = defineResource<App>({
  group: 'guides.keelson.dev',
  version: 'v1',
  kind: 'App',
  plural: 'apps',
});

const definition: KubernetesObject & { spec: object } = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'apps.guides.keelson.dev' },
  spec: {
    group: App.group,
    scope: 'Namespaced',
    names: { plural: App.plural, kind: App.kind },
    versions: [
      {
        name: App.version,
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    ],
  },
};

function createOperator(cluster: Cluster): Manager {
  const manager = createManager({
    cluster,
    logger: createLogger({ level: 'error' }),
    stopSignals: [],
    gracePeriod: '1s',
  });
  // #region operator
  manager.addController({
    name: 'app',
    for: App,
    owns: [builtin.Deployment],
    async reconcile(name, { cache, client, patchStatus }) {
      const app = cache.get(App, name);
      if (app === undefined) return;
      const deployment = await client.apply(
        builtin.Deployment,
        setControllerReference(deploymentOf(app.metadata, app.spec), app),
      );
      const { availableReplicas = 0 } = deployment.status ?? {};
      await patchStatus(App, app, { ready: availableReplicas === app.spec.replicas });
    },
  });
  // #endregion
  return manager;
}

function deploymentOf(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  { image, replicas }: App['spec'],
) {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace, name },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'app', image }] } },
    },
  };
}

describe('testing with workloads', () => {
  const name = { namespace: 'default', name: 'shop' };
  let environment: TestEnvironment;
  let operator: Manager;
  let client: Client;
  let running: Promise<void>;

  beforeEach(async () => {
    // #region start
    environment = await createTestEnvironment({
      time: 'virtual',
      workloads: { nodes: 2, startupDelay: '5s' },
    });
    await environment.installCrds([definition]);
    // #endregion
    operator = createOperator(environment.admin.cluster);
    ({ client } = operator);
    running = operator.start();
    await operator.started;
  });

  afterEach(async () => {
    await operator.stop();
    await running;
    await environment.stop();
  });

  test('an App is ready when its Pods are', async () => {
    // #region available
    await client.create(App, { metadata: name, spec: { image: 'shop:1', replicas: 3 } });
    await environment.settled();
    expect((await client.get(App, name)).status).toEqual({ ready: false });
    await environment.advance('5s'); // the Pods start
    const { status } = await client.get(builtin.Deployment, name);
    expect(status?.availableReplicas).toBe(3);
    expect((await client.get(App, name)).status).toEqual({ ready: true });
    // #endregion
  });

  test('an App is not ready while its Pods crash, nor while a node is away', async () => {
    await client.create(App, { metadata: name, spec: { image: 'shop:1', replicas: 2 } });
    await environment.advance('5s');
    // #region crash
    {
      using _ = environment.pods.when('app=shop', { crash: 'after 3s', exitCode: 1 });
      await environment.advance('10s'); // one restart, then CrashLoopBackOff
      expect((await client.get(App, name)).status).toEqual({ ready: false });
    }
    await environment.advance('1m'); // the backoff ends
    expect((await client.get(App, name)).status).toEqual({ ready: true });
    // #endregion
    // #region node
    environment.nodes.fail('node-1');
    await environment.advance('1m');
    expect((await client.get(App, name)).status).toEqual({ ready: false });
    await environment.advance('5m'); // the Pods of node-1 are replaced on node-2
    expect((await client.get(App, name)).status).toEqual({ ready: true });
    // #endregion
  });
});
