import type { StatusCause } from '@keelson/apimachinery';
import { checkLabelValue, checkQualifiedName } from '@keelson/cel/internal';
import {
  childPath,
  duplicate,
  type FieldPath,
  forbidden,
  indexPath,
  invalid,
  type JsonObject,
  notSupported,
  required,
} from '@keelson/structural-schema';
import { ensureObject, objectAt, objectsAt, textAt, textsAt } from '../../json/json-members.ts';
import { resourceList } from '../shared/resource-list.ts';
import { parseRange, validateLegacyRange } from '../network/network-address.ts';

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const MAX_FEATURE_BYTES = 253;

/** Validates a Node except its metadata. */
export function validateNode(node: JsonObject): StatusCause[] {
  const spec = objectAt(node, 'spec');
  return [
    ...validateTaints(objectsAt(spec, 'taints')),
    ...validateQuantities(node),
    ...validateFeatures(node),
    ...validatePodRanges(textsAt(spec, 'podCIDRs'), 'spec.podCIDRs'),
  ];
}

/** kube-apiserver validates the taints and the status of an update for a second time. */
export function validateNodeChange(node: JsonObject, old: JsonObject): StatusCause[] {
  const [spec, before] = [objectAt(node, 'spec'), objectAt(old, 'spec')];
  return [
    ...validateQuantities(node),
    ...validateFeatures(node),
    ...repeatedAddresses(node),
    ...podRangeChange(textsAt(spec, 'podCIDRs'), textsAt(before, 'podCIDRs')),
    ...providerChange(spec, before),
    ...validateTaints(objectsAt(spec, 'taints')),
    ...(textAt(spec, 'externalID') === textAt(before, 'externalID')
      ? []
      : [forbidden('spec.externalID', 'may not be updated')]),
  ];
}

/** kube-apiserver names the taints as if they were a part of the metadata. */
function validateTaints(taints: readonly JsonObject[]): StatusCause[] {
  const keys = taints.map(({ key, effect }) => JSON.stringify([key, effect]));
  return taints.flatMap((taint, index) => {
    const path = indexPath('metadata.taints', index);
    const isRepeated = keys.indexOf(keys[index] ?? '') < index;
    return [...validateTaint(taint, path), ...(isRepeated ? [repeatedTaint(taint, path)] : [])];
  });
}

function validateTaint(taint: JsonObject, path: FieldPath): StatusCause[] {
  const [key, value, effect] = ['key', 'value', 'effect'].map((name) => textAt(taint, name));
  const [field, wrong] = [childPath(path, 'effect'), checkLabelValue(value ?? '')];
  return [
    ...checkQualifiedName(key ?? '').map((detail) => invalid(childPath(path, 'key'), key, detail)),
    ...(wrong.length === 0 ? [] : [invalid(childPath(path, 'value'), value, wrong.join(';'))]),
    ...(effect === '' ? [required(field)] : []),
    ...(effect === '' || effects.includes(effect ?? '')
      ? []
      : [notSupported(field, effect, effects)]),
  ];
}

function repeatedTaint(taint: JsonObject, path: FieldPath): StatusCause {
  // kube-apiserver prints its internal struct.
  const shown = {
    Key: textAt(taint, 'key'),
    Value: textAt(taint, 'value'),
    Effect: textAt(taint, 'effect'),
    TimeAdded: taint.timeAdded ?? null,
  };
  const cause = duplicate(path, shown);
  return { ...cause, message: `${cause.message}: taints must be unique by key and effect pair` };
}

function validateQuantities({ status }: JsonObject): StatusCause[] {
  const lists = objectAt({ status: status ?? {} }, 'status');
  return ['capacity', 'allocatable'].flatMap((list) =>
    Object.entries(resourceList(objectAt(lists, list))).flatMap(([name, quantity]) =>
      quantity.startsWith('-')
        ? [invalid(`status.${list}.${name}`, quantity, 'must be greater than or equal to 0')]
        : [],
    ),
  );
}

const featureSyntax = /^[A-Z][a-zA-Z0-9]*(?:\/[a-zA-Z][a-zA-Z0-9]*)*$/;

/** The features that a node declares are sorted and different. */
function validateFeatures(node: JsonObject): StatusCause[] {
  const features = textsAt(objectAt(node, 'status'), 'declaredFeatures');
  return features.flatMap((feature, index) => {
    const path = indexPath('status.declaredFeatures', index);
    const before = index === 0 ? undefined : features[index - 1];
    const syntax = featureProblem(feature);
    return [
      ...(before === feature ? [duplicate(path, feature)] : []),
      ...(before !== undefined && before > feature
        ? [invalid(path, feature, 'list must be sorted alphabetically')]
        : []),
      ...(syntax === undefined ? [] : [invalid(path, feature, syntax)]),
    ];
  });
}

function featureProblem(feature: string): string | undefined {
  const subject = `invalid feature name ${JSON.stringify(feature)}`;
  if (Buffer.byteLength(feature) > MAX_FEATURE_BYTES) {
    return `${subject}: must be no more than ${MAX_FEATURE_BYTES} characters`;
  }
  if (featureSyntax.test(feature)) return undefined;
  return `${subject}: must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes`;
}

function repeatedAddresses(node: JsonObject): StatusCause[] {
  const addresses = objectsAt(objectAt(node, 'status'), 'addresses');
  const shown = addresses.map((each) => ({
    Type: textAt(each, 'type'),
    Address: textAt(each, 'address'),
  }));
  const keys = shown.map((each) => JSON.stringify(each));
  return keys.flatMap((key, index) =>
    keys.indexOf(key) < index
      ? [duplicate(indexPath('status.addresses', index), shown[index])]
      : [],
  );
}

function validatePodRanges(ranges: readonly string[], path: FieldPath): StatusCause[] {
  const causes = ranges.flatMap((range, index) =>
    validateLegacyRange(range, indexPath(path, index)),
  );
  if (ranges.length < 2) return causes;
  const families = new Set(ranges.map((range) => parseRange(range)?.address.isV4));
  if (families.has(undefined)) causes.push(unparsed(ranges, path));
  if (families.size === 2 && ranges.length === 2 && !families.has(undefined)) return causes;
  return [...causes, invalid(path, ranges, 'may specify no more than one CIDR for each IP family')];
}

function unparsed(ranges: readonly string[], field: FieldPath): StatusCause {
  const index = ranges.findIndex((range) => parseRange(range) === undefined);
  const why = `invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[${index}]: <nil> (invalid CIDR address: ${ranges[index]})`;
  return { reason: 'InternalError', message: `Internal error: ${why}`, field };
}

/** The controller manager assigns the ranges once. */
function podRangeChange(now: readonly string[], before: readonly string[]): StatusCause[] {
  const detail = 'node updates may not change podCIDR except from "" to valid';
  const changed = now.length === before.length ? before : before.slice(0, 1);
  return changed
    .filter((range, index) => now.length !== before.length || range !== now[index])
    .map(() => forbidden('spec.podCIDRs', detail));
}

function providerChange(spec: JsonObject, before: JsonObject): StatusCause[] {
  const [now, former] = [textAt(spec, 'providerID'), textAt(before, 'providerID')];
  if (former === '' || former === now) return [];
  const detail = 'node updates may not change providerID except from "" to valid';
  return [forbidden('spec.providerID', detail)];
}

/** Completes the two fields for the ranges of pods; `podCIDR` has the first of `podCIDRs`. */
export function completePodRanges(spec: JsonObject): void {
  const [one, all] = [textAt(spec, 'podCIDR'), textsAt(spec, 'podCIDRs')];
  if (one !== '' && one !== all[0]) spec.podCIDRs = [one];
  else if (one === '' && all.length > 0 && all[0] !== '') spec.podCIDR = all[0] ?? '';
}

/** Removes the configuration of the kubelet, which Kubernetes does not support any more. A former object may keep it. */
export function dropNodeConfiguration(node: JsonObject, old?: JsonObject): void {
  const { configSource } = objectAt(old ?? {}, 'spec');
  const { config } = objectAt(old ?? {}, 'status');
  if (configSource === undefined) delete ensureObject(node, 'spec').configSource;
  if (config === undefined) delete ensureObject(node, 'status').config;
}

/** The warnings about fields of a Node that have no effect. */
export function nodeWarnings(node: JsonObject): string[] {
  const spec = objectAt(node, 'spec');
  return [
    ...(spec.configSource === undefined ? [] : ['spec.configSource: the feature is removed']),
    ...(textAt(spec, 'externalID') === ''
      ? []
      : ['spec.externalID: this field is deprecated, and is unused by Kubernetes']),
  ];
}
