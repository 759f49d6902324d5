import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { answersOf } from './answers.ts';
import type { Line } from './peer.ts';
import { findPrograms } from './programs.ts';
import type { ServerUnderTest } from './server-under-test.ts';
import { sayWhatIsMissing } from './skipped.ts';
import { TestServers } from './test-servers.ts';

const programs = await findPrograms(process.env);
sayWhatIsMissing(programs);
const servers = new TestServers(programs);
const withPeers = programs.peers === undefined ? describe.skip : describe;
const withBoth = programs.assets === undefined ? describe.skip : withPeers;

/** What a scenario tells on each of the two servers. */
async function onBoth(scenario: string, mode: string): Promise<readonly (readonly Line[])[]> {
  const both = [servers.ours, servers.real];
  const namespace = await servers.namespace(...both);
  return Promise.all(
    both.map((server) => servers.run(server, { scenario, namespace, flags: [`-mode=${mode}`] })),
  );
}

/** The words of a decoder differ; that and how it refuses do not. */
function withoutDecoderWords(lines: readonly Line[]): readonly Line[] {
  return lines.map((line) => {
    const text = JSON.stringify(line.message ?? null);
    return text.startsWith('"error decoding patch: ') ? { ...line, message: undefined } : line;
  });
}

withBoth.each(['json', 'protobuf'])('the typed client of client-go with %s', (mode) => {
  test('gets the same answers to creates, updates, patches, applies and deletes', async () => {
    const [here = [], there = []] = await onBoth('crud', mode);
    expect(there.length).toBeGreaterThan(40);
    expect(answersOf(withoutDecoderWords(here))).toEqual(answersOf(withoutDecoderWords(there)));
  });

  test('is told the same by TokenReview and SubjectAccessReview', async () => {
    const [here = [], there = []] = await onBoth('reviews', mode);
    expect(there).toHaveLength(14);
    expect(answersOf(here)).toEqual(answersOf(there));
  });
});

withBoth('discovery of client-go', () => {
  test('finds the same resources, verbs, short names and mappings', async () => {
    const both = await onBoth('discovery', 'json');
    const [here, there] = both.map((lines) => {
      const told = lines.filter((line) =>
        ['resource', 'preferred', 'mapping', 'word', 'minor'].some((member) => member in line),
      );
      return told.map((line) => JSON.stringify(line)).toSorted();
    });
    expect(there?.length).toBeGreaterThan(150);
    expect(here).toEqual(there);
  });

  test('finds the schemas of the same kinds in OpenAPI v3', async () => {
    const both = await onBoth('discovery', 'json');
    const [here = [], there = []] = both.map((lines) =>
      lines.filter((line) => 'openAPIV3Of' in line).map(({ schemas }) => schemas as string[]),
    );
    expect(there).toHaveLength(3);
    for (const [index, theirs] of there.entries()) {
      expect(theirs).toEqual(expect.arrayContaining(here[index] ?? []));
      // Ours names no lists of built-in kinds, nor what only describes requests and errors.
      const missing = theirs.filter((name) => here[index]?.includes(name) === false);
      expect(missing.filter((name) => !/List$|apimachinery\.pkg/.test(name))).toEqual([]);
    }
  });
});

withBoth('the event recorders of client-go', () => {
  test('leave the same events', async () => {
    const both = [servers.ours, servers.real];
    const namespace = await servers.namespace(...both);
    const [here, there] = await Promise.all(
      both.map((server) => eventsRecordedOn(server, namespace)),
    );
    expect(there).toHaveLength(3);
    expect(here).toEqual(there);
  });
});

async function eventsRecordedOn(server: ServerUnderTest, namespace: string): Promise<unknown[]> {
  await using peer = servers.start(server, { scenario: 'recorder', namespace });
  await peer.line('recorded');
  const seen = new Map<string, unknown>();
  const watch = server.client.watch(builtin.Event, { namespace, resourceVersion: '0' });
  for await (const event of watch) {
    if (event.type !== 'ADDED' && event.type !== 'MODIFIED') continue;
    const { metadata, reason, count, type, message, note, series, source } = {
      note: undefined,
      message: undefined,
      ...event.object,
    };
    seen.set(metadata?.name ?? '', {
      reason,
      type,
      count,
      text: message ?? note,
      series: series?.count,
      source: source?.component,
    });
    if (isComplete([...seen.values()])) break;
  }
  await peer.end();
  return [...seen.values()].toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

/** The repeated one is counted to three, the series to two or more, the single one is there. */
function isComplete(events: readonly unknown[]): boolean {
  const has = (wanted: object): boolean =>
    events.some((event) =>
      Object.entries(wanted).every(
        ([name, value]) => (event as Record<string, unknown>)[name] === value,
      ),
    );
  return (
    has({ reason: 'Repeated', count: 3 }) &&
    has({ reason: 'Single' }) &&
    has({ reason: 'Series', series: 2 })
  );
}

withPeers('the list pager of client-go', () => {
  const objects = 45;
  const flags = ['-page-size=10'];

  async function filled(server: ServerUnderTest): Promise<string> {
    const namespace = await servers.namespace(server);
    const names = Array.from({ length: objects }, (_, index) => `item-${index}`);
    await Promise.all(
      names.map((name) =>
        server.client.create(builtin.ConfigMap, { metadata: { name, namespace } }),
      ),
    );
    return namespace;
  }

  async function page(server: ServerUnderTest, between: () => void): Promise<readonly Line[]> {
    const namespace = await filled(server);
    await using peer = servers.start(server, { scenario: 'pager', namespace, flags });
    let answered = 0;
    await peer.until((lines) => {
      for (const _ of lines.filter((line) => 'asks' in line).slice(answered)) {
        answered++;
        between();
        peer.ask('next');
      }
      return lines.some((line) => line.whole === false);
    });
    const lines = await peer.end();
    const list = await server.client.list(builtin.ConfigMap, { namespace });
    const versions = Object.fromEntries(
      list.items.map(({ metadata }) => [metadata?.name, metadata?.resourceVersion]),
    );
    for (const line of lines.filter(({ state }) => state !== undefined)) {
      expect(line.state).toEqual(versions);
    }
    return lines;
  }

  test('reads every object of ours in pages', async () => {
    const lines = await page(servers.ours, () => {});
    expect(lines.find(({ whole }) => whole === true)).toMatchObject({
      pages: 5,
      paginated: true,
      error: '',
    });
  });

  test('lists anew and whole when a continue token of ours expires', async () => {
    const server = servers.ours;
    const lines = await page(server, () => {
      // A token from the newest version does not expire.
      const metadata = { generateName: 'newer-', namespace: 'default' };
      server.ours?.seed([{ apiVersion: 'v1', kind: 'ConfigMap', metadata }]);
      server.ours?.compact();
    });
    expect(lines.find(({ whole }) => whole === true)).toMatchObject({ error: '' });
    expect(lines.filter(({ full }) => full === true)).toHaveLength(1);
  });

  (programs.assets === undefined ? test.skip : test)('reads a real server alike', async () => {
    const [here, there] = [await page(servers.ours, () => {}), await page(servers.real, () => {})];
    const shape = (lines: readonly Line[]): unknown[] =>
      lines.map((line) => ({ ...line, state: undefined }));
    expect(shape(here)).toEqual(shape(there));
  });
});
