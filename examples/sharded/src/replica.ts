import { createLogger } from '@keelson/manager';
import { createOperator } from './operator.ts';

/**
 * The program of one replica: `replica.ts SERVER NAME`. It prints `joined`, and the code of the error that ended it.
 * SIGTERM stops it.
 */
const [server = '', name = ''] = process.argv.slice(2);
const manager = createOperator(name, {
  cluster: { server },
  logger: createLogger({ level: 'silent' }),
  sharding: {
    name: 'worker',
    by: 'name',
    namespace: 'default',
    // Shorter than the defaults, so that the effects are visible within seconds.
    leaseDuration: '10s',
    renewDeadline: '8s',
    retryPeriod: '1s',
  },
});
const ended = manager.start();
manager.started.then(
  () => console.log('joined'),
  () => undefined,
);
try {
  await ended;
} catch (error) {
  console.log(error instanceof Error && 'code' in error ? String(error.code) : String(error));
  process.exitCode = 1;
}
