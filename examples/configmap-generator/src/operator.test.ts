import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { ApiServer } from '@keelson/apiserver';
import { builtin, isControlledBy, type Client } from '@keelson/manager';
import { startExample, until, type StartedExample } from '@keelson/example-support';
import { configMapGeneratorDefinition } from './custom-resource-definition.ts';
import { ConfigMapGenerator } from './custom-resource.ts';
import { createOperator } from './operator.ts';
import { tour } from './tour.ts';

const name = { namespace: 'default', name: 'colours' };
const entries = { sky: 'blue', grass: 'green' };

describe('configmap-generator', () => {
  let example: StartedExample;
  let server: ApiServer;
  let client: Client;

  beforeEach(async () => {
    example = await startExample({ definitions: [configMapGeneratorDefinition], createOperator });
    ({ client, server } = example);
  });

  afterEach(async () => {
    await example[Symbol.asyncDispose]();
  });

  const create = (metadata = name): Promise<ConfigMapGenerator> =>
    client.create(ConfigMapGenerator, { metadata, spec: { entries } });
  const untilMade = (metadata = name): ReturnType<typeof untilConfigMap> =>
    untilConfigMap((data) => data !== undefined, metadata);
  const untilConfigMap = (
    reached: (data: Record<string, string> | undefined) => boolean,
    metadata = name,
  ): Promise<{ data?: Record<string, string> } | undefined> =>
    until(client, builtin.ConfigMap, metadata, (object) => reached(object?.data));
  const untilObserved = (generation: number, metadata = name): Promise<unknown> =>
    until(
      client,
      ConfigMapGenerator,
      metadata,
      (object) => object?.status?.observedGeneration === generation,
    );

  test('makes a ConfigMap with the entries, owned by the generator', async () => {
    const generator = await create();
    const configMap = await untilMade();
    expect(configMap).toMatchObject({ data: entries });
    const made = await client.get(builtin.ConfigMap, name);
    expect(isControlledBy(made, generator)).toBe(true);
  });

  test('R0-38 writes what it did into the status', async () => {
    await create();
    await untilObserved(1);
    expect((await client.get(ConfigMapGenerator, name)).status).toEqual({
      observedGeneration: 1,
      entries: 2,
    });
  });

  test('follows a change of the spec, entries that are gone included', async () => {
    await create();
    await untilMade();
    const changed = { sky: 'grey', grass: null };
    await client.patch(ConfigMapGenerator, name, {
      type: 'merge',
      body: { spec: { entries: changed } },
    });
    const configMap = await untilConfigMap((data) => data?.['sky'] === 'grey');
    expect(configMap?.data).toEqual({ sky: 'grey' });
    await untilObserved(2);
  });

  test('repairs a changed entry and a deleted ConfigMap', async () => {
    await create();
    await untilMade();
    const drift = { type: 'merge', body: { data: { sky: 'red', grass: null } } } as const;
    await client.patch(builtin.ConfigMap, name, drift);
    const repaired = await untilConfigMap((data) => data?.['sky'] === 'blue');
    expect(repaired?.data).toEqual(entries);
    const before = await client.get(builtin.ConfigMap, name);
    await client.delete(builtin.ConfigMap, name);
    const remade = await until(client, builtin.ConfigMap, name, (object) => {
      return object !== undefined && object.metadata.uid !== before.metadata.uid;
    });
    expect(remade?.data).toEqual(entries);
  });

  test('leaves entries alone that others added', async () => {
    await create();
    await untilMade();
    const foreign = { type: 'merge', body: { data: { sea: 'deep', sky: 'red' } } } as const;
    await client.patch(builtin.ConfigMap, name, foreign);
    const repaired = await untilConfigMap((data) => data?.['sky'] === 'blue');
    expect(repaired?.data).toEqual({ ...entries, sea: 'deep' });
  });

  test.each(['Background', 'Foreground'] as const)(
    'deletion (%s) takes the ConfigMap along',
    async (propagationPolicy) => {
      await create();
      await untilMade();
      await client.delete(ConfigMapGenerator, name, { propagationPolicy });
      await untilConfigMap((data) => data === undefined);
      await until(client, ConfigMapGenerator, name, (object) => object === undefined);
    },
  );

  test('CT40 its own status write starts no run: settled objects do not change', async () => {
    const count = 10;
    for (let index = 0; index < count; index += 1) {
      const metadata = { namespace: 'default', name: `generator-${index}` };
      await create(metadata);
      await untilObserved(1, metadata);
    }
    const changes = [ConfigMapGenerator, builtin.ConfigMap].map((kind) =>
      server.stats.changes(kind),
    );
    // A generator is created and gets its status; its ConfigMap is created.
    expect(changes).toEqual([2 * count, count]);
    // One run for the generator and one for its ConfigMap; a run per status write would make it three.
    const runs = server.stats.requests({ verb: 'patch', resource: ConfigMapGenerator });
    expect(runs).toBeLessThanOrEqual(2 * count);
  });

  test('the tour prints every step', async () => {
    const lines: string[] = [];
    await tour(client, (line) => lines.push(line));
    expect(lines).toHaveLength(5);
    expect(lines.at(-1)).toBe('deleted ConfigMapGenerator colours, and its ConfigMap went with it');
  });
});
