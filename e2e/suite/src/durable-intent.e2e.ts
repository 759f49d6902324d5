import { beforeAll, describe, expect, test } from '@jest/globals';
import type { KubernetesObject, Persisted } from '@keelson/apimachinery';
import {
  durableIntent,
  type DurableIntent,
  type IntentAction,
  type IntentPlaceOptions,
} from '@keelson/intent';
import { customKind, type Widget } from './custom-kind.ts';
import { openSharedSuite } from './suite.ts';

const suite = openSharedSuite();
const kind = customKind();
const Widget = kind.resource();
const annotation = 'example.com/last-applied';
const LIMIT = 256 * 1024;

beforeAll(() => suite.install(definition()));

/** The definition with a member of the status for the record. */
function definition(): KubernetesObject {
  const made = kind.definition('v1');
  const schema = made.spec.versions[0]?.schema?.openAPIV3Schema?.properties?.['status'];
  if (schema?.properties === undefined) throw new Error('the definition has no status');
  schema.properties['lastApplied'] = { type: 'string' };
  return made;
}

async function create(metadata: object = {}): Promise<Persisted<Widget>> {
  const namespace = await suite.namespace();
  return suite.client.create(Widget, {
    metadata: { namespace, name: 'one', ...metadata },
    spec: { size: 1 },
  });
}

async function run(
  intent: DurableIntent<Widget>,
  { metadata }: Persisted<Widget>,
  action: IntentAction<Widget> = () => undefined,
): Promise<Persisted<Widget>> {
  const object = await suite.client.get(Widget, metadata);
  await intent.run({ client: suite.client, object }, action);
  return suite.client.get(Widget, metadata);
}

describe.each<[string, IntentPlaceOptions<Widget>]>([
  ['an annotation', { annotation }],
  ['the status', { status: 'lastApplied' }],
  ['a ConfigMap', { configMap: {} }],
])('a durable intent with its record in %s', (_, place) => {
  test('R3-01 R3-02 R3-05 finds the difference to the last success, and writes an equal intent once', async () => {
    const object = await create();
    const intent = durableIntent({ resource: Widget, place, history: { keep: 1 } });
    const first = await run(intent, object);
    expect(first.metadata.generation).toBe(1);
    expect((await run(intent, object)).metadata.resourceVersion).toBe(
      first.metadata.resourceVersion,
    );
    const change = { type: 'merge', body: { spec: { size: 3, colour: 'red' } } } as const;
    await suite.client.patch(Widget, object.metadata, change);
    const failing = run(intent, object, () => Promise.reject(new Error('midway')));
    await expect(failing).rejects.toThrow('midway');
    const seen: unknown[] = [];
    await run(intent, object, ({ difference, lastApplied }) => {
      seen.push(difference.changed.toSorted(), lastApplied?.generation);
    });
    expect(seen).toEqual([['/colour', '/size'], 1]);
    const last = await suite.client.get(Widget, object.metadata);
    const record = await intent.read({ client: suite.client, object: last });
    expect(record).toMatchObject({ generation: 2, spec: { size: 3, colour: 'red' } });
  });

  test('drops the record of an object that was replaced during the action', async () => {
    const object = await create();
    const intent = durableIntent({ resource: Widget, place });
    const next = await run(intent, object, async () => {
      await suite.client.delete(Widget, object.metadata);
      const { namespace, name } = object.metadata;
      await suite.client.create(Widget, { metadata: { namespace, name }, spec: { size: 1 } });
    });
    expect(next.metadata.uid).not.toBe(object.metadata.uid);
    expect(await intent.read({ client: suite.client, object: next })).toBeUndefined();
  });
});

describe('a durable intent with its record in an annotation', () => {
  test('R3-02 has the limit of the server', async () => {
    const object = await create();
    const intent = durableIntent({ resource: Widget, place: { annotation } });
    const { annotations = {} } = (await run(intent, object)).metadata;
    const used = Buffer.byteLength(annotation) + Buffer.byteLength(annotations[annotation] ?? '');
    const other = 'example.com/other';
    const fill = (length: number): Promise<Persisted<Widget>> => {
      const body = { metadata: { annotations: { [other]: 'x'.repeat(length) } } };
      return suite.client.patch(Widget, object.metadata, { type: 'merge', body });
    };
    const free = LIMIT - used - Buffer.byteLength(other);
    await expect(fill(free + 1)).rejects.toMatchObject({ statusCode: 422 });
    await fill(free);
    const resize = (size: number): Promise<Persisted<Widget>> =>
      suite.client.patch(Widget, object.metadata, { type: 'merge', body: { spec: { size } } });
    await resize(2);
    await run(intent, object);
    await resize(10);
    await expect(run(intent, object)).rejects.toMatchObject({
      code: 'INTENT_TOO_LARGE',
      facts: { size: LIMIT + 1, limit: LIMIT },
    });
  });
});

describe('a durable intent with its record in the status', () => {
  test('reports a record that the schema prunes', async () => {
    const object = await create();
    const intent = durableIntent({ resource: Widget, place: { status: 'unknown' } });
    await expect(run(intent, object)).rejects.toMatchObject({ code: 'INTENT_NOT_STORED' });
  });
});
