import type { JsonObject } from '@keelson/structural-schema';
import { objectAt, objectsAt } from '../../json/json-members.ts';

/** Sets the time of each taint without one. */
export function addTaintTimes(slice: JsonObject, { now }: { readonly now: string }): void {
  const devices = objectsAt(objectAt(slice, 'spec'), 'devices');
  for (const taint of devices.flatMap((device) => objectsAt(device, 'taints'))) {
    taint.timeAdded ??= now;
  }
}
