import type { ApiObject } from '../storage/api-object.ts';

/** Converts between one served version of a kind and its storage version. */
export interface Conversion {
  /** Both methods change the given object in place. It has no `apiVersion` or `kind`. */
  toStored(object: ApiObject): ApiObject;
  fromStored(object: ApiObject): ApiObject;
}

/** Converts `events.k8s.io/v1` from and to the stored core Event, which has other field names. */
export const eventConversion: Conversion = {
  toStored: (object) => ({
    // The core type writes these fields when they are empty.
    ...emptyReporter,
    ...renamed(object, eventNames),
  }),
  fromStored(object) {
    const event = renamed(object, storedEventNames);
    // Only the core type writes these fields when they are empty.
    for (const member of ['reportingController', 'reportingInstance']) {
      if (event[member] === '') delete event[member];
    }
    return event;
  },
};

const emptyReporter = { reportingComponent: '', reportingInstance: '' };

const eventNames: ReadonlyMap<string, string> = new Map([
  ['regarding', 'involvedObject'],
  ['note', 'message'],
  ['reportingController', 'reportingComponent'],
  ['deprecatedSource', 'source'],
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
]);

const storedEventNames: ReadonlyMap<string, string> = new Map(
  [...eventNames].map(([served, stored]) => [stored, served]),
);

function renamed(object: ApiObject, names: ReadonlyMap<string, string>): ApiObject {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [names.get(name) ?? name, value]),
  ) as ApiObject;
}
