import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import type { FakeCache } from '../testing/fake-cache.test-support.ts';
import { viewOf } from '../testing/fake-cache.test-support.ts';
import { nothing, objectOf, silent } from '../testing/fixtures.test-support.ts';
import { eventRateOf, type EventRate } from './event-rate.ts';
import { FightWatch } from './fight-watch.ts';
import { SourceGovernor } from './source-governor.ts';

type Event = Parameters<FakeCache['emit']>[1];

const { ConfigMap } = builtin;
const object = viewOf(objectOf(ConfigMap, 'a'));
const update: Event = {
  type: 'updated',
  previous: object,
  object,
  key: object.key,
  receivedAt: 0,
};

interface Call {
  readonly cluster: string | undefined;
  readonly options: { readonly signal: AbortSignal };
}

/** A governor whose watches hang until they are aborted. */
function governorOf(cluster: string | undefined): { governor: SourceGovernor; calls: Call[] } {
  const calls: Call[] = [];
  async function* watch(_resource: object, options: Call['options']): AsyncGenerator<never> {
    calls.push({ cluster, options });
    const { signal } = options;
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    yield* [];
  }
  const fights = new FightWatch({
    log: silent,
    observer: { eventDelayed: nothing, fieldManagersFight: nothing },
    clientOf: (given) => {
      expect(given).toBe(cluster);
      return { watch } as never;
    },
  });
  const rate = eventRateOf({ burst: 1 }, 'test') as EventRate;
  const inContext = (act: () => void): void => act();
  const facts = { source: 'watch ConfigMap', resource: ConfigMap, ofRequests: false };
  return { governor: new SourceGovernor({ ...facts, rate, fights, cluster, inContext }), calls };
}

describe('the governor of a source', () => {
  test.each([undefined, 'workload'])('watches the object in its cluster (%s)', (cluster) => {
    const { governor, calls } = governorOf(cluster);
    governor.delayed(update, 'default/a');
    const options = {
      namespace: 'default',
      fieldSelector: 'metadata.name=a',
      resourceVersion: '0',
    };
    expect(calls).toMatchObject([{ cluster, options }]);
    governor.close();
  });

  test('close aborts the request', () => {
    const { governor, calls } = governorOf(undefined);
    governor.delayed(update, 'default/a');
    const { signal } = calls[0]?.options ?? {};
    expect(signal?.aborted).toBe(false);
    governor.close();
    expect(signal?.aborted).toBe(true);
  });
});
