// #region environment
import { createTestEnvironment } from '@keelson/envtest';
import { builtin, createLogger, type Client } from '@keelson/manager';
import { createGreeter, Greeting, greetingDefinition } from './greeter.ts';

/** The operator at work on a control plane of its own. */
export interface RunningGreeter extends AsyncDisposable {
  readonly client: Client;
}

export async function startGreeter(): Promise<RunningGreeter> {
  const environment = await createTestEnvironment(); // binaries if KUBEBUILDER_ASSETS is set, else memory
  await environment.installCrds([greetingDefinition]);
  const operator = createGreeter({
    cluster: environment.admin.cluster,
    logger: createLogger({ level: 'silent' }),
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

// #region wait
/** Creates a Greeting and returns the text of the ConfigMap that the operator makes for it. */
export async function greet(client: Client, text: string): Promise<string | undefined> {
  const metadata = { namespace: 'default', name: 'hello' };
  await client.create(Greeting, { metadata, spec: { text } });
  const fieldSelector = 'metadata.name=hello';
  for await (const event of client.watch(builtin.ConfigMap, {
    namespace: 'default',
    fieldSelector,
  })) {
    if (event.type === 'ADDED') return event.object.data?.['text'];
  }
  return undefined;
}
// #endregion
