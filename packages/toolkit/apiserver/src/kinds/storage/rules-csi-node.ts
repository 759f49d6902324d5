import type { StatusCause } from '@keelson/apimachinery';
import { checkQualifiedName } from '@keelson/cel/internal';
import {
  childPath,
  duplicate,
  type FieldPath,
  indexPath,
  invalid,
  jsonEquals,
  type JsonObject,
  required,
} from '@keelson/structural-schema';
import { objectAt, objectsAt, textAt, textsAt } from '../../json/json-members.ts';
import { builtinStruct } from '../../schema/builtin-types.ts';
import { atLeastZero, without } from '../../schema/validation-rule.ts';
import { validateDriverName } from '../shared/rules-driver-name.ts';
import { shownStruct } from '../shared/shown-struct.ts';

const MAX_NODE_ID_BYTES = 256;

/** Validates a CSINode except its metadata. */
export function validateCsiNode(node: JsonObject): StatusCause[] {
  const drivers = driversOf(node);
  const names = drivers.map((driver) => textAt(driver, 'name'));
  return drivers.flatMap((driver, index) => {
    const path = indexPath('spec.drivers', index);
    const name = names[index] ?? '';
    return [
      ...validateDriverName(name, childPath(path, 'name')),
      ...validateNodeId(textAt(driver, 'nodeID'), childPath(path, 'nodeID')),
      ...atLeastZero(objectAt(driver, 'allocatable'), childPath(path, 'allocatable'), 'count'),
      ...(names.indexOf(name) < index ? [duplicate(childPath(path, 'name'), name)] : []),
      ...validateTopology(textsAt(driver, 'topologyKeys'), path),
    ];
  });
}

/** Only the number of volumes of a driver changes while the node has the driver. */
export function validateCsiNodeChange(next: JsonObject, old: JsonObject): StatusCause[] {
  const type = builtinStruct('storage.v1.CSINodeDriver');
  return driversOf(old).flatMap((before) =>
    driversOf(next)
      .filter(({ name }) => name === before.name)
      .map((driver) => without(driver, 'allocatable'))
      .filter((driver) => !jsonEquals(driver, without(before, 'allocatable')))
      .map((driver) => invalid('spec.drivers', shownStruct(type, driver), 'field is immutable')),
  );
}

function driversOf(node: JsonObject): JsonObject[] {
  return objectsAt(objectAt(node, 'spec'), 'drivers');
}

function validateNodeId(id: string, path: FieldPath): StatusCause[] {
  if (id === '') return [required(path)];
  if (Buffer.byteLength(id) <= MAX_NODE_ID_BYTES) return [];
  return [invalid(path, id, `must be ${MAX_NODE_ID_BYTES} characters or less`)];
}

/** kube-apiserver names the driver in place of the key. */
function validateTopology(keys: readonly string[], path: FieldPath): StatusCause[] {
  return keys.flatMap((key, index) => [
    ...(key === '' ? [required(path)] : []),
    ...(keys.indexOf(key) < index ? [duplicate(path, key)] : []),
    ...checkQualifiedName(key).map((detail) => invalid(path, key, detail)),
  ]);
}
