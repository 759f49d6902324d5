import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import type { Client } from '../../verbs/client.ts';
import type { Cluster } from '../cluster.ts';
import { createClient } from '../../verbs/create-client.ts';

const secret = 'hunter2hunter2hunter2';
const secretObject = {
  metadata: { namespace: 'default', name: 'a' },
  stringData: { password: secret },
};

const requests: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
  read: (client) => client.list(builtin.Pod),
  write: (client) => client.create(builtin.Secret, secretObject),
  watch: (client) => client.watch(builtin.Pod)[Symbol.asyncIterator]().next(),
};

describe('an error', () => {
  let server: Server;
  let url: string;

  beforeEach(async () => {
    server = createServer((request, response) => {
      response.statusCode = Number(request.url?.split('/')[1]);
      response.end('no');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  const closedPort = '127.0.0.1:1';
  const places: Readonly<Record<string, () => Cluster>> = {
    'refuses the credentials': () => ({ server: `${url}/401`, token: secret }),
    forbids: () => ({ server: `${url}/403`, token: secret }),
    fails: () => ({ server: `${url}/500`, token: secret }),
    'is not listening': () => ({ server: `http://${closedPort}`, token: secret }),
    'is behind a proxy that is not listening': () => {
      return {
        server: `https://${closedPort}`,
        token: secret,
        proxy: `http://user:${secret}@${closedPort}`,
      };
    },
    'has an invalid client key': () => ({
      server: `https://${closedPort}`,
      tls: { cert: secret, key: secret },
    }),
  };

  const cases = Object.keys(places).flatMap((place) =>
    Object.keys(requests).map((request) => [request, place] as const),
  );

  test.each(cases)(
    'the error of a %s contains no secret at any depth if the server %s',
    async (request, place) => {
      const cluster = places[place]?.() ?? { server: url };
      await using client = createClient({ cluster, retry: false });
      const error = await requests[request]?.(client).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(error).toMatchObject({ code: expect.stringMatching(/^[A-Z_]+$/) });
      const shown = inspect(error, { depth: Infinity, showHidden: true, getters: true });
      expect(`${shown}${JSON.stringify(error)}`).not.toContain(secret);
      expect(inspect(client, { depth: Infinity })).not.toContain(secret);
    },
  );
});
