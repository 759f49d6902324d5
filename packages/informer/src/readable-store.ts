import {
  normalFieldSelector,
  normalLabelSelector,
  resourceId,
  type ApiResource,
} from '@keelson/apimachinery';
import { informerError } from './errors.ts';
import type { Informer } from './informer.ts';
import type { Store } from './store.ts';

/** What a read asks for, as far as it decides which watch can answer. */
interface Asked {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/**
 * The store of a watch that holds everything a read asks for; where a kind has a single watch, and a
 * narrower one, that is what the process knows of the kind. Throws `NOT_WATCHED` with what there is
 * instead, or `NOT_SYNCED`.
 */
export function readableStore(
  informers: readonly Informer[],
  resource: ApiResource,
  asked: Asked,
): Store {
  const whole = informers.filter(({ identity }) => identity.query.projection === 'full');
  const covering = whole.filter((informer) => covers(informer, asked));
  const synced = covering.find((informer) => informer.hasSynced);
  if (synced !== undefined) return synced.store;
  const informer = covering[0] ?? onlyOne(whole, asked);
  if (informer === undefined) throw notWatched(informers, resource, asked);
  if (informer.hasSynced) return informer.store;
  const { state, reason } = informer.health.current;
  throw informerError('NOT_SYNCED', { resource: resourceId(resource), state, reason });
}

function covers({ identity }: Informer, asked: Asked): boolean {
  const { namespace, labelSelector, fieldSelector } = identity.query;
  return (
    (namespace === undefined || namespace === asked.namespace) &&
    (labelSelector === undefined ||
      labelSelector === normalLabelSelector(asked.labelSelector ?? '')) &&
    (fieldSelector === undefined ||
      fieldSelector === normalFieldSelector(asked.fieldSelector ?? ''))
  );
}

function onlyOne(informers: readonly Informer[], asked: Asked): Informer | undefined {
  const [informer, ...others] = informers;
  if (informer === undefined || others.length > 0) return undefined;
  const { namespace } = informer.identity.query;
  const reaches =
    namespace === undefined || asked.namespace === undefined || namespace === asked.namespace;
  return reaches ? informer : undefined;
}

function notWatched(informers: readonly Informer[], resource: ApiResource, asked: Asked): Error {
  return informerError('NOT_WATCHED', {
    resource: resourceId(resource),
    ...(asked.namespace === undefined ? {} : { namespace: asked.namespace }),
    watched: informers.map(({ identity }) => identity.id),
    declare: 'acquire a handle, or name the kind in a controller: for, owns or watches',
  });
}
