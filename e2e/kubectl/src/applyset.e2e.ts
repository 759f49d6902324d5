import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  applyAll,
  createClient,
  loadCluster,
  type AppliedObject,
  type Client,
} from '@keelson/client';
import { builtin } from '@keelson/apimachinery';
import { join } from 'node:path';
import { configMap } from './manifests.ts';
import { openSession } from './session.ts';

const session = openSession();
const { kubectl, jsonOf } = session;
const env = { KUBECTL_APPLYSET: 'true' };
let client: Client;

beforeAll(async () => {
  const cluster = await loadCluster({ file: join(session.folder, 'kubeconfig') });
  client = createClient({ cluster });
});

afterAll(() => client.close());

const owned = (name: string): AppliedObject =>
  JSON.parse(configMap(name, { a: '1' })) as AppliedObject;

/** `kubectl apply --prune` of ConfigMaps as the set of a Secret. */
async function pruneBy(
  set: string,
  ...names: string[]
): Promise<{ code: number | null; stderr: string }> {
  const words = ['apply', '--server-side', '--force-conflicts', '-n', 'default', '--prune'];
  const items = names.map(owned);
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  return kubectl.run([...words, `--applyset=${set}`, '-f', '-'], { input, env });
}

async function namesOf(prefix: string): Promise<string[]> {
  const { items } = (await jsonOf('get', 'cm', '-n', 'default')) as {
    items: { metadata: { name: string } }[];
  };
  return items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith(prefix));
}

async function tooling(): Promise<string> {
  const { annotations = {} } = (
    await client.get(builtin.Secret, { namespace: 'default', name: 'shared' })
  ).metadata;
  return annotations['applyset.kubernetes.io/tooling'] ?? '';
}

describe('kubectl apply --prune --applyset', () => {
  test('deletes what applyAll applied, and applyAll what kubectl applied', async () => {
    expect(await pruneBy('shared', 'shared-a', 'shared-b')).toMatchObject({ code: 0 });
    const owner = await client.get(builtin.Secret, { namespace: 'default', name: 'shared' });
    const options = { client, owner, prune: true, tooling: await tooling() };
    const { pruned } = await applyAll([owned('shared-b'), owned('shared-c')], options);
    expect(pruned.map(({ name }) => name)).toEqual(['shared-a']);
    expect(await namesOf('shared-')).toEqual(['shared-b', 'shared-c']);
    expect(await pruneBy('shared', 'shared-c', 'shared-d')).toMatchObject({ code: 0 });
    expect(await namesOf('shared-')).toEqual(['shared-c', 'shared-d']);
  });

  test('refuses the set of Keelson, and applyAll that of kubectl', async () => {
    const metadata = { namespace: 'default', name: 'ours' };
    const owner = await client.create(builtin.Secret, { metadata });
    await applyAll([owned('ours-a')], { client, owner, prune: true });
    const refused = await pruneBy('ours', 'ours-b');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('is managed by tooling "keelson" instead of "kubectl"');
    expect(await pruneBy('theirs', 'theirs-a')).toMatchObject({ code: 0 });
    const theirs = await client.get(builtin.Secret, { namespace: 'default', name: 'theirs' });
    await expect(applyAll([], { client, owner: theirs, prune: true })).rejects.toMatchObject({
      code: 'APPLY_SET_OTHER_TOOL',
    });
    expect([await namesOf('ours-'), await namesOf('theirs-')]).toEqual([['ours-a'], ['theirs-a']]);
  });
});
