import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { array, assert, asyncProperty, constantFrom, record } from 'fast-check';
import type { Client } from '../verbs/client.ts';
import { createClient } from '../verbs/create-client.ts';
import { everyRead, everyWrite, succeed } from '../testing/every-call.test-support.ts';
import {
  json,
  startServer,
  status,
  type RecordedRequest,
  type RecordingServer,
} from '../testing/recording-server.test-support.ts';

/** The share of the random runs: a tenth in `npm test`, all in `.ci/run`. */
const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);

type Exchange = (request: RecordedRequest, response: ServerResponse) => void;

const half = '{"metadata":{"name":';
const head = { 'content-type': 'application/json', 'content-length': '1000' };

/** Ways to end an exchange before the server executes the request. */
const refusals: Readonly<Record<string, Exchange>> = {
  429: (_request, response) => status(response, 429, 'TooManyRequests'),
  '429, cut off': ({ socket }, response) => {
    response.writeHead(429, head).write(half, () => socket.destroy());
  },
  401: (_request, response) => status(response, 401, 'Unauthorized'),
};

/** Ways to end an exchange that do not show whether the server executed the request. */
const losses: Readonly<Record<string, Exchange>> = {
  closed: ({ socket }) => void socket.destroy(),
  reset: ({ socket }) => void socket.resetAndDestroy(),
  'no HTTP': ({ socket }) => void socket.end('SSH-2.0\r\n'),
  'cut off': ({ socket }, response) => {
    response.writeHead(200, head).write(half, () => socket.destroy());
  },
  'an error that is cut off': ({ socket }, response) => {
    response.writeHead(409, head).write('{"kind":"Status","reason":', () => socket.destroy());
  },
  503: (_request, response) => status(response, 503, 'ServiceUnavailable'),
  504: (_request, response) => status(response, 504, 'Timeout'),
  500: (_request, response) => status(response, 500, 'InternalError'),
};

/**
 * Ways to end an exchange after the server executed the request, with a response that the client cannot use.
 */
const successes: Readonly<Record<string, Exchange>> = {
  'a page': (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html></html>');
  },
  null: (_request, response) => json(response, null),
};

type Did = 'did it' | 'did nothing';
interface Fault {
  readonly end: string;
  readonly did: Did;
}

const faults = array(
  record({
    end: constantFrom(...Object.keys({ ...refusals, ...losses, ...successes })),
    did: constantFrom<Did[]>('did it', 'did nothing'),
  }),
  { maxLength: 5 },
);

/** A server that ends exchanges as the faults of a namespace say, and records the requests that it executed. */
class FaultyServer {
  /** The remaining faults of each namespace. */
  readonly faults = new Map<string, Fault[]>();
  readonly did = new Map<string, number>();
  readonly asked = new Map<string, number>();

  respond(request: RecordedRequest, response: ServerResponse): void {
    const namespace = /namespaces\/([^/]+)/.exec(request.url.pathname)?.[1] ?? '';
    count(this.asked, namespace);
    const fault = this.faults.get(namespace)?.shift();
    const acts = fault === undefined || mayAct(fault);
    // The second time there is nothing to delete, or the name already exists.
    const isSecond = acts && request.method !== 'GET' && this.did.has(namespace);
    if (acts) count(this.did, namespace);
    if (fault !== undefined)
      ({ ...refusals, ...losses, ...successes })[fault.end]?.(request, response);
    else if (isSecond) status(response, 404, 'NotFound');
    else succeed(request, response);
  }
}

function mayAct({ end, did }: Fault): boolean {
  return end in successes || (did === 'did it' && !(end in refusals));
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

describe('random faults', () => {
  const faulty = new FaultyServer();
  let server: RecordingServer;
  let client: Client;
  let calls = 0;
  let token = 0;

  beforeAll(async () => {
    server = await startServer((request, response) => faulty.respond(request, response));
    client = createClient({
      cluster: {
        server: server.url,
        // Each 401 is followed by other credentials.
        credentials: async () => ({ headers: { authorization: `Bearer ${token++}` } }),
      },
      retry: { base: 0, max: 0 },
    });
  });

  afterAll(async () => {
    await client.close();
    await server[Symbol.asyncDispose]();
  });

  test('a write is executed at most once, and exactly once if it succeeds', async () => {
    await assert(
      asyncProperty(
        array(record({ verb: constantFrom(...Object.keys(everyWrite)), faults }), { maxLength: 6 }),
        async (storm) => {
          const runs = storm.map(async (call) => {
            const namespace = `call-${calls++}`;
            faulty.faults.set(namespace, [...call.faults]);
            const error: unknown = await everyWrite[call.verb]?.(client, namespace).then(
              () => undefined,
              (thrown: unknown) => thrown,
            );
            const did = faulty.did.get(namespace) ?? 0;
            expect(did).toBeLessThanOrEqual(1);
            if (error === undefined) expect(did).toBe(1);
            else expect(error).not.toMatchObject({ statusCode: 404 });
          });
          await Promise.all(runs);
        },
      ),
      { numRuns: Math.ceil(150 * multiple) },
    );
  });

  test('a read succeeds after any three faults that a retry can fix', async () => {
    const ends = Object.keys({ ...refusals, ...losses });
    // A 401 has a retry of its own, and the events of a watch are not repeated.
    const healed = constantFrom(...ends.filter((end) => !['401', '500'].includes(end)));
    const verbs = Object.keys(everyRead).filter((verb) => verb !== 'watch');
    await assert(
      asyncProperty(
        array(
          record({
            verb: constantFrom(...verbs),
            healing: array(healed, { maxLength: 3 }),
          }),
          { maxLength: 6 },
        ),
        async (storm) => {
          const runs = storm.map(async ({ verb, healing }) => {
            const namespace = `call-${calls++}`;
            faulty.faults.set(
              namespace,
              healing.map((end) => ({ end, did: 'did nothing' })),
            );
            await everyRead[verb]?.(client, namespace);
            expect(faulty.asked.get(namespace)).toBe(healing.length + 1);
          });
          await Promise.all(runs);
        },
      ),
      { numRuns: Math.ceil(100 * multiple) },
    );
  });
});
