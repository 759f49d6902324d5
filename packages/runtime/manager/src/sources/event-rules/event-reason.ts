import type { InformerEvent } from '@keelson/informer';
import type { CauseReason } from '../../reconcile/cause.ts';

/** Returns the reason of the requests of an event. A resync announces an object without a change. */
export function reasonOf(event: InformerEvent): CauseReason {
  if (event.type === 'added') return event.initial ? 'initial' : 'added';
  if (event.type === 'deleted') return 'deleted';
  return event.previous.resourceVersion === event.object.resourceVersion ? 'resync' : 'updated';
}
