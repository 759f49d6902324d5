// #region environment
import { createTestEnvironment } from '@keelson/envtest';
import { createLogger, type Client } from '@keelson/manager';
import { createGreeter, greetingDefinition } from './greeter.ts';

/** The operator at work on a control plane of its own. */
export interface RunningGreeter extends AsyncDisposable {
  readonly client: Client;
}

export async function startGreeter(): Promise<RunningGreeter> {
  const environment = await createTestEnvironment(); // binaries if KUBEBUILDER_ASSETS is set, else memory
  await environment.installCrds([greetingDefinition]);
  const operator = createGreeter({
    cluster: environment.admin.cluster,
    logger: createLogger({ level: 'warn' }),
    stopSignals: [],
  });
  const running = operator.start();
  await operator.started;
  return {
    client: operator.client,
    async [Symbol.asyncDispose]() {
      await operator.stop();
      await running;
      await environment.stop();
    },
  };
}
// #endregion
