import type { StatusCause } from '@keelson/apimachinery';
import { checkQualifiedName, checkSubdomain } from '@keelson/cel/internal';
import {
  invalid,
  isNumeric,
  jsonEquals,
  type JsonObject,
  type JsonValue,
  required,
} from '@keelson/structural-schema';
import { objectAt, textAt } from '../../json/json-members.ts';

const MAX_TEXT = 128;
const MAX_MESSAGE = 1024;

/** Validates a core Event except its metadata. Events without a time have few rules. */
export function validateCoreEvent(event: JsonObject): StatusCause[] {
  return validateStored(event, 'reportingComponent');
}

/** Validates an Event of `events.k8s.io`. kube-apiserver names the fields of the stored core Event. */
export function validateEvent(event: JsonObject): StatusCause[] {
  return validateStored(storedForm(event), 'reportingController');
}

/** Validates the rest of a new Event of `events.k8s.io`, after its metadata. */
export function validateNewEvent(event: JsonObject): StatusCause[] {
  return validateNew(storedForm(event));
}

/** The members that have another name in the stored form. */
const storedNames: Readonly<Record<string, string>> = {
  regarding: 'involvedObject',
  note: 'message',
  reportingController: 'reportingComponent',
  deprecatedSource: 'source',
  deprecatedFirstTimestamp: 'firstTimestamp',
  deprecatedLastTimestamp: 'lastTimestamp',
  deprecatedCount: 'count',
};

function storedForm(event: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(event).map(([name, value]) => [storedNames[name] ?? name, value]),
  );
}

function validateStored(event: JsonObject, controllerPath: string): StatusCause[] {
  const namespace = textAt(objectAt(event, 'metadata'), 'namespace');
  const subject = textAt(objectAt(event, 'involvedObject'), 'namespace');
  const isTimed = isPresent(event.eventTime);
  const isForeign = isTimed
    ? subject === '' && namespace !== 'default' && namespace !== 'kube-system'
    : subject !== namespace && !(subject === '' && namespace === 'default');
  const path = 'involvedObject.namespace';
  return [
    ...(isForeign ? [invalid(path, subject, 'does not match event.namespace')] : []),
    ...(isTimed ? validateTimed(event, controllerPath) : []),
    ...checkSubdomain(namespace).map((detail) => invalid('namespace', namespace, detail)),
  ];
}

function validateTimed(event: JsonObject, controllerPath: string): StatusCause[] {
  const controller = textAt(event, 'reportingComponent');
  return [
    ...(controller === '' ? [required(controllerPath)] : []),
    ...checkQualifiedName(controller).map((detail) => invalid(controllerPath, controller, detail)),
    ...['reportingInstance', 'action', 'reason'].flatMap((field) =>
      textAt(event, field) === '' ? [required(field)] : shortEnough(event, field, MAX_TEXT),
    ),
    ...shortEnough(event, 'message', MAX_MESSAGE),
  ];
}

function shortEnough(event: JsonObject, field: string, most: number): StatusCause[] {
  if (Buffer.byteLength(textAt(event, field)) <= most) return [];
  return [invalid(field, '', `can have at most ${most} characters`)];
}

function isPresent(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null;
}

function validateNew(event: JsonObject): StatusCause[] {
  const type = textAt(event, 'type');
  const { component, host } = objectAt(event, 'source');
  const unset = {
    firstTimestamp: isPresent(event.firstTimestamp),
    lastTimestamp: isPresent(event.lastTimestamp),
    count: Number(event.count ?? 0) !== 0,
    source: component !== undefined || host !== undefined,
  };
  return [
    ...validateSeries(event),
    ...(isPresent(event.eventTime) ? [] : [required('eventTime')]),
    ...(type === 'Normal' || type === 'Warning'
      ? []
      : [invalid('type', '', `has invalid value: ${type}`)]),
    ...Object.entries(unset)
      .filter(([, isSet]) => isSet)
      .map(([field]) => invalid(field, '', 'needs to be unset')),
  ];
}

function validateSeries(event: JsonObject): StatusCause[] {
  if (event.series === undefined) return [];
  const { count = 0, lastObservedTime } = objectAt(event, 'series');
  return [
    ...(isNumeric(count) && count < 2 ? [invalid('series.count', '', 'should be at least 2')] : []),
    ...(isPresent(lastObservedTime) ? [] : [required('series.lastObservedTime')]),
  ];
}

/** The immutable members, in the order of kube-apiserver, which compares the reason twice. */
const immutableMembers = [
  'involvedObject',
  'reason',
  'message',
  'source',
  'firstTimestamp',
  'lastTimestamp',
  'count',
  'reason',
  'type',
  'eventTime',
  'action',
  'related',
  'reportingController',
  'reportingInstance',
];

/** Of an Event of `events.k8s.io` only the series, the labels and the annotations change. */
export function validateEventChange(event: JsonObject, old: JsonObject): StatusCause[] {
  const [next, before] = [storedForm(event), storedForm(old)];
  const isSameSeries = jsonEquals(next.series, before.series);
  return [
    ...(isSameSeries ? [] : validateSeries(next)),
    ...immutableMembers.flatMap((field) => {
      const member = field === 'reportingController' ? 'reportingComponent' : field;
      const [value, was] = [shown(field, next[member]), shown(field, before[member])];
      return jsonEquals(value, was) ? [] : [invalid(field, value, 'field is immutable')];
    }),
  ];
}

/** The value as kube-apiserver prints it: its internal structs have other member names. */
function shown(field: string, value: JsonValue | undefined): JsonValue {
  switch (field) {
    case 'source': {
      const { component = '', host = '' } = (value ?? {}) as JsonObject;
      return { Component: component, Host: host };
    }
    case 'involvedObject':
      return shownReference((value ?? {}) as JsonObject);
    case 'related':
      return value === undefined ? null : shownReference(value as JsonObject);
    case 'count':
      return value ?? 0;
    case 'firstTimestamp':
    case 'lastTimestamp':
    case 'eventTime':
      return value ?? null;
    default:
      return value ?? '';
  }
}

function shownReference(reference: JsonObject): JsonObject {
  return {
    APIVersion: textAt(reference, 'apiVersion'),
    FieldPath: textAt(reference, 'fieldPath'),
    Kind: textAt(reference, 'kind'),
    Name: textAt(reference, 'name'),
    Namespace: textAt(reference, 'namespace'),
    ResourceVersion: textAt(reference, 'resourceVersion'),
    UID: textAt(reference, 'uid'),
  };
}
