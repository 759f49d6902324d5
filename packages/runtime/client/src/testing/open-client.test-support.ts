import type { Client } from '../verbs/client.ts';
import { createClient, type ClientOptions } from '../verbs/create-client.ts';
import {
  startServer,
  type Responder,
  type RecordingServer,
} from './recording-server.test-support.ts';

/** A client and its server; disposing closes both. */
export interface Setup extends AsyncDisposable {
  readonly client: Client;
  readonly server: RecordingServer;
}

/**
 * Opens a client of a server whose responses the test defines. The client does not wait between attempts, and does not
 * request the version of the server, as it would for protobuf.
 */
export async function openClient(
  respond: Responder,
  options: Partial<ClientOptions> = {},
): Promise<Setup> {
  const server = await startServer(respond);
  const cluster = { server: server.url };
  const client = createClient({
    cluster,
    protobuf: false,
    retry: { base: 0, max: 0 },
    ...options,
  });
  return {
    client,
    server,
    async [Symbol.asyncDispose]() {
      await client.close();
      await server[Symbol.asyncDispose]();
    },
  };
}
