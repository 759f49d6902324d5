import type { StatusCause } from '@keelson/apimachinery';
import { checkQualifiedName, compareQuantities, goLower } from '@keelson/cel/internal';
import type { FieldPath, JsonObject } from '@keelson/structural-schema';
import { childPath, invalid, notSupported, required } from '@keelson/structural-schema';
import { textAt } from '../../json/json-members.ts';

/** The pod fields that have a name in some reference. */
const podFields: ReadonlySet<string> = new Set([
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.restartPolicy',
  'spec.serviceAccountName',
  'spec.schedulerName',
  'status.phase',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
  'spec.host',
]);

/** The pod fields that an environment variable may refer to. */
export const variableFields: readonly string[] = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];

/** The pod fields that a file of a volume may refer to. */
export const fileFields: readonly string[] = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
];

const resources = ['cpu', 'ephemeral-storage', 'memory'];
const containerResources = ['limits', 'requests'].flatMap((list) =>
  resources.map((name) => `${list}.${name}`),
);

/** Validates a reference to a field of the pod, out of `allowed`. */
export function validateFieldReference(
  reference: JsonObject,
  path: FieldPath,
  allowed: readonly string[],
): StatusCause[] {
  const given = textAt(reference, 'fieldPath');
  const field = childPath(path, 'fieldPath');
  if (given === '') return [required(field)];
  const converts = (problem: string): StatusCause[] => [
    invalid(field, given, `error converting fieldPath: ${problem}`),
  ];
  const version = textAt(reference, 'apiVersion', 'v1');
  if (version !== 'v1') return converts(`unsupported pod version: ${version}`);
  const [, name = '', key] = /^(.*)\['([^']*)'\]$/s.exec(given) ?? [];
  if (key !== undefined) {
    if (name !== 'metadata.annotations' && name !== 'metadata.labels') {
      return converts(`field label does not support subscript: ${given}`);
    }
    const checked = name === 'metadata.annotations' ? goLower(key) : key;
    return checkQualifiedName(checked).map((detail) => invalid(path, checked, detail));
  }
  if (!podFields.has(given)) return converts(`field label not supported: ${given}`);
  const converted = given === 'spec.host' ? 'spec.nodeName' : given;
  if (allowed.includes(converted)) return [];
  return [notSupported(field, converted, allowed)];
}

/** Validates a reference to a resource of a container, which a volume has to name. */
export function validateResourceReference(
  reference: JsonObject,
  path: FieldPath,
  needsContainer: boolean,
): StatusCause[] {
  const resource = textAt(reference, 'resource');
  return [
    ...(needsContainer && textAt(reference, 'containerName') === ''
      ? [required(childPath(path, 'containerName'))]
      : validateResource(resource, childPath(path, 'resource'))),
    ...validateDivisor(resource, textAt(reference, 'divisor'), childPath(path, 'divisor')),
  ];
}

const hugePages = /^(?:limits|requests)\.hugepages-/;

function validateResource(resource: string, path: FieldPath): StatusCause[] {
  if (resource === '') return [required(path)];
  const isKnown = containerResources.includes(resource) || hugePages.test(resource);
  return isKnown ? [] : [notSupported(path, resource, containerResources)];
}

const units = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];

function validateDivisor(resource: string, divisor: string, path: FieldPath): StatusCause[] {
  if (divisor === '' || compareQuantities(divisor, '0') === 0) return [];
  const name = resource.replace(/^(?:limits|requests)\./, '');
  const isUnit = units.includes(divisor);
  const allowed = (values: string, what: string): StatusCause[] => [
    invalid(path, resource, `only divisor's values ${values} are supported with the ${what}`),
  ];
  if (name === 'cpu' && name !== resource) {
    return divisor === '1' || divisor === '1m' ? [] : allowed('1m and 1', 'cpu resource');
  }
  if (isUnit || name === resource) return [];
  if (name === 'memory') return allowed(units.join(', '), 'memory resource');
  if (name === 'ephemeral-storage') {
    return allowed(units.join(', '), 'local ephemeral storage resource');
  }
  return name.startsWith('hugepages-') ? allowed(units.join(', '), 'hugepages resource') : [];
}
