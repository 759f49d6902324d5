import { isPromised, promiseOf } from '@keelson/apimachinery';
import { nodeUtil } from './node-util.ts';

type Method = (...given: unknown[]) => unknown;

/**
 * The only guard of this package around observers. An error that a method throws, or the rejection of its promise,
 * affects neither the request nor other observers. The first error of each method becomes a process warning
 * (`OBSERVER_FAILED`): the observer itself is the only place for reports.
 */
export function guardedObserver<Observer extends object>(
  observer: Observer,
  methods: readonly (keyof Observer & string)[],
): Observer {
  const guarded = methods.flatMap((name) => {
    const method: unknown = observer[name];
    if (typeof method !== 'function') return [];
    return [[name, guardedMethod(name, method.bind(observer) as Method)]];
  });
  return Object.fromEntries(guarded) as Observer;
}

function guardedMethod(name: string, method: Method): Method {
  let hasFailed = false;
  const failed = (error: unknown): void => {
    if (hasFailed) return;
    hasFailed = true;
    process.emitWarning(`the observer's ${name} failed: ${nodeUtil.inspect(error)}`, {
      type: 'KeelsonWarning',
      code: 'OBSERVER_FAILED',
    });
  };
  return (...given) => {
    try {
      const result = method(...given);
      if (isPromised(result)) promiseOf(result).catch(failed);
    } catch (error) {
      failed(error);
    }
  };
}
