import type { AddressInfo } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { UsageError } from '../flags/flag-values.ts';
import { startEtcd } from './etcd.ts';

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
});
