import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, test } from '@jest/globals';
import { eventually, managersOfTest, running } from '../testing/fixtures.test-support.ts';

const managers = managersOfTest();
const storage = new AsyncLocalStorage<string>();

describe('the async context of user code', () => {
  test('a runnable runs in the context in which it was added, before the start and after it', async () => {
    const { manager } = managers.make();
    const seen: (string | undefined)[] = [];
    const run = (): void => void seen.push(storage.getStore());
    storage.run('early', () => manager.addRunnable({ name: 'early', run }));
    manager.addRunnable({ name: 'plain', run });
    await storage.run('start', () => running(manager));
    storage.run('late', () => manager.addRunnable({ name: 'late', run }));
    await eventually(() => seen.length === 3);
    expect(seen).toEqual(['early', undefined, 'late']);
  });

  test('a runnable that another runnable added may stop the manager without a wait for that one', async () => {
    const { manager } = managers.make({ gracePeriod: '1m' });
    manager.addRunnable({
      name: 'outer',
      run() {
        manager.addRunnable({ name: 'inner', run: () => manager.stop() });
      },
    });
    await manager.start();
  });

  test('a health check runs in the context in which it was added', async () => {
    const { manager } = managers.make({ servers: { host: '127.0.0.1', health: 0 } });
    let seen: string | undefined;
    const check = (): void => void (seen = storage.getStore());
    storage.run('check', () => manager.addHealthCheck('mine', check));
    await storage.run('start', () => running(manager));
    await fetch(`http://127.0.0.1:${manager.ports.health}/healthz`);
    expect(seen).toBe('check');
  });
});
