import { createServer } from 'node:http';
import { once } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import type { Manager, Request } from '@keelson/manager';
import { eventually, gate, managersOfTest, running } from './testing/fixtures.test-support.ts';

const managers = managersOfTest();
const rendered: string[] = [];

/** Ends early when the signal aborts. */
async function render({ name }: Request, signal: AbortSignal): Promise<void> {
  if (name === 'slow') await once(signal, 'abort');
  rendered.push(name);
}

// #region main
/** Runs until SIGTERM or SIGINT. The exit code reports whether the stop was clean. */
async function main(manager: Manager, signal?: AbortSignal): Promise<number> {
  try {
    await manager.start({ ...(signal && { signal }) });
    return 0;
  } catch (error) {
    console.error('the operator failed', error);
    return 1;
  }
}
// #endregion

// #region reconcile
function addWorker(manager: Manager) {
  return manager.addController({
    name: 'worker',
    async reconcile(request, { signal }) {
      await render(request, signal);
    },
  });
}
// #endregion

// #region runnable
function addReceiver(manager: Manager, port: number): void {
  manager.addRunnable({
    name: 'receiver',
    phase: 'always',
    async run({ signal, log }) {
      const server = createServer((_request, response) => response.end('ok'));
      server.listen(port, () => log.info({ address: server.address() }, 'receiver listens'));
      signal.addEventListener('abort', () => server.close());
      await once(server, 'close');
    },
  });
}
// #endregion

describe('the guide to shutdown', () => {
  test('start resolves after a clean stop', async () => {
    const manager = managers.make();
    const stop = new AbortController();
    const exit = main(manager, stop.signal);
    await manager.started;
    stop.abort();
    expect(await exit).toBe(0);
  });

  test('a reconcile that ignores its signal is reported', async () => {
    const manager = managers.make({ gracePeriod: 20 });
    const [began, end] = [gate(), gate()];
    const controller = manager.addController({
      name: 'deaf',
      async reconcile() {
        began.open();
        await end.opened;
      },
    });
    const stopped = manager.start();
    const reported = expect(stopped).rejects.toMatchObject({ code: 'STOP_DEADLINE_EXCEEDED' });
    controller.enqueue({ name: 'x' });
    await began.opened;
    void manager.stop();
    await reported;
    end.open();
  });

  test('a reconcile that passes its signal on ends within the grace period', async () => {
    const manager = managers.make({ gracePeriod: 200 });
    const controller = addWorker(manager);
    const end = manager.start();
    controller.enqueue({ name: 'quick' });
    controller.enqueue({ name: 'slow' });
    await eventually(() => rendered.includes('quick') && controller.running === 1);
    void manager.stop();
    await end;
    expect(rendered).toContain('slow');
  });

  test('a runnable closes its server when its signal aborts', async () => {
    const manager = managers.make();
    addReceiver(manager, 0);
    await running(manager);
    await manager.stop();
  });
});
