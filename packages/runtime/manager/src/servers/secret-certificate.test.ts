import { expect, jest, test } from '@jest/globals';
import type { Client } from '@keelson/client';
import { SecretCertificate } from './secret-certificate.ts';

test('a stop while the namespace is being read ends the start, without a request and a timer', async () => {
  jest.useFakeTimers();
  const namespace = Promise.withResolvers<string>();
  const get = jest.fn<() => Promise<never>>();
  const client = { get } as unknown as Client;
  const log = { debug: get, info: get, warn: get, error: get, child: () => log } as never;
  const place = { secret: 'certificates', service: 'operator' };
  const certificate = new SecretCertificate(place, {
    client,
    log,
    namespace: () => namespace.promise,
  });
  const started = certificate.start(() => undefined);
  certificate.stop();
  namespace.resolve('default');
  await started;
  expect(get).not.toHaveBeenCalled();
  expect(jest.getTimerCount()).toBe(0);
  expect([certificate.bundle, certificate.service]).toEqual([undefined, undefined]);
  jest.useRealTimers();
});
