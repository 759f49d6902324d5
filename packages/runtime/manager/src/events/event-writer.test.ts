import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { builtin, StatusError, type KubernetesObject, type ObjectOf } from '@keelson/apimachinery';
import { createApiServer } from '@keelson/apiserver';
import { createClient, type Client } from '@keelson/client';
import { EventWriter } from './event-writer.ts';
import {
  eventually,
  gate,
  objectOf,
  recordingLogger,
  silent,
  WebApp,
  useFakeTime,
} from '../testing/fixtures.test-support.ts';

type Event = ObjectOf<typeof builtin.EventsV1Event>;

afterEach(() => {
  jest.useRealTimers();
});

/** A client that records its writes. */
class FakeWrites {
  readonly created: Event[] = [];
  readonly patched: { readonly name: string; readonly body: unknown }[] = [];
  /** Called before each write. */
  before: () => unknown = () => undefined;

  get client(): Pick<Client, 'create' | 'patch'> {
    return {
      create: async (_resource: unknown, object: unknown) => {
        await this.before();
        this.created.push(object as Event);
        return object;
      },
      patch: async (
        _resource: unknown,
        { name }: { name: string },
        { body }: { body: unknown },
      ) => {
        await this.before();
        this.patched.push({ name, body });
        return {};
      },
    } as unknown as Pick<Client, 'create' | 'patch'>;
  }
}

/** The counts of the series in the order of the writes. */
function countsOf({ patched }: FakeWrites): number[] {
  return patched.map(({ body }) => (body as { series: { count: number } }).series.count);
}

const app: KubernetesObject = objectOf(WebApp, 'shop', { metadata: { uid: 'u1' } });
const facts = { reason: 'Created', action: 'CreateDeployment', note: 'made it' };

describe('the event recorder', () => {
  test('an event that cannot be recorded is logged, and record does not throw', async () => {
    const { logger, lines } = recordingLogger();
    const writes = new FakeWrites();
    const writer = new EventWriter({ client: writes.client, log: logger });
    const recorder = writer.recorder('web-app');
    recorder.record(undefined as never, facts);
    recorder.record(app, { reason: 'Created' } as never);
    recorder.record(app, facts);
    await writer.close(1000);
    expect(writes.created).toHaveLength(1);
    expect(lines.map(({ level, message }) => [level, message])).toEqual([
      ['error', 'event is not recorded'],
      ['error', 'event is not recorded'],
    ]);
  });

  test.each([
    ['ASCII', 'x'],
    ['two bytes', 'é'],
    ['three bytes', '語'],
    ['four bytes', '🚢'],
    ['all of them', 'xé語🚢'],
  ])(
    'EV01 long strings are cut to a number of bytes and never within a character: %s',
    async (_name, characters) => {
      const writes = new FakeWrites();
      const writer = new EventWriter({ client: writes.client, log: silent });
      const long = characters.repeat(2000);
      const recorder = writer.recorder('web-app');
      recorder.record(app, { reason: long, action: long, note: long });
      await writer.close(1000);
      const [event] = writes.created;
      for (const [text, limit] of [
        [event?.note, 1024],
        [event?.reason, 128],
        [event?.action, 128],
      ] as const) {
        const bytes = Buffer.byteLength(text ?? '');
        expect(bytes).toBeLessThanOrEqual(limit);
        expect(bytes).toBeGreaterThan(limit - 4);
        expect(long.startsWith(text ?? '?')).toBe(true);
        expect(text?.isWellFormed()).toBe(true);
      }
    },
  );

  test('EV01 a string within the limit is written unchanged', async () => {
    const writes = new FakeWrites();
    const writer = new EventWriter({ client: writes.client, log: silent });
    const note = '🚢'.repeat(256);
    writer.recorder('web-app').record(app, { ...facts, note });
    await writer.close(1000);
    expect(writes.created[0]?.note).toBe(note);
  });

  test('EV01 a repetition extends the series and creates no new Event', async () => {
    const writes = new FakeWrites();
    const writer = new EventWriter({ client: writes.client, log: silent });
    const recorder = writer.recorder('web-app');
    recorder.record(app, facts);
    await eventually(() => writes.created.length === 1);
    expect(writes.created[0]).toMatchObject({
      metadata: {
        namespace: 'default',
        name: expect.stringMatching(/^shop\.[0-9a-f]+$/) as unknown,
      },
      type: 'Normal',
      reason: 'Created',
      action: 'CreateDeployment',
      note: 'made it',
      reportingController: 'web-app',
      regarding: { kind: 'WebApp', name: 'shop', namespace: 'default', uid: 'u1' },
    });
    recorder.record(app, { ...facts, note: 'made it again' });
    await eventually(() => writes.patched.length === 1);
    expect(writes.patched[0]).toEqual({
      name: writes.created[0]?.metadata?.name,
      body: {
        series: { count: 2, lastObservedTime: expect.stringMatching(/\.\d{6}Z$/) as unknown },
      },
    });
    recorder.record(app, { ...facts, reason: 'Other' });
    await eventually(() => writes.created.length === 2);
    await writer.close(0);
  });

  test('EV01 a growing series is written once per interval, and at the end', async () => {
    useFakeTime();
    const writes = new FakeWrites();
    const writer = new EventWriter({ client: writes.client, log: silent });
    const recorder = writer.recorder('web-app');
    for (let count = 0; count < 100; count += 1) {
      recorder.record(app, facts);
      await jest.advanceTimersByTimeAsync(100);
    }
    const counts = (): number[] => countsOf(writes);
    expect(counts()).toEqual([2]);
    await jest.advanceTimersByTimeAsync(1000);
    expect(counts()).toEqual([2, 100]);
    recorder.record(app, facts);
    await writer.close(1000);
    expect(counts()).toEqual([2, 100, 101]);
    expect(writes.created).toHaveLength(1);
    expect(jest.getTimerCount()).toBe(0);
  });

  test('EV01 a long series is written at the end of every interval in which it grew', async () => {
    useFakeTime();
    const writes = new FakeWrites();
    const writer = new EventWriter({ client: writes.client, log: silent });
    const recorder = writer.recorder('web-app');
    for (let count = 0; count < 350; count += 1) {
      recorder.record(app, facts);
      await jest.advanceTimersByTimeAsync(100);
    }
    // The second event is written at once; the first interval begins with the third, at 200 ms.
    expect(countsOf(writes)).toEqual([2, 102, 202, 302]);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(countsOf(writes)).toEqual([2, 102, 202, 302, 350]);
    await writer.close(1000);
    expect(countsOf(writes)).toHaveLength(5);
  });

  test('EV01 a repetition after six minutes is a new Event, and an earlier one restarts the six minutes', async () => {
    useFakeTime();
    const writes = new FakeWrites();
    const writer = new EventWriter({ client: writes.client, log: silent });
    const recorder = writer.recorder('web-app');
    for (const pause of [0, 360_000, 360_000, 360_001]) {
      await jest.advanceTimersByTimeAsync(pause);
      recorder.record(app, facts);
    }
    await writer.close(1000);
    expect(countsOf(writes)).toEqual([2, 3]);
    expect(writes.created).toHaveLength(2);
  });

  test('EV01 a long name is cut to 253 characters including its suffix', async () => {
    const writes = new FakeWrites();
    const writer = new EventWriter({ client: writes.client, log: silent });
    const recorder = writer.recorder('web-app');
    for (const length of [253, 300]) {
      recorder.record(objectOf(WebApp, 'x'.repeat(length)), facts);
    }
    await writer.close(1000);
    const names = writes.created.map(({ metadata }) => metadata?.name ?? '');
    expect(names.map(({ length }) => length)).toEqual([253, 253]);
    expect(new Set(names).size).toBe(2);
    for (const name of names) expect(name).toMatch(/^x+\.[0-9a-f]+$/);
  });

  test('EV01 events about cluster-scoped objects are written to the namespace default', async () => {
    const writes = new FakeWrites();
    const writer = new EventWriter({ client: writes.client, log: silent });
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1', uid: 'u2' } };
    writer.recorder('nodes').record(node, { ...facts, type: 'Warning', related: app });
    await eventually(() => writes.created.length === 1);
    expect(writes.created[0]?.metadata?.namespace).toBe('default');
    expect(writes.created[0]?.regarding).toEqual({
      apiVersion: 'v1',
      kind: 'Node',
      name: 'n1',
      uid: 'u2',
    });
    expect(writes.created[0]?.related).toMatchObject({ kind: 'WebApp', name: 'shop' });
    await writer.close(0);
  });

  test('EV01 events beyond 1000 waiting ones are dropped and logged once', async () => {
    const writes = new FakeWrites();
    const hold = gate();
    writes.before = () => hold.opened;
    const { logger, lines } = recordingLogger();
    const writer = new EventWriter({ client: writes.client, log: logger });
    const recorder = writer.recorder('busy');
    const recordUpTo = (count: number): void => {
      for (; recorded < count; recorded += 1) {
        recorder.record(objectOf(WebApp, `app-${recorded}`), facts);
      }
    };
    let recorded = 0;
    recordUpTo(1000);
    expect(lines).toEqual([]);
    recordUpTo(5000);
    expect(lines).toHaveLength(1);
    hold.open();
    await eventually(() => writes.created.length === 1000);
    await writer.close(1000);
    expect(writes.created).toHaveLength(1000);
  });

  test('EV01 a failing API server does not block record, and is logged once until the next success', async () => {
    const writes = new FakeWrites();
    const forbidden = new StatusError({
      code: 403,
      reason: 'Forbidden',
      message: 'no events for you',
    });
    writes.before = () => {
      throw forbidden;
    };
    const { logger, lines } = recordingLogger();
    const writer = new EventWriter({ client: writes.client, log: logger });
    const recorder = writer.recorder('web-app');
    for (const name of ['a', 'b', 'c']) recorder.record(objectOf(WebApp, name), facts);
    await eventually(() => lines.length > 0);
    await writer.close(1000);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ level: 'warn', err: { message: 'no events for you' } });
    recorder.record(app, facts);
    expect(writes.created).toEqual([]);
  });

  test('EV01 a series is created again only if its Event was deleted', async () => {
    const { logger, lines } = recordingLogger();
    const writes = new FakeWrites();
    const writer = new EventWriter({ client: writes.client, log: logger });
    const recorder = writer.recorder('web-app');
    recorder.record(app, facts);
    await eventually(() => writes.created.length === 1);
    let refusals = 1;
    writes.before = () => {
      refusals -= 1;
      if (refusals >= 0) throw new StatusError({ code: 403, reason: 'Forbidden', message: 'no' });
    };
    recorder.record(app, facts);
    await eventually(() => lines.length === 1);
    await writer.close(1000);
    expect(writes.created).toHaveLength(1);
  });

  test('an API server that hangs does not delay the stop', async () => {
    useFakeTime();
    const writes = new FakeWrites();
    const signals: AbortSignal[] = [];
    const client = {
      ...writes.client,
      create: (_resource: unknown, _object: unknown, { signal }: { signal: AbortSignal }) => {
        signals.push(signal);
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        });
      },
    } as unknown as Pick<Client, 'create' | 'patch'>;
    const { logger, lines } = recordingLogger();
    const writer = new EventWriter({ client, log: logger });
    const recorder = writer.recorder('web-app');
    for (const reason of ['Hangs', 'Waits']) recorder.record(app, { ...facts, reason });
    await jest.advanceTimersByTimeAsync(1);
    const closed = writer.close(60_000);
    await jest.advanceTimersByTimeAsync(2000);
    await closed;
    // The second event is not written, and no failure is logged.
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(lines).toEqual([]);
  });

  test('EV01 the API server accepts events and series, and a deleted Event is created again', async () => {
    await using server = await createApiServer({});
    await using client = createClient({ cluster: server.cluster });
    const { logger, lines } = recordingLogger();
    const writer = new EventWriter({ client, log: logger });
    const recorder = writer.recorder('web-app');
    const stored = async (): Promise<Event[]> =>
      (await client.list(builtin.EventsV1Event, { namespace: 'default' })).items;
    recorder.record(app, facts);
    await eventually(async () => (await stored()).length === 1);
    recorder.record(app, facts);
    await eventually(async () => (await stored())[0]?.series?.count === 2);
    const [first] = await stored();
    await client.delete(builtin.EventsV1Event, {
      namespace: 'default',
      name: first?.metadata?.name ?? '',
    });
    recorder.record(app, facts);
    await writer.close(2000);
    expect(await stored()).toMatchObject([{ series: { count: 3 }, reason: 'Created' }]);
    expect(lines).toEqual([]);
  });
});
