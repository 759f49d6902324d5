import { describe, expect, test } from '@jest/globals';
import { serverSettings } from './api-server-options.ts';

describe('The defaults of the options of a server', () => {
  test('are what the documented texts mean', () => {
    const texts = {
      host: '127.0.0.1',
      serviceClusterIpRange: '10.96.0.0/16',
      bookmarkInterval: '1m',
      freshnessTimeout: '3s',
      eventTtl: '1h',
    } as const;
    const now = Date.now;
    expect(serverSettings({ now })).toEqual(serverSettings({ ...texts, now }));
  });
});
