import type { ApiServer } from '@keelson/apiserver';
import type { Workloads, WorkloadsOptions } from '@keelson/workloads';
import type { NewUser, TestUser } from '../environment/test-environment.ts';

/** Workloads that run, and the end of their manager. */
export interface RunningWorkloads {
  readonly workloads: Workloads;
  stop(): Promise<void>;
}

/** The user as which the controllers of workloads send their requests. */
const USER = 'system:keelson:workloads';

/**
 * Starts a manager with the controllers of workloads. The manager is loaded here, so that environments without workloads do
 * not load it. Throws `INVALID_OPTION`.
 */
export async function startWorkloads(
  addUser: (user: NewUser) => Promise<TestUser>,
  options: WorkloadsOptions,
  server: ApiServer,
): Promise<RunningWorkloads> {
  const [{ createLogger, createManager }, { addWorkloads }] = await Promise.all([
    import('@keelson/manager'),
    import('@keelson/workloads'),
  ]);
  const { cluster } = await addUser({ name: USER, groups: ['system:masters'] });
  const manager = createManager({
    cluster,
    logger: createLogger({ level: 'error' }),
    stopSignals: [],
  });
  try {
    const workloads = addWorkloads(manager, options);
    const stopped = manager.start();
    await manager.started;
    return {
      workloads,
      stop: async () => {
        await manager.stop();
        await stopped;
      },
    };
  } catch (error) {
    await manager.stop();
    await server.close();
    throw error;
  }
}
