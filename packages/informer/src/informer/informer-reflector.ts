import { subjectOf } from '../contract/normal-query.ts';
import type { InformerOptions } from './informer-options.ts';
import { Reflector, type ReflectorOptions } from '../reflector/reflector.ts';

/** Creates the reflector of an informer, which reports to the observer of the cache. */
export function reflectorOf(
  options: InformerOptions,
  parts: Pick<ReflectorOptions, 'sink' | 'health' | 'listerWatcher'>,
): Reflector {
  const { identity, observer, support, spread, pageSize, now, random } = options;
  return new Reflector({
    ...parts,
    subject: subjectOf(identity.query),
    support,
    spread,
    pageSize,
    now,
    random,
    observer: {
      listing: (cause) => observer.listing?.(identity, cause),
      restarting: (cause) => observer.restarting?.(identity, cause),
      error: (error) => observer.watchError?.(identity, error),
      loopRestarted: (error) => observer.loopRestarted?.(identity, error),
    },
  });
}
