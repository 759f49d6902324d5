import { describe, expect, test } from '@jest/globals';
import { configMap, ownedConfigMap } from './manifests.ts';
import { openSession } from './session.ts';

const { kubectl, pipe } = openSession();

describe('kubectl delete', () => {
  async function family(owner: string): Promise<string> {
    await pipe(configMap(owner, {}), 'create');
    const uid = await kubectl('get', 'cm', owner, '-o', 'jsonpath={.metadata.uid}');
    await pipe(ownedConfigMap(`${owner}-child`, owner, uid), 'create');
    return `${owner}-child`;
  }

  test('removes owned objects in the background by default', async () => {
    const child = await family('parent-background');
    await kubectl('delete', 'cm', 'parent-background');
    await kubectl('wait', `cm/${child}`, '--for=delete', '--timeout=20s');
  });

  test('--cascade=foreground removes owned objects first', async () => {
    const child = await family('parent-foreground');
    await kubectl('delete', 'cm', 'parent-foreground', '--cascade=foreground');
    expect((await kubectl.run(['get', 'cm', child])).code).toBe(1);
  });

  test('--cascade=orphan leaves owned objects without their owner', async () => {
    const child = await family('parent-orphan');
    await kubectl('delete', 'cm', 'parent-orphan', '--cascade=orphan');
    expect(await kubectl('get', 'cm', child, '-o', 'jsonpath={.metadata.ownerReferences}')).toBe(
      '',
    );
  });

  test('waits for finalizers', async () => {
    await pipe(configMap('held', {}), 'create');
    await kubectl(
      'patch',
      'cm',
      'held',
      '--type=merge',
      '-p',
      '{"metadata":{"finalizers":["example.com/hold"]}}',
    );
    await kubectl('delete', 'cm', 'held', '--wait=false');
    expect(
      await kubectl('get', 'cm', 'held', '-o', 'jsonpath={.metadata.deletionTimestamp}'),
    ).not.toBe('');
    const gone = kubectl('wait', 'cm/held', '--for=delete', '--timeout=20s');
    await kubectl('patch', 'cm', 'held', '--type=merge', '-p', '{"metadata":{"finalizers":null}}');
    await gone;
  });

  test('by selector, and a namespace with all that is in it', async () => {
    await kubectl('create', 'namespace', 'doomed');
    await kubectl('create', 'configmap', 'a', '-n', 'doomed');
    await kubectl('label', 'cm', 'a', '-n', 'doomed', 'x=1');
    expect(await kubectl('delete', 'cm', '-n', 'doomed', '-l', 'x=1')).toContain('"a" deleted');
    await kubectl('create', 'configmap', 'b', '-n', 'doomed');
    await kubectl('delete', 'namespace', 'doomed');
    expect((await kubectl.run(['get', 'ns', 'doomed'])).code).toBe(1);
    expect(await kubectl('get', 'cm', '-A', '-o', 'name')).not.toContain('configmap/b');
  });
});
