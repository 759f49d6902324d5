import type { StatusCause } from '@keelson/apimachinery';
import { checkDnsLabel, checkSubdomain } from '@keelson/cel/internal';
import {
  childPath,
  type FieldPath,
  invalid,
  jsonEquals,
  type JsonObject,
  type JsonValue,
  required,
  tooLong,
} from '@keelson/structural-schema';
import { objectAt, objectsAt, textAt } from '../../json/json-members.ts';
import { builtinStruct } from '../../schema/builtin-types.ts';
import { validateNodeSelector } from '../pods/rules-placement.ts';
import { validateDriverName } from '../shared/rules-driver-name.ts';
import { shownStruct } from '../shared/shown-struct.ts';
import { distinct } from './bounded-lists.ts';
import { validateCounters } from './rules-counters.ts';
import { validateDevice } from './rules-device.ts';

const MAX_DEVICES = 128;
/** Most devices of a slice in which one has taints, counters or lists. */
const MAX_RICH_DEVICES = 64;
const MAX_COUNTER_SETS = 8;
const MAX_SET_COUNTERS = 32;
const MAX_POOL_BYTES = 253;

/** Validates a ResourceSlice except its metadata. An update may not move the slice to another node or pool. */
export function validateResourceSlice(slice: JsonObject, old?: JsonObject): StatusCause[] {
  const [spec, before] = [objectAt(slice, 'spec'), objectAt(old ?? {}, 'spec')];
  return [
    ...validateDriverName(textAt(spec, 'driver'), 'spec.driver'),
    ...validatePool(objectAt(spec, 'pool'), 'spec.pool'),
    ...(old === undefined ? [] : validatePlaceChange(spec, before)),
    ...validateNodes(spec),
    ...validateDevices(spec, before),
  ];
}

function validatePool(pool: JsonObject, path: FieldPath): StatusCause[] {
  const name = textAt(pool, 'name');
  const { resourceSliceCount: count = 0, generation = 0 } = pool;
  return [
    ...validatePoolName(name, childPath(path, 'name')),
    ...(Number(count) > 0
      ? []
      : [invalid(childPath(path, 'resourceSliceCount'), count, 'must be greater than zero')]),
    ...(Number(generation) >= 0
      ? []
      : [
          invalid(
            childPath(path, 'generation'),
            generation,
            'must be greater than or equal to zero',
          ),
        ]),
  ];
}

/** A pool has a name of one or more domains: `example.com/node-1`. */
function validatePoolName(name: string, path: FieldPath): StatusCause[] {
  if (name === '') return [required(path)];
  return [
    ...(Buffer.byteLength(name) > MAX_POOL_BYTES ? [tooLong(path, MAX_POOL_BYTES)] : []),
    ...name
      .split('/')
      .flatMap((part) => checkSubdomain(part).map((detail) => invalid(path, part, detail))),
  ];
}

function validatePlaceChange(spec: JsonObject, before: JsonObject): StatusCause[] {
  const pool = objectAt(spec, 'pool').name;
  return [
    ...unchanged(pool, objectAt(before, 'pool').name, 'spec.pool.name'),
    ...unchanged(spec.driver, before.driver, 'spec.driver'),
    ...unchanged(spec.nodeName, before.nodeName, 'spec.nodeName'),
  ];
}

function unchanged(
  value: JsonValue | undefined,
  before: JsonValue | undefined,
  path: FieldPath,
): StatusCause[] {
  return jsonEquals(value, before) ? [] : [invalid(path, value, 'field is immutable')];
}

/** The nodes that can use the devices, which one field of the slice or each device names. */
function validateNodes(spec: JsonObject): StatusCause[] {
  const { nodeName } = spec;
  const causes: StatusCause[] = [];
  if (nodeName === '') {
    const detail = 'must be either unset or set to a non-empty string';
    causes.push(invalid('spec.nodeName', '', detail));
  } else if (typeof nodeName === 'string') {
    causes.push(
      ...checkSubdomain(nodeName).map((each) => invalid('spec.nodeName', nodeName, each)),
    );
  }
  if (spec.nodeSelector !== undefined) causes.push(...validateOneTerm(spec));
  for (const name of ['allNodes', 'perDeviceNodeSelection']) {
    const path = childPath('spec', name);
    if (spec[name] === false) {
      causes.push(invalid(path, false, 'must be either unset or set to true'));
    }
  }
  return [...causes, ...validateChoice(spec)];
}

function validateOneTerm(spec: JsonObject): StatusCause[] {
  const selector = objectAt(spec, 'nodeSelector');
  const terms = objectsAt(selector, 'nodeSelectorTerms');
  const path = 'spec.nodeSelector';
  const field = childPath(path, 'nodeSelectorTerms');
  const type = builtinStruct('core.v1.NodeSelectorTerm');
  const shown = terms.map((term) => shownStruct(type, term));
  return [
    ...validateNodeSelector(selector, path),
    ...(terms.length === 1
      ? []
      : [invalid(field, shown, 'must have exactly one node selector term')]),
  ];
}

const choices = ['nodeName', 'nodeSelector', 'allNodes', 'perDeviceNodeSelection'];

function validateChoice(spec: JsonObject): StatusCause[] {
  const chosen = choices.filter((name) => (spec[name] ?? false) !== false && spec[name] !== '');
  const detail = `exactly one of ${choices.map((name) => `\`${name}\``).join(', ')} is required`;
  if (chosen.length === 1) return [];
  if (chosen.length === 0) return [required('spec', detail)];
  const shown = `{${chosen.map((name) => `\`${name}\``).join(', ')}}`;
  return [invalid('spec', shown, `${detail}, but multiple fields are set`)];
}

function validateDevices(spec: JsonObject, before: JsonObject): StatusCause[] {
  const devices = objectsAt(spec, 'devices');
  const known = new Map(objectsAt(before, 'devices').map((device) => [device.name, device]));
  const isRich = devices.some(
    (device) =>
      objectsAt(device, 'taints').length > 0 || objectsAt(device, 'consumesCounters').length > 0,
  );
  const choosesNodes = spec.perDeviceNodeSelection === true;
  const onlyOne = 'only one of `sharedCounters` or `devices` is allowed';
  return [
    ...(spec.sharedCounters !== undefined && spec.devices !== undefined
      ? [invalid('spec', '', onlyOne)]
      : []),
    ...distinct(devices, isRich ? MAX_RICH_DEVICES : MAX_DEVICES, 'spec.devices', {
      keyOf: (device) => textAt(device, 'name'),
      validate: (device, path) =>
        validateDevice(device, path, { old: known.get(device.name ?? ''), choosesNodes }),
    }),
    ...distinct(objectsAt(spec, 'sharedCounters'), MAX_COUNTER_SETS, 'spec.sharedCounters', {
      keyOf: (set) => textAt(set, 'name'),
      validate: validateCounterSet,
    }),
  ];
}

function validateCounterSet(set: JsonObject, path: FieldPath): StatusCause[] {
  const name = textAt(set, 'name');
  const field = childPath(path, 'name');
  return [
    ...(name === ''
      ? [required(field)]
      : checkDnsLabel(name).map((detail) => invalid(field, name, detail))),
    ...validateCounters(objectAt(set, 'counters'), MAX_SET_COUNTERS, childPath(path, 'counters')),
  ];
}

/** Warns of a driver whose name has capital letters. */
export function sliceWarnings(slice: JsonObject): string[] {
  const driver = textAt(objectAt(slice, 'spec'), 'driver');
  if (driver === driver.toLowerCase()) return [];
  const quoted = JSON.stringify(driver);
  return [`spec.driver: driver names should be lowercase; ${quoted} contains uppercase characters`];
}
