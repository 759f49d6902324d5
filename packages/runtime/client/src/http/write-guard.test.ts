import { getEventListeners } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { everyRead, everyWrite, succeed } from '../testing/every-call.test-support.ts';
import { openClient } from '../testing/open-client.test-support.ts';
import { json, rejection, type Responder } from '../testing/recording-server.test-support.ts';
import type { WriteGuard } from './transport-request.ts';

const eachWrite = Object.entries(everyWrite);
const eachRead = Object.entries(everyRead);
const { ConfigMap } = builtin;
const anyCall: Responder = (request, response) => succeed(request, response);
const object = { metadata: { namespace: 'a', name: 'b' } };

/** A guard that permits writes until `end`. */
class Permission implements WriteGuard {
  readonly #end = new AbortController();
  readonly reason = new Error('the permission ended');
  checks = 0;

  get signal(): AbortSignal {
    return this.#end.signal;
  }

  check(): void {
    this.checks += 1;
    this.signal.throwIfAborted();
  }

  end(): void {
    this.#end.abort(this.reason);
  }
}

describe('a client with a write guard', () => {
  test.each(eachWrite)('%s is sent while the guard permits it', async (_, run) => {
    await using setup = await openClient(anyCall);
    const guard = new Permission();
    await run(setup.client.withWriteGuard(guard), 'a');
    expect(setup.server.requests).toHaveLength(1);
    expect(guard.checks).toBeGreaterThanOrEqual(2);
  });

  test.each(eachWrite)(
    '%s is refused with the error of the guard, and not sent',
    async (_, run) => {
      await using setup = await openClient(anyCall);
      const guard = new Permission();
      guard.end();
      const client = setup.client.withWriteGuard(guard).withFieldManager('x');
      expect(await rejection(run(client, 'a'))).toBe(guard.reason);
      expect(setup.server.requests).toEqual([]);
    },
  );

  test.each(eachRead)('%s does not depend on the guard', async (_, run) => {
    await using setup = await openClient(anyCall);
    const guard = new Permission();
    guard.end();
    await run(setup.client.withWriteGuard(guard), 'a');
    expect([setup.server.requests.length, guard.checks]).toEqual([1, 0]);
  });

  test('a write in flight rejects when the permission ends, and its connection is closed', async () => {
    const guard = new Permission();
    await using setup = await openClient(() => guard.end());
    const write = setup.client.withWriteGuard(guard).create(ConfigMap, object);
    expect(await rejection(write)).toBe(guard.reason);
    expect(setup.server.requests).toHaveLength(1);
  });

  test('a write that waits for a connection is refused when it gets one after the permission ended', async () => {
    const held: (() => void)[] = [];
    await using setup = await openClient((_, response) => {
      held.push(() => json(response, { apiVersion: 'v1', kind: 'ConfigMap', ...object }));
    });
    // More reads than connections, so that the write has to wait.
    const reads = Array.from({ length: 64 }, () => setup.client.get(ConfigMap, object.metadata));
    await until(() => held.length === 64);
    const expired = new Error('expired');
    let permitted = true;
    // As after a suspension of the process: the signal aborts only after the next events.
    const guard: WriteGuard = {
      signal: new AbortController().signal,
      check() {
        if (!permitted) throw expired;
      },
    };
    const write = rejection(setup.client.withWriteGuard(guard).create(ConfigMap, object));
    await turn();
    permitted = false;
    for (const respond of held.splice(0)) respond();
    expect(await write).toBe(expired);
    await Promise.all(reads);
    expect(setup.server.requests.map(({ method }) => method)).not.toContain('POST');
    // The connection remains usable.
    const later = setup.client.get(ConfigMap, object.metadata);
    await until(() => held.length === 1);
    for (const respond of held.splice(0)) respond();
    await later;
  });

  test('a retry asks the guard again', async () => {
    const guard = new Permission();
    await using setup = await openClient((_, response) => {
      response.writeHead(429, { 'retry-after': '0' }).end();
      guard.end();
    });
    expect(await rejection(setup.client.withWriteGuard(guard).create(ConfigMap, object))).toBe(
      guard.reason,
    );
    expect(setup.server.requests).toHaveLength(1);
  });

  test('a write leaves no listener on the signals of the guard and of the call', async () => {
    await using setup = await openClient(anyCall);
    const guard = new Permission();
    const { signal } = new AbortController();
    await setup.client.withWriteGuard(guard).create(ConfigMap, object, { signal });
    expect(getEventListeners(guard.signal, 'abort')).toEqual([]);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test.each([undefined, null, {}, { check: 1 }, { check() {} }, { check() {}, signal: {} }])(
    'refuses an invalid guard: %p',
    async (guard) => {
      await using setup = await openClient(anyCall);
      expect(() => setup.client.withWriteGuard(guard as never)).toThrow(
        expect.objectContaining({ code: 'INVALID_OPTION' }),
      );
    },
  );
});

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await turn();
}
