import type { AccessRule, ListerWatcher } from '../contract/lister-watcher.ts';
import { subjectOf } from '../contract/normal-query.ts';
import type { HealthRecord, WatchHealth } from '../contract/watch-health.ts';
import { selectionOf } from '../contract/watch-part.ts';
import type { InformerOptions } from './informer-options.ts';
import { Reflector, type ReflectorOptions } from '../reflector/reflector.ts';

/** Creates the reflector of an informer, which reports to the observer of the cache. */
export function reflectorOf(
  options: InformerOptions,
  parts: Pick<ReflectorOptions, 'sink' | 'health' | 'listerWatcher'>,
): Reflector {
  const { identity, observer, support, spread, starts, pageSize, clock } = options;
  explainForbidden(parts.health, parts.listerWatcher);
  return new Reflector({
    ...parts,
    subject: subjectOf(identity.query),
    support,
    spread,
    starts,
    settings: {
      get pageSize() {
        return pageSize();
      },
      get selection() {
        return selectionOf(options.part);
      },
    },
    clock,
    now: clock.monotonic.bind(clock),
    observer: {
      listing: (cause) => observer.listing?.(identity, cause),
      restarting: (cause) => observer.restarting?.(identity, cause),
      error: (error) => observer.watchError?.(identity, error),
      loopRestarted: (error) => observer.loopRestarted?.(identity, error),
    },
  });
}

/** Adds the missing rule of RBAC to the health of a watch that becomes forbidden, if the source can determine it. */
function explainForbidden(health: HealthRecord, listerWatcher: () => ListerWatcher): void {
  const stop = new AbortController();
  let explained = 0;
  const changed = (current: WatchHealth): void => {
    if (current.state === 'stopped') stop.abort();
    if (current.state !== 'forbidden' || current.attempts === explained) return;
    explained = current.attempts;
    void explain(current, health, () =>
      listerWatcher().missingRule?.(current.verb ?? 'list', stop.signal),
    );
  };
  health.onChange(changed, () => undefined);
}

async function explain(
  { verb, lastError }: WatchHealth,
  health: HealthRecord,
  find: () => Promise<AccessRule | undefined> | undefined,
): Promise<void> {
  try {
    const rule = await find();
    if (rule !== undefined) health.explain(verb, `${userOf(lastError)} ${textOf(rule)}`);
  } catch {
    // The health keeps its reason without the rule.
  }
}

/** Returns the name of the user from the message of a 403, which every API server writes there. */
function userOf(error: Error | undefined): string {
  const [, user] = /User "([^"]*)"/.exec(error?.message ?? '') ?? [];
  return `the rules of ${user ?? 'its user'} lack`;
}

function textOf({ apiGroups, resources, verbs }: AccessRule): string {
  const [groups, plurals, actions] = [apiGroups, resources, verbs].map((list) =>
    Array.from(list, (each) => `'${each}'`).join(', '),
  );
  return `{ apiGroups: [${groups}], resources: [${plurals}], verbs: [${actions}] }`;
}
