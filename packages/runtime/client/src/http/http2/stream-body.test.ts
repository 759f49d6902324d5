import { once } from 'node:events';
import {
  connect,
  createServer,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { bodyOfHttp2Stream } from './stream-body.ts';

/** The share of the random runs: a tenth in `npm test`, all in `.ci/run`. */
const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);

const KILOBYTE = 1024;
const MEGABYTE = 1024 * KILOBYTE;
const WINDOW = MEGABYTE;

const notCut = (): undefined => undefined;

let disposed: AsyncDisposableStack;

beforeEach(() => {
  disposed = new AsyncDisposableStack();
});

afterEach(async () => {
  await disposed.disposeAsync();
});

/** Returns both ends of a stream whose response has started. */
async function openStream(): Promise<{
  session: ClientHttp2Session;
  sent: ServerHttp2Stream;
  received: ClientHttp2Stream;
}> {
  const server = createServer();
  const sessions: ServerHttp2Session[] = [];
  server.on('session', (session) => sessions.push(session));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
    settings: { initialWindowSize: WINDOW },
  });
  disposed.defer(async () => {
    const closed = once(server, 'close');
    session.destroy();
    for (const other of sessions) other.destroy();
    server.close();
    await closed;
  });
  const received = session.request({ ':path': '/' });
  received.on('error', () => undefined);
  const [sent] = (await once(server, 'stream')) as [ServerHttp2Stream];
  sent.on('error', () => undefined);
  sent.respond();
  await once(received, 'response');
  return { session, sent, received };
}

/** Resolves when the client has received what the server could send before. */
async function roundTrip(session: ClientHttp2Session): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  session.ping(() => resolve());
  await promise;
}

/** Bytes that differ from place to place. */
function pattern(length: number): Buffer {
  return Buffer.from(Uint8Array.from({ length }, (_, at) => (at * 31 + (at >> 8)) % 251));
}

describe('the body of a stream over HTTP/2', () => {
  test('passes each chunk in the order in which it was sent, however long the reader takes', async () => {
    const chunk = fc.record({
      bytes: fc.integer({ min: 1, max: 300 * KILOBYTE }),
      turns: fc.nat(3),
      isAwaited: fc.boolean(),
    });
    const parts = fc.array(chunk, { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(parts, fc.nat(2), async (chunks, early) => {
        const { session, sent, received } = await openStream();
        const all = pattern(chunks.reduce((sum, { bytes }) => sum + bytes, 0));
        let at = 0;
        const send = (bytes: number): void => void sent.write(all.subarray(at, (at += bytes)));
        // These chunks may arrive before the body exists.
        for (const { bytes } of chunks.slice(0, early)) send(bytes);
        if (early > 0) await roundTrip(session);
        const body = bodyOfHttp2Stream(received, notCut);
        const read: Uint8Array[] = [];
        let next = 0;
        const end = body.passTo((bytes) => {
          read.push(Buffer.from(bytes));
          const { turns, isAwaited } = chunks[next++ % chunks.length] as (typeof chunks)[0];
          return isAwaited ? wait(turns) : undefined;
        });
        for (const { bytes, turns } of chunks.slice(early)) {
          send(bytes);
          await wait(turns);
        }
        sent.end();
        await end;
        expect(Buffer.concat(read).equals(all)).toBe(true);
      }),
      { numRuns: 20 * multiple },
    );
  });

  test('stops the server while the reader takes time, and continues afterwards', async () => {
    const { session, sent, received } = await openStream();
    const all = pattern(8 * MEGABYTE);
    const body = bodyOfHttp2Stream(received, notCut);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const read: Uint8Array[] = [];
    const end = body.passTo(async (bytes) => {
      read.push(Buffer.from(bytes));
      await released;
    });
    sent.end(all);
    for (let trips = 0; trips < 500; trips++) await roundTrip(session);
    const { bytesRead } = session.socket;
    release();
    await end;
    expect(bytesRead).toBeLessThan(2 * WINDOW);
    expect(Buffer.concat(read).equals(all)).toBe(true);
  });

  test('rejects with the given error if the server reset the stream, after the data that came before', async () => {
    const { sent, received } = await openStream();
    const cutOff = (): Error => new Error(`reset with ${received.rstCode}`);
    const read: string[] = [];
    const end = bodyOfHttp2Stream(received, cutOff).passTo(
      (bytes) => void read.push(String(bytes)),
    );
    sent.write('x');
    sent.close(8);
    await expect(end).rejects.toThrow('reset with 8');
    expect(read).toEqual(['x']);
  });

  test('puts a chunk behind those that are in the buffer of the stream', async () => {
    const { received } = await openStream();
    received.push(Buffer.from('a'));
    const body = bodyOfHttp2Stream(received, notCut);
    received.push(Buffer.from('b'));
    expect(String(await body.next())).toBe('a');
    expect(String(await body.next())).toBe('b');
  });

  test('destroys the stream with the body', async () => {
    const { sent, received } = await openStream();
    const body = bodyOfHttp2Stream(received, notCut);
    const closed = once(sent, 'close');
    body.destroy();
    await closed;
    expect(received.destroyed).toBe(true);
  });
});

async function wait(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
}
