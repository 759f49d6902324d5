import { describe, expect, test } from '@jest/globals';
import { builtin, type KubernetesObject } from '@keelson/apimachinery';
import { answersOf } from './answers.ts';
import type { Line, Peer } from './peer.ts';
import { findPrograms } from './programs.ts';
import type { ServerUnderTest } from './server-under-test.ts';
import { sayWhatIsMissing } from './skipped.ts';
import { TestServers } from './test-servers.ts';
import { Widget } from './widget.ts';

const programs = await findPrograms(process.env);
sayWhatIsMissing(programs);
const servers = new TestServers(programs);
const withPeers = programs.peers === undefined ? describe.skip : describe;
const withBoth = programs.assets === undefined ? describe.skip : withPeers;

/** Whether the controller said that it reconciled a Widget at a generation. */
function reconciled(lines: readonly Line[], name: string, generation: number): boolean {
  return lines.some((line) => line.reconciled === name && line.generation === generation);
}

async function createWidget(
  { client }: ServerUnderTest,
  namespace: string,
  name: string,
): Promise<void> {
  await client.create(Widget, { metadata: { name, namespace }, spec: { copies: 2, text: name } });
}

/** Lets a controller of controller-runtime work, with cuts where asked; what it leaves behind. */
async function leftBy(server: ServerUnderTest, cut: boolean): Promise<unknown> {
  const namespace = await servers.namespace(server);
  const { client, proxy } = server;
  const names = Array.from({ length: 8 }, (_, index) => `widget-${index}`);
  await Promise.all(names.slice(0, 5).map((name) => createWidget(server, namespace, name)));
  await using peer = servers.start(server, { scenario: 'controller', namespace });
  await peer.until((lines) => names.slice(0, 5).every((name) => reconciled(lines, name, 1)));
  if (cut) proxy.cut();
  await Promise.all(names.slice(5).map((name) => createWidget(server, namespace, name)));
  const spec = { copies: 1, text: 'changed' };
  await client.patch(Widget, { namespace, name: 'widget-0' }, { type: 'merge', body: { spec } });
  if (cut) proxy.cut();
  await client.delete(Widget, { namespace, name: 'widget-1' });
  await client.delete(builtin.ConfigMap, { namespace, name: 'widget-2-0' });
  await settled(server, namespace);
  await peer.until((lines) => lines.some((line) => line.finalized === 'widget-1'));
  // After a cut controller-runtime may take more than its 30 s of grace to end in an orderly way.
  if (cut) await peer.kill();
  else expect((await peer.end()).at(-1)).toMatchObject({ ended: true });
  return stateOf(server, namespace);
}

/** Resolves when the server shows what the controller has to reach. */
async function settled(server: ServerUnderTest, namespace: string): Promise<void> {
  const wanted = ['widget-2-0', 'widget-5-1', 'widget-6-1', 'widget-7-1'];
  const unwanted = ['widget-0-1', 'widget-1-0', 'widget-1-1'];
  const there = new Map<string, KubernetesObject>();
  for await (const event of server.client.watch(builtin.ConfigMap, {
    namespace,
    resourceVersion: '0',
  })) {
    const name = event.object.metadata?.name ?? '';
    if (event.type === 'DELETED') there.delete(name);
    else if (event.type !== 'BOOKMARK') there.set(name, event.object);
    if (wanted.every((key) => there.has(key)) && !unwanted.some((key) => there.has(key))) break;
  }
}

async function stateOf({ client }: ServerUnderTest, namespace: string): Promise<unknown> {
  const maps = await client.list(builtin.ConfigMap, { namespace });
  const widgets = await client.list(Widget, { namespace });
  const items = [...maps.items, ...widgets.items].map(({ metadata, ...rest }) => ({
    ...rest,
    // Whether the last status is there depends on when the controller was ended.
    status: undefined,
    metadata: { ...metadata, namespace: undefined, managedFields: undefined },
  }));
  const byName = items.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  return answersOf(byName.map((item) => ({ item })));
}

function nameOf(object: Pick<KubernetesObject, 'kind'> & { metadata: { name?: string } }): string {
  return `${object.kind ?? ''}/${object.metadata.name ?? ''}`;
}

withPeers('a controller of controller-runtime with its priority queue', () => {
  test('brings our server where it has to be, also under cuts', async () => {
    const calm = await leftBy(servers.ours, false);
    expect(calm).toHaveLength(20);
    expect(await leftBy(servers.ours, true)).toEqual(calm);
  });

  test('leads as one of two replicas, and hands over', async () => {
    const server = servers.ours;
    const namespace = await servers.namespace(server);
    const replica = (identity: string): Peer =>
      servers.start(server, {
        scenario: 'controller',
        namespace,
        flags: ['-lease=widgets', `-identity=${identity}`],
      });
    await using first = replica('first');
    await first.line('leading');
    await using second = replica('second');
    await createWidget(server, namespace, 'one');
    await first.until((lines) => reconciled(lines, 'one', 1));
    await first.end();
    await second.line('leading');
    await createWidget(server, namespace, 'two');
    await second.until((lines) => reconciled(lines, 'two', 1));
    await using third = replica('third');
    await second.kill();
    await third.line('leading');
    await createWidget(server, namespace, 'three');
    await third.until((lines) => reconciled(lines, 'three', 1));
    const lease = await server.client.get(builtin.Lease, { namespace, name: 'widgets' });
    expect(lease.spec?.leaseTransitions).toBe(2);
    expect(second.lines.some((line) => line.reconciled === 'three')).toBe(false);
  });
});

withBoth('a controller of controller-runtime on a real server', () => {
  test('leaves the same objects as on ours', async () => {
    const there = await leftBy(servers.real, true);
    expect(await leftBy(servers.ours, true)).toEqual(there);
  });
});
