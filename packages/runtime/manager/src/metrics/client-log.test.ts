import { describe, expect, test } from '@jest/globals';
import { clientLog } from './client-log.ts';
import { recordingLogger } from '../testing/fixtures.test-support.ts';

describe('the log of the client', () => {
  test('a failed refresh of credentials is logged once until the next success', () => {
    const { logger, lines } = recordingLogger();
    const observer = clientLog({}, logger);
    const fail = (): void => observer.credentialsFailed?.(new Error('the plugin is gone'));
    fail();
    fail();
    expect(lines).toMatchObject([{ level: 'warn', err: { message: 'the plugin is gone' } }]);
    observer.credentialsRefreshed?.({ changed: false });
    fail();
    expect(lines).toHaveLength(2);
  });

  test('the number of remembered warnings is bounded, and the oldest is logged again', () => {
    const { logger, lines } = recordingLogger();
    const observer = clientLog({}, logger);
    const warn = (text: string): void => observer.warning?.({ method: 'GET', path: '/', text });
    for (let at = 0; at <= 1000; at += 1) warn(`warning ${at}`);
    warn('warning 1000');
    expect(lines).toHaveLength(1001);
    warn('warning 0');
    expect(lines).toHaveLength(1002);
  });

  test('warnings and failures are also counted by the metrics', () => {
    const { lines, logger } = recordingLogger();
    const calls: string[] = [];
    const observer = clientLog(
      {
        warning: () => void calls.push('warning'),
        credentialsFailed: () => void calls.push('failed'),
        credentialsRefreshed: () => void calls.push('refreshed'),
        requestRetried: () => void calls.push('retried'),
        protobufRefused: () => void calls.push('refused'),
      },
      logger,
    );
    observer.warning?.({ method: 'GET', path: '/', text: 'old' });
    observer.credentialsFailed?.(undefined);
    observer.credentialsRefreshed?.({ changed: true });
    const request = { verb: 'get', method: 'GET', host: 'a', path: '/api' } as const;
    observer.requestRetried?.(request, { code: 429, delay: 1, attempt: 1 });
    const error = new Error('unknown field');
    observer.protobufRefused?.({ apiVersion: 'v1', kind: 'Pod', error });
    expect(calls).toEqual(['warning', 'failed', 'refreshed', 'retried', 'refused']);
    expect(lines.at(-1)).toMatchObject({ level: 'warn', apiVersion: 'v1', kind: 'Pod' });
  });
});
