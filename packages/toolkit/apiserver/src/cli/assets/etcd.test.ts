import type { AddressInfo } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { UsageError } from '../flag-values.ts';
import { etcdUsage, startEtcd } from './etcd.ts';

describe('the stand-in for etcd', () => {
  test('is healthy where it would listen for clients', async () => {
    await using server = await startEtcd(['--data-dir=d', '--listen-client-urls=http://[::1]:0']);
    const { port } = server.address() as AddressInfo;
    const response = await fetch(`http://[::1]:${port}/health`);
    expect(await response.json()).toEqual({ health: 'true' });
  });

  test.each([[[]], [['--listen-client-urls=2379']]])('rejects %j', async (words) => {
    await expect(startEtcd(words)).rejects.toThrow(UsageError);
  });

  test('says in its help which flag it has, and not that it could be faster', () => {
    expect(etcdUsage).toMatch(/^\s*--listen-client-urls\b/m);
    expect(etcdUsage).not.toContain('unsafe-no-fsync');
  });
});
