import { builtin } from '@keelson/apimachinery';
import { createApiServer } from '@keelson/apiserver';
import { createLogger, createManager } from '@keelson/manager';

/** An operator with many watches and requests, all of which change. */
export interface LoadOperator extends AsyncDisposable {
  readonly url: string;
}

const { ConfigMap } = builtin;

/** Starts it with this number of watches, and with this number of requests in the queue of a controller that runs. */
export async function startLoad(watches: number, requests: number): Promise<LoadOperator> {
  const server = await createApiServer();
  const manager = createManager({
    cluster: server.cluster,
    logger: createLogger({ level: 'silent' }),
    stopSignals: [],
    gracePeriod: 0,
    servers: { debug: { port: 0 } },
  });
  manager.addController({
    name: 'reader',
    reads: Array.from({ length: watches }, (_, index) => ({
      resource: ConfigMap,
      labelSelector: `part=${index}`,
      sharing: 'exact' as const,
    })),
    reconcile: () => undefined,
  });
  const many = manager.addController({
    name: 'many',
    historyBytes: 1 << 28,
    concurrency: 10,
    reconcile: ({ name }) => {
      many.enqueue({ name }, { after: '1s' });
      if (name.endsWith('7')) throw new Error('it ends with 7');
    },
  });
  const ended = manager.start().catch(() => undefined);
  await manager.started;
  for (let index = 0; index < requests; index += 1) many.enqueue({ name: `r${index}` });
  let turn = 0;
  const timer = setInterval(() => {
    for (let index = 0; index < 20; index += 1) {
      turn += 1;
      const part = String(turn % watches);
      const metadata = { namespace: 'default', name: `c${part}`, labels: { part } };
      const data = { turn: String(turn) };
      manager.client.apply(ConfigMap, { metadata, data }).catch(() => undefined);
    }
  }, 1000);
  return {
    url: `http://127.0.0.1:${manager.ports.debug}/#token=${manager.debugToken}`,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await manager.stop();
      await ended;
      await server.close();
    },
  };
}
