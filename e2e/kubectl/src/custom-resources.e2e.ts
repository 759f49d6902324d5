import { beforeAll, describe, expect, test } from '@jest/globals';
import { crd, shop } from './manifests.ts';
import { openSession } from './session.ts';
import { column } from './table-column.ts';

const { kubectl, pipe } = openSession();

describe('kubectl and custom resources', () => {
  beforeAll(async () => {
    await pipe(crd, 'apply');
    await kubectl('wait', 'crd/shops.example.com', '--for=condition=Established', '--timeout=20s');
  });

  test('creates, defaults, prints its columns, scales, explains', async () => {
    await pipe(shop('corner', { replicas: 2 }), 'create');
    const wide = await kubectl('get', 'sh', '-o', 'wide');
    expect(column(wide, 'REPLICAS')).toEqual(['2']);
    expect(column(wide, 'OWNER')).toEqual(['nobody']);
    await kubectl('scale', 'shop', 'corner', '--replicas=5');
    expect(column(await kubectl('get', 'shops'), 'REPLICAS')).toEqual(['5']);
    expect(await kubectl('get', 'all')).toContain('shop.example.com/corner');
    expect(await kubectl('explain', 'shop.spec.replicas')).toContain('How many of them there are.');
  });

  test('refuses what the schema forbids, naming the field', async () => {
    const { code, stderr } = await kubectl.run(['create', '-f', '-'], {
      input: shop('bad', { replicas: -1 }),
    });
    expect(code).toBe(1);
    expect(stderr).toContain('spec.replicas: Invalid value: -1');
  });

  test('applies on both sides', async () => {
    expect(await pipe(shop('sides', { replicas: 1 }), 'apply')).toContain('created');
    expect(await pipe(shop('sides', { replicas: 2 }), 'apply')).toContain('configured');
    await pipe(shop('sides', { replicas: 3 }), 'apply', '--server-side', '--force-conflicts');
    expect(await kubectl('get', 'shop', 'sides', '-o', 'jsonpath={.spec.replicas}')).toBe('3');
  });
});
