import { afterAll, beforeAll } from '@jest/globals';
import { type ApiServer, createApiServer } from './api-server.ts';
import { RawClient } from './raw-client.test-support.ts';

/** Returns a client of a server that runs during the tests of the surrounding `describe`. */
export function clientOfRunningServer(): RawClient {
  let server: ApiServer | undefined;
  beforeAll(async () => {
    server = await createApiServer();
  });
  afterAll(() => server?.close());
  return new RawClient({
    get url() {
      return server?.url ?? '';
    },
  });
}
