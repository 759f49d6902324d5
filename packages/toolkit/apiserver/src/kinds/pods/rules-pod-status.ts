import { objectAt, objectsAt, textAt } from '../../json/json-members.ts';
import { isIP } from 'node:net';
import type { StatusCause } from '@keelson/apimachinery';
import { checkQualifiedName, checkSubdomain } from '@keelson/cel/internal';
import {
  childPath,
  type FieldPath,
  forbidden,
  indexPath,
  invalid,
  jsonEquals,
  type JsonObject,
} from '@keelson/structural-schema';
import { validName } from '../../schema/validation-rule.ts';

/** Conditions of Kubernetes itself, whose type names are not validated. */
const systemConditions: ReadonlySet<string> = new Set(['PodScheduled', 'Ready', 'Initialized']);
const wholeNumber = 'must be a non-negative integer';

/** Validates the status of a pod. */
export function validatePodStatus(pod: JsonObject, old: JsonObject): StatusCause[] {
  const [status, before] = [objectAt(pod, 'status'), objectAt(old, 'status')];
  return [
    ...validateConditions(objectsAt(status, 'conditions')),
    ...validateNomination(status, before, objectAt(old, 'spec')),
    ...(Number(status.observedGeneration ?? 0) < 0
      ? [invalid('status.observedGeneration', status.observedGeneration, wholeNumber)]
      : []),
    ...(jsonEquals(status.qosClass, before.qosClass)
      ? []
      : [invalid('status.qosClass', status.qosClass, 'field is immutable')]),
    ...validateAddresses(status, before, 'podIPs'),
    ...(objectsAt(status, 'hostIPs').length === 0 ? [] : validateHostAddresses(status, before)),
  ];
}

function validateConditions(conditions: readonly JsonObject[]): StatusCause[] {
  return conditions.flatMap((condition, index) => {
    const path = indexPath('status.conditions', index);
    const [type, generation] = [textAt(condition, 'type'), condition.observedGeneration];
    const found = systemConditions.has(type) ? [] : checkQualifiedName(type);
    return [
      ...(Number(generation ?? 0) < 0
        ? [invalid(childPath(path, 'observedGeneration'), generation, wholeNumber)]
        : []),
      ...found.map((detail) => invalid(childPath(path, 'Type'), type, detail)),
    ];
  });
}

/** A pod with a node cannot be nominated for another. */
function validateNomination(
  status: JsonObject,
  before: JsonObject,
  spec: JsonObject,
): StatusCause[] {
  const name = textAt(status, 'nominatedNodeName');
  if (name === '' || name === textAt(before, 'nominatedNodeName')) return [];
  const field = 'status.nominatedNodeName';
  const detail = 'may not be set on pods that are already bound to a node';
  return [
    ...validName(checkSubdomain, name, field),
    ...(textAt(spec, 'nodeName') === '' ? [] : [forbidden(field, detail)]),
  ];
}

function validateHostAddresses(status: JsonObject, before: JsonObject): StatusCause[] {
  const [first = ''] = addressesOf(status, 'hostIPs');
  const isEqual = first === textAt(status, 'hostIP');
  return [
    ...(isEqual ? [] : [invalid('status.hostIPs[0].ip', first, 'must be equal to `hostIP`')]),
    ...validateAddresses(status, before, 'hostIPs'),
  ];
}

/** At most one address for each family; an unchanged list may remain invalid. */
function validateAddresses(status: JsonObject, before: JsonObject, member: string): StatusCause[] {
  const path: FieldPath = `status.${member}`;
  const known = addressesOf(before, member);
  const addresses = addressesOf(status, member);
  const families = addresses.map((address) => isIP(address));
  const tooMany = new Set(families).size < addresses.length;
  const shown = addresses.map((IP) => ({ IP }));
  const detail = 'may specify no more than one IP for each IP family';
  return [
    ...addresses.flatMap((address, index) =>
      isIP(address) !== 0 || known.includes(address)
        ? []
        : [invalid(indexPath(path, index), address, notAnAddress)],
    ),
    ...(tooMany ? [invalid(path, shown, detail)] : []),
  ];
}

const notAnAddress = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';

function addressesOf(status: JsonObject, member: string): string[] {
  return objectsAt(status, member).map((item) => textAt(item, 'ip'));
}
