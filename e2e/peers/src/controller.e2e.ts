import { expect, test } from '@jest/globals';
import { builtin, type KubernetesObject } from '@keelson/apimachinery';
import { responsesOf } from './responses.ts';
import type { Line } from './peer.ts';
import { programsOf } from './programs.ts';
import type { ServerUnderTest } from './server-under-test.ts';
import { TestServers } from './test-servers.ts';
import { Widget } from './widget.ts';
import { requestBound, within } from './within.ts';

const servers = new TestServers(programsOf(process.env));
const { withPeers } = servers;

/** True if the controller printed that it reconciled a Widget at a generation. */
function reconciled(lines: readonly Line[], name: string, generation: number): boolean {
  return lines.some((line) => line.reconciled === name && line.generation === generation);
}

async function createWidget(
  { client }: ServerUnderTest,
  namespace: string,
  name: string,
): Promise<void> {
  const widget = { metadata: { name, namespace }, spec: { copies: 2, text: name } };
  await client.create(Widget, widget, requestBound);
}

async function changeWidget(
  { client }: ServerUnderTest,
  namespace: string,
  name: string,
): Promise<void> {
  const body = { spec: { copies: 1, text: 'changed' } };
  await client.patch(Widget, { namespace, name }, { type: 'merge', body }, requestBound);
}

interface LeftOptions {
  readonly namespace: string;
  readonly cut: boolean;
}

/**
 * Runs a controller of controller-runtime, with broken connections if `cut` is set; returns the remaining objects.
 */
async function leftBy(
  server: ServerUnderTest,
  { namespace, cut }: LeftOptions,
): Promise<readonly unknown[]> {
  const { client } = server;
  const names = Array.from({ length: 8 }, (_, index) => `widget-${index}`);
  const [early, late] = [names.slice(0, 5), names.slice(5)];
  await Promise.all(early.map((name) => createWidget(server, namespace, name)));
  await using peer = await servers.start(server, { scenario: 'controller', namespace });
  await peer.until('five reconciled Widgets', (lines) =>
    early.every((name) => reconciled(lines, name, 1)),
  );
  if (cut) expect(peer.proxy.cut()).toBeGreaterThan(0);
  await Promise.all(late.map((name) => createWidget(server, namespace, name)));
  await changeWidget(server, namespace, 'widget-0');
  if (cut) peer.proxy.cut();
  await client.delete(Widget, { namespace, name: 'widget-1' }, requestBound);
  await client.delete(builtin.ConfigMap, { namespace, name: 'widget-2-0' }, requestBound);
  await settled(server, namespace);
  await peer.until('a finalized Widget', (lines) =>
    lines.some((line) => line.finalized === 'widget-1'),
  );
  // After a cut controller-runtime may take more than its 30 s for a graceful shutdown.
  if (cut) await peer.kill();
  else expect((await peer.end()).at(-1)).toMatchObject({ ended: true });
  return stateOf(server, namespace);
}

/** Resolves when the objects on the server have the state that the controller must establish. */
async function settled(
  { client, name: server }: ServerUnderTest,
  namespace: string,
): Promise<void> {
  const wanted = ['widget-2-0', 'widget-5-1', 'widget-6-1', 'widget-7-1'];
  const unwanted = ['widget-0-1', 'widget-1-0', 'widget-1-1'];
  const there = new Set<string>();
  const reached = async (signal: AbortSignal): Promise<void> => {
    const watch = client.watch(builtin.ConfigMap, { namespace, resourceVersion: '0', signal });
    for await (const event of watch) {
      const name = event.object.metadata.name ?? '';
      if (event.type === 'DELETED') there.delete(name);
      else if (event.type !== 'BOOKMARK') there.add(name);
      if (wanted.every((key) => there.has(key)) && !unwanted.some((key) => there.has(key))) return;
    }
  };
  const facts = (): string => JSON.stringify({ server, wanted, unwanted, there: [...there] });
  await within(facts, reached);
}

async function stateOf({ client }: ServerUnderTest, namespace: string): Promise<unknown[]> {
  const selection = { ...requestBound, namespace };
  const maps = await client.list(builtin.ConfigMap, selection);
  const widgets = await client.list(Widget, selection);
  const items = [...maps.items, ...widgets.items].map(({ metadata, ...rest }) => ({
    ...rest,
    // The time of the controller's end decides whether the last status is written.
    status: undefined,
    metadata: { ...metadata, namespace: undefined, managedFields: undefined },
  }));
  const byName = items.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  return responsesOf(byName.map((item) => ({ item })));
}

function nameOf(object: Pick<KubernetesObject, 'kind'> & { metadata: { name?: string } }): string {
  return `${object.kind ?? ''}/${object.metadata.name ?? ''}`;
}

withPeers('a controller of controller-runtime with its priority queue', () => {
  test.each([false, true])('leaves the same objects on both servers, cuts: %p', async (cut) => {
    const namespace = await servers.namespace();
    const { here, there } = await servers.onBoth((server) => leftBy(server, { namespace, cut }));
    expect(there).toHaveLength(20);
    expect(here).toEqual(there);
  });

  test('reconciles changed objects before existing ones, on both servers', async () => {
    const namespace = await servers.namespace();
    const { here, there } = await servers.onBoth((server) => servedBy(server, namespace));
    expect(there.slice(1, 3)).toEqual(['urgent', 'changed']);
    expect(there.slice(3)).toHaveLength(4);
    expect(here).toEqual(there);
  });
});

/** Returns the order in which a controller with one worker reconciles Widgets; `held` is the first of them. */
async function servedBy(server: ServerUnderTest, namespace: string): Promise<readonly string[]> {
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  await Promise.all(names.map((name) => createWidget(server, namespace, name)));
  await using peer = await servers.start(server, { scenario: 'priority', namespace });
  const held = String((await peer.line('holds')).holds);
  const changed = names.findLast((name) => name !== held) ?? '';
  await createWidget(server, namespace, 'urgent');
  await changeWidget(server, namespace, changed);
  await peer.until('both of them in the queue', (lines) =>
    ['urgent', changed].every((name) =>
      lines.some(({ queued, initial }) => queued === name && initial === false),
    ),
  );
  const served = (): unknown[] => peer.lines.flatMap(({ holds }) => holds ?? []);
  for (let count = 1; count < 7; count++) {
    peer.ask('next');
    await peer.until(`${count + 1} Widgets served`, () => served().length > count);
  }
  await peer.end();
  const places = new Map([
    [held, 'held'],
    [changed, 'changed'],
    ['urgent', 'urgent'],
  ]);
  // The order of existing objects is random: WatchList sends them in the order of a Go map.
  return served().map((name) => places.get(String(name)) ?? 'an existing one');
}
