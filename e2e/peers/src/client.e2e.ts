import { expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { responsesOf } from './responses.ts';
import type { Line } from './peer.ts';
import { programsOf } from './programs.ts';
import type { ServerUnderTest } from './server-under-test.ts';
import { TestServers } from './test-servers.ts';
import { requestBound, within } from './within.ts';

const servers = new TestServers(programsOf(process.env));
const { withPeers, withBoth } = servers;

interface Responses {
  readonly here: readonly Line[];
  readonly there: readonly Line[];
}

/** The output of a scenario on each of the two servers. */
async function onBoth(scenario: string, mode = 'json'): Promise<Responses> {
  const namespace = await servers.namespace();
  const flags = [`-mode=${mode}`];
  return servers.onBoth((server) => servers.run(server, { scenario, namespace, flags }));
}

/** Removes the messages of decoders, which differ between servers. The error itself must be equal. */
function withoutDecoderWords(lines: readonly Line[]): readonly Line[] {
  return lines.map((line) => {
    const text = JSON.stringify(line.message ?? null);
    return text.startsWith('"error decoding patch: ') ? { ...line, message: undefined } : line;
  });
}

function expectSame({ here, there }: Responses): void {
  expect(responsesOf(withoutDecoderWords(here))).toEqual(responsesOf(withoutDecoderWords(there)));
}

withBoth.each(['json', 'protobuf'])('the typed client of client-go with %s', (mode) => {
  test('gets the same responses to creates, updates, patches, applies and deletes', async () => {
    const responses = await onBoth('crud', mode);
    expect(responses.there.length).toBeGreaterThan(40);
    expectSame(responses);
  });

  test('gets the same responses when it binds, runs and evicts pods', async () => {
    const responses = await onBoth('pods', mode);
    expect(responses.there).toHaveLength(13);
    expectSame(responses);
  });

  test('gets the same results from TokenReview and SubjectAccessReview', async () => {
    const responses = await onBoth('reviews', mode);
    expect(responses.there).toHaveLength(14);
    expectSame(responses);
  });
});

withBoth('the untyped clients of client-go', () => {
  test('get the same responses, warnings and extracted configurations', async () => {
    const responses = await onBoth('dynamic');
    expect(responses.there.length).toBeGreaterThan(35);
    expectSame(responses);
  });

  test('get the same responses to scale requests', async () => {
    const responses = await onBoth('scale');
    expect(responses.there).toHaveLength(7);
    expectSame(responses);
  });

  test('get each form of a response: protobuf, Table, metadata, gzip, or the same error', async () => {
    const responses = await onBoth('negotiation');
    expect(responses.there).toHaveLength(76);
    expectSame(responses);
  });
});

withBoth('discovery of client-go', () => {
  test('finds the same resources, verbs, short names and mappings', async () => {
    const { here, there } = await onBoth('discovery');
    const comparable = (lines: readonly Line[]): string[] =>
      lines
        .filter((line) =>
          ['resource', 'preferred', 'mapping', 'word', 'minor'].some((member) => member in line),
        )
        .map((line) => JSON.stringify(line))
        .toSorted();
    expect(comparable(there).length).toBeGreaterThan(150);
    expect(comparable(here)).toEqual(comparable(there));
  });

  test('reads the same schemas and paths in OpenAPI v2 and v3', async () => {
    const { here, there } = await onBoth('discovery');
    const comparable = (lines: readonly Line[]): readonly Line[] =>
      lines
        .filter((line) => ['openAPIV2', 'openAPIV3', 'openAPIV3Of'].some((word) => word in line))
        .map(withoutTokenKeys);
    expect(comparable(there)).toHaveLength(5);
    expect(comparable(here)).toEqual(comparable(there));
  });
});

/** Removes the paths of token keys: docs/apiserver-differences.md explains why they are missing. */
function withoutTokenKeys(line: Line): Line {
  const { openAPIV3: paths } = line;
  if (!Array.isArray(paths)) return line;
  return { openAPIV3: paths.filter((path) => !/^(\.well-known|openid)\//.test(String(path))) };
}

withBoth('the event recorders of client-go', () => {
  test('leave the same events', async () => {
    const namespace = await servers.namespace();
    const { here, there } = await servers.onBoth((server) => eventsRecordedOn(server, namespace));
    expect(there).toHaveLength(3);
    expect(here).toEqual(there);
  });
});

async function eventsRecordedOn(server: ServerUnderTest, namespace: string): Promise<unknown[]> {
  await using peer = await servers.start(server, { scenario: 'recorder', namespace });
  await peer.line('recorded');
  const once = [{ reason: 'Repeated', count: 3 }, { reason: 'Single' }, { reason: 'Series' }];
  await eventsWith(server, namespace, once);
  // client-go drops repeats of an event that does not exist yet for 10 s, so they are sent only here.
  peer.ask('again');
  const all = [...once.slice(0, 2), { reason: 'Series', series: 2 }];
  const events = await eventsWith(server, namespace, all);
  await peer.end();
  return events;
}

type RecordedEvent = Readonly<Record<string, unknown>>;

/** Returns the events of a namespace as soon as they include the wanted ones. */
async function eventsWith(
  { client }: ServerUnderTest,
  namespace: string,
  wanted: readonly RecordedEvent[],
): Promise<RecordedEvent[]> {
  const seen = new Map<string, RecordedEvent>();
  const watch = async (signal: AbortSignal): Promise<void> => {
    for await (const event of client.watch(builtin.Event, { namespace, signal })) {
      if (event.type !== 'ADDED' && event.type !== 'MODIFIED') continue;
      seen.set(event.object.metadata.name, recorded(event.object));
      if (wanted.every((one) => [...seen.values()].some((other) => isLike(other, one)))) return;
    }
  };
  await within(
    () => `${JSON.stringify(wanted)} among ${JSON.stringify([...seen.values()])}`,
    watch,
  );
  return [...seen.values()].toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

function recorded(event: object): RecordedEvent {
  const { reason, count, type, message, note, series, source } = event as Record<string, unknown>;
  return {
    reason,
    type,
    count,
    text: message ?? note,
    series: (series as { count?: number } | undefined)?.count,
    source: (source as { component?: string } | undefined)?.component,
  };
}

function isLike(event: RecordedEvent, wanted: RecordedEvent): boolean {
  return Object.entries(wanted).every(([name, value]) => event[name] === value);
}

withPeers('the list pager of client-go', () => {
  const objects = 45;
  const flags = ['-page-size=10'];

  async function filled(server: ServerUnderTest): Promise<string> {
    const namespace = servers.name();
    await server.client.create(builtin.Namespace, { metadata: { name: namespace } }, requestBound);
    const names = Array.from({ length: objects }, (_, index) => `item-${index}`);
    await Promise.all(
      names.map((name) =>
        server.client.create(builtin.ConfigMap, { metadata: { name, namespace } }, requestBound),
      ),
    );
    return namespace;
  }

  async function page(server: ServerUnderTest, between: () => void): Promise<readonly Line[]> {
    const namespace = await filled(server);
    await using peer = await servers.start(server, { scenario: 'pager', namespace, flags });
    let released = 0;
    await peer.until('the items one by one', (lines) => {
      for (const _ of lines.filter((line) => 'asks' in line).slice(released)) {
        released++;
        between();
        peer.ask('next');
      }
      return lines.some((line) => line.whole === false);
    });
    const lines = await peer.end();
    const list = await server.client.list(builtin.ConfigMap, { ...requestBound, namespace });
    const versions = Object.fromEntries(
      list.items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]),
    );
    for (const line of lines.filter(({ state }) => state !== undefined)) {
      expect(line.state).toEqual(versions);
    }
    return lines;
  }

  test('reads every object of @keelson/apiserver in pages', async () => {
    const lines = await page(servers.ours, () => {});
    expect(lines.find(({ whole }) => whole === true)).toMatchObject({
      pages: 5,
      paginated: true,
      error: '',
    });
  });

  test('lists again without pages when a continue token of @keelson/apiserver expires', async () => {
    const server = servers.ours;
    const lines = await page(server, () => {
      // A token of the newest version does not expire, so another object is created.
      const metadata = { generateName: 'newer-', namespace: 'default' };
      server.ours?.seed([{ apiVersion: 'v1', kind: 'ConfigMap', metadata }]);
      server.ours?.compact();
    });
    expect(lines.find(({ whole }) => whole === true)).toMatchObject({ error: '' });
    expect(lines.filter(({ full }) => full === true)).toHaveLength(1);
  });

  test('gets the same results from both servers', async () => {
    const { here, there } = await servers.onBoth((server) => page(server, () => {}));
    const shape = (lines: readonly Line[]): unknown[] =>
      lines.map((line) => ({ ...line, state: undefined }));
    expect(shape(here)).toEqual(shape(there));
  });
});
