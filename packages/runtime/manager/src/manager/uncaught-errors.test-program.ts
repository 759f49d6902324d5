import { createInformerCache } from '@keelson/informer';
import { createLogger, createManager } from '../index.ts';

// Run by uncaught-errors.process.test.ts. It has no cluster and no watch.
const [, , handled] = process.argv;
const manager = createManager({
  cluster: { server: 'http://127.0.0.1:1' },
  cache: createInformerCache({
    listerWatcher: () => {
      throw new Error('nothing is watched');
    },
  }),
  logger: createLogger({ level: 'error', write: (line) => process.stdout.write(`${line}\n`) }),
});
const controller = manager.addController({
  name: 'careless',
  reconcile({ name }) {
    const error = new Error(`from ${name}`);
    if (name === 'rejection') void Promise.reject(error);
    else setImmediate(() => void fails(error));
  },
});
let uncaught = 0;
if (handled === 'handled') {
  process.on('uncaughtException', () => {
    uncaught += 1;
    if (uncaught === 3) void end();
  });
}
manager.start().catch(() => undefined);
await manager.started;
controller.enqueue({ name: 'rejection' });
controller.enqueue({ name: 'timer' });
// Thrown outside a reconcile, so it is not counted.
setImmediate(() => void fails(new Error('from elsewhere')));

async function end(): Promise<void> {
  const metric = manager.registry.getSingleMetric('controller_runtime_reconcile_panics_total');
  const { values } = (await metric?.get()) ?? { values: [] };
  process.stdout.write(`${JSON.stringify({ panics: values[0]?.value })}\n`);
  await manager.stop();
}

function fails(error: Error): never {
  throw error;
}
