import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { builtin, createClient, createLogger, type Client } from '@keelson/manager';
import { appLabel, clusterLabel, createOperator } from './operator.ts';

const { ConfigMap, Secret } = builtin;
const namespace = 'default';

/** The state of the clusters at the end of a tour. */
export interface TourResult {
  /** The name of the cluster that each object has, by its server. */
  readonly stamps: Readonly<Record<string, readonly (string | undefined)[]>>;
  /** The log lines about the cluster whose server is gone, from warnings on. */
  readonly warnings: number;
  /** The error codes of the kubeconfig that cannot be used. */
  readonly refusals: ReadonlySet<string>;
}

/** Runs the operator on a hub while three clusters join, one moves to another server, and one breaks. */
export async function tour(say: (line: string) => void): Promise<TourResult> {
  await using open = new AsyncDisposableStack();
  const lines: Record<string, unknown>[] = [];
  const serverOf = async (): Promise<ApiServer> =>
    open.adopt(await createApiServer({}), (server) => server.close());
  const [hub, eu, us, ap, next] = await Promise.all([
    serverOf(),
    serverOf(),
    serverOf(),
    serverOf(),
    serverOf(),
  ]);
  const clientOf = ({ cluster }: ApiServer): Client =>
    open.adopt(createClient({ cluster }), (client) => client.close());
  const client = clientOf(hub);
  const write = (line: string): void => void lines.push(JSON.parse(line));
  const manager = open.use(
    createOperator({
      cluster: hub.cluster,
      logger: createLogger({ write }),
      stopSignals: [],
      gracePeriod: 0,
      clusters: { client: { retry: false } },
    }),
  );
  manager.start().catch(() => undefined);
  await manager.started;

  const apps = new Map<ApiServer, Client>([eu, us, ap, next].map((one) => [one, clientOf(one)]));
  const addApp = async (server: ApiServer, name: string): Promise<void> => {
    const metadata = { namespace, name, labels: { [appLabel]: '' } };
    await apps.get(server)?.create(ConfigMap, { metadata });
  };
  /** Resolves when an object of a server has the name of its cluster. */
  const stamped = async (server: ApiServer, name: string): Promise<void> => {
    const watch = apps.get(server)?.watch(ConfigMap, { namespace, resourceVersion: '0' }) ?? [];
    for await (const { type, object } of watch) {
      if (type === 'BOOKMARK' || object.metadata.name !== name) continue;
      const cluster = object.data?.['cluster'];
      if (cluster === undefined) continue;
      return say(`${name} is stamped: ${cluster}`);
    }
  };
  const join = (name: string, kubeConfig: string): Promise<unknown> =>
    client.apply(Secret, {
      metadata: { namespace, name, labels: { [clusterLabel]: '' } },
      data: { kubeconfig: Buffer.from(kubeConfig).toString('base64') },
    });

  for (const [name, server] of [
    ['eu', eu],
    ['us', us],
    ['ap', ap],
  ] as const) {
    await addApp(server, `${name}-app`);
    await join(name, server.kubeconfig());
    await stamped(server, `${name}-app`);
  }
  await addApp(next, 'us-next-app');
  await join('us', next.kubeconfig());
  await stamped(next, 'us-next-app');
  say('the Secret of us names another server');

  await ap.close();
  for (const name of ['eu-2', 'eu-3']) {
    await addApp(eu, name);
    await stamped(eu, name);
  }
  say('the server of ap is gone, and the others go their way');

  await join('eu', 'no: [kubeconfig');
  const codesOfFailures = (): Set<string> =>
    new Set(
      lines.flatMap(({ controller, err }) => (controller === 'fleet-secrets' ? codeOf(err) : [])),
    );
  while (codesOfFailures().size === 0) await new Promise((resolve) => setImmediate(resolve));
  await addApp(eu, 'eu-4');
  await stamped(eu, 'eu-4');
  say('the Secret of eu is broken, and its former kubeconfig stays in use');

  const stampsOf = async (server: ApiServer): Promise<(string | undefined)[]> => {
    const list = await apps.get(server)?.list(ConfigMap, { namespace, labelSelector: appLabel });
    return (list?.items ?? []).map(({ data }) => data?.['cluster']);
  };
  const stamps = { eu: await stampsOf(eu), us: await stampsOf(us), next: await stampsOf(next) };
  const warnings = lines.filter(
    ({ cluster, level }) => cluster === 'fleet/ap' && (level === 'warn' || level === 'error'),
  );
  return { stamps, warnings: warnings.length, refusals: codesOfFailures() };
}

function codeOf(error: unknown): string[] {
  const { code } = (error ?? {}) as { readonly code?: string };
  return code === undefined ? [] : [code];
}
