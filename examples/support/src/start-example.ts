import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, createLogger, type Client, type Manager } from '@keelson/manager';
import { install } from './install.ts';
import type { Example } from './run-example.ts';

/** A running operator with a server of its own, for tests. */
export interface StartedExample extends AsyncDisposable {
  readonly server: ApiServer;
  readonly client: Client;
  readonly operator: Manager;
}

/** Starts an operator and resolves when it is ready. */
export async function startExample(
  example: Pick<Example, 'definitions' | 'createOperator'>,
): Promise<StartedExample> {
  const server = await createApiServer();
  const cluster = { server: server.url };
  const client = createClient({ cluster });
  await install(client, example.definitions);
  const logger = createLogger({ level: 'silent' });
  const operator = example.createOperator({ cluster, logger, stopSignals: [] });
  const running = operator.start();
  await Promise.race([operator.started, running]);
  return {
    server,
    client,
    operator,
    async [Symbol.asyncDispose]() {
      await operator.stop();
      await running;
      await client.close();
      await server.close();
    },
  };
}
