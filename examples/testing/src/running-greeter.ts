// #region environment
import { createTestEnvironment } from '@keelson/envtest';
import { createLogger, type Client } from '@keelson/manager';
import { createGreeter, greetingDefinition } from './greeter.ts';

/** A running operator with its own control plane. */
export interface RunningGreeter extends AsyncDisposable {
  readonly client: Client;
}

export async function startGreeter(): Promise<RunningGreeter> {
  const environment = await createTestEnvironment(); // binaries if KUBEBUILDER_ASSETS is set, else memory
  const operator = createGreeter({
    cluster: environment.admin.cluster,
    logger: createLogger({ level: 'warn' }),
    stopSignals: [],
  });
  const stop = async (): Promise<void> => {
    await operator.stop();
    await environment.stop();
  };
  try {
    await environment.installCrds([greetingDefinition]);
    await Promise.race([operator.started, operator.start()]);
  } catch (error) {
    await stop(); // otherwise running work keeps the test process alive
    throw error;
  }
  return { client: operator.client, [Symbol.asyncDispose]: stop };
}
// #endregion
