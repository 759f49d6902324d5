import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { ApiServer } from '@keelson/apiserver';
import { builtin, type Client, type ManagerOptions } from '@keelson/manager';
import { startExample, until, type StartedExample } from '@keelson/example-support';
import { tallyDefinition } from './custom-resource-definition.ts';
import { Tally } from './custom-resource.ts';
import { createOperator } from './operator.ts';
import { tour } from './tour.ts';

const namespace = 'default';
const secrets = { group: '', version: 'v1', kind: 'Secret', plural: 'secrets' };

describe('kind-counter', () => {
  let example: StartedExample;
  let server: ApiServer;
  let client: Client;

  beforeEach(async () => {
    example = await startExample({
      definitions: [tallyDefinition],
      createOperator: (options: ManagerOptions) =>
        createOperator({ ...options, cache: { linger: 0 } }),
    });
    ({ client, server } = example);
  });

  afterEach(async () => {
    await example[Symbol.asyncDispose]();
  });

  const create = (name: string, spec = secrets): Promise<Tally> =>
    client.create(Tally, { metadata: { namespace, name }, spec });
  const untilCount = (name: string, count: number): Promise<Tally | undefined> =>
    until(client, Tally, { namespace, name }, (tally) => tally?.status?.count === count);

  test('counts the objects of a kind without an earlier watch', async () => {
    await client.create(builtin.Secret, { metadata: { namespace, name: 'before' } });
    await create('secrets');
    await untilCount('secrets', 1);
    await client.create(builtin.Secret, { metadata: { namespace, name: 'after' } });
    await untilCount('secrets', 2);
    await client.delete(builtin.Secret, { namespace, name: 'before' });
    expect((await untilCount('secrets', 1))?.status).toEqual({ count: 1 });
  });

  test('two Tallies of one kind share one watch, and the last takes it along', async () => {
    await create('one');
    await create('two');
    await untilCount('one', 0);
    await untilCount('two', 0);
    expect(server.stats.openWatches(builtin.Secret)).toBe(1);
    await client.delete(Tally, { namespace, name: 'one' });
    await client.create(builtin.Secret, { metadata: { namespace, name: 'still-counted' } });
    await untilCount('two', 1);
    await client.delete(Tally, { namespace, name: 'two' });
    await server.unwatched(builtin.Secret);
    expect(server.stats.watches(builtin.Secret)).toBe(1);
  });

  test('the tour prints every step', async () => {
    const lines: string[] = [];
    await tour(client, (line) => lines.push(line));
    expect(lines).toHaveLength(5);
    await server.unwatched(builtin.Secret);
  });
});
