import { once } from 'node:events';
import { createInformerCache } from '@keelson/informer';
import { createManager } from '../index.ts';

// Run by process-signals.process.test.ts, which sends the signals. It has no cluster and no watch.
const manager = createManager({
  cluster: { server: 'http://127.0.0.1:1' },
  cache: createInformerCache({
    listerWatcher: () => {
      throw new Error('nothing is watched');
    },
  }),
  gracePeriod: 300,
  logger: {
    debug() {},
    info(_facts, message) {
      if (message === 'stopping') process.stdout.write('stopping\n');
    },
    warn() {},
    error() {},
    child() {
      return this;
    },
  },
});
const controller = manager.addController({
  name: 'slow',
  async reconcile(_request, { signal }) {
    process.stdout.write('reconciling\n');
    await once(signal, 'abort');
  },
});
controller.enqueue({ name: 'a' });
await manager.start();
process.stdout.write('ended\n');
