import type { Client } from '../verbs/client.ts';
import { createClient, type ClientOptions } from '../verbs/create-client.ts';
import { startServer, type Answer, type RecordingServer } from './recording-server.test-support.ts';

/** A client and the server it talks to; disposing closes both. */
export interface Setup extends AsyncDisposable {
  readonly client: Client;
  readonly server: RecordingServer;
}

/** A client of a server that answers as the test says; it does not wait between attempts. */
export async function openClient(
  answer: Answer,
  options: Partial<ClientOptions> = {},
): Promise<Setup> {
  const server = await startServer(answer);
  const cluster = { server: server.url };
  const client = createClient({ cluster, retry: { base: 0, max: 0 }, ...options });
  return {
    client,
    server,
    async [Symbol.asyncDispose]() {
      await client.close();
      await server[Symbol.asyncDispose]();
    },
  };
}
