import { describe, expect, test } from '@jest/globals';
import type { KubernetesObject } from '@keelson/apimachinery';
import { createLogger } from './logger.ts';
import { eventually, managersOfTest, running } from '../testing/fixtures.test-support.ts';
import { requestFacts } from './request-facts.ts';

const managers = managersOfTest();

describe('the members of a request in log lines', () => {
  test('have their own names, except those of facts of Keelson and of loggers', () => {
    const request = { namespace: 'a', name: 'b', tenant: 'c', controller: 'd', level: 'e' };
    expect(requestFacts(request)).toEqual({
      namespace: 'a',
      name: 'b',
      tenant: 'c',
      'request.controller': 'd',
      'request.level': 'e',
    });
  });

  test('of a request that cannot be read are left out', () => {
    const request = Object.defineProperty({ name: 'a' }, 'odd', {
      enumerable: true,
      get() {
        throw new Error('odd');
      },
    });
    expect(requestFacts(request)).toEqual({ request: '(cannot be read)' });
  });

  test('replace no fact of a line of the controller, of the run or of the user', async () => {
    const lines: Record<string, unknown>[] = [];
    const logger = createLogger({ write: (line) => lines.push(JSON.parse(line)) });
    const { manager } = managers.make({ logger });
    const request = {
      name: 'a',
      controller: 'other',
      reconcileId: 'other',
      cluster: 'other',
      attempt: 'other',
      err: 'other',
      time: 'other',
      level: 'other',
      message: 'other',
      __proto__: null,
    };
    const controller = manager.addController<KubernetesObject, undefined, typeof request>({
      name: 'own',
      keyOf: ({ name }) => name,
      backoff: { base: '1h', max: '1h' },
      reconcile(_request, { log }) {
        log.info({ step: 1 }, 'begins');
        throw new Error('fails');
      },
    });
    await running(manager);
    controller.enqueue(request);
    await eventually(() => lines.some(({ message }) => message === 'reconcile failed'));
    const begins = lines.find(({ message }) => message === 'begins');
    const failed = lines.find(({ message }) => message === 'reconcile failed');
    const facts = {
      controller: 'own',
      'request.controller': 'other',
      reconcileId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      time: expect.stringMatching(/^\d{4}-/),
    };
    expect(begins).toMatchObject({ ...facts, level: 'info', step: 1 });
    expect(begins).not.toHaveProperty('err');
    expect(begins).not.toHaveProperty('cluster');
    expect(failed).toMatchObject({ ...facts, level: 'error', attempt: 1, err: { name: 'Error' } });
  });
});
