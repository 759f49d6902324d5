import type { Cluster } from '@keelson/client';
import { createLogger, type Manager, type ManagerOptions } from '@keelson/manager';

/** Starts the manager that `create` returns, without logs. Resolves when it has started; disposing of it stops it. */
export async function runManager(
  cluster: Cluster,
  create: (options: ManagerOptions) => Manager,
): Promise<AsyncDisposable> {
  const logger = createLogger({ level: 'silent' });
  const manager = create({ cluster, logger, stopSignals: [] });
  const running = manager.start();
  await Promise.race([manager.started, running]);
  return {
    async [Symbol.asyncDispose]() {
      await manager.stop();
      await running;
    },
  };
}
