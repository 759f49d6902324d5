// #region wait
import { builtin, type Client } from '@keelson/manager';
import { Greeting } from './greeter.ts';

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
