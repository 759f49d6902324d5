import { isIP } from 'node:net';
import type { StatusCause } from '@keelson/apimachinery';
import type { JsonObject } from '../patch/json-value.ts';
import { objectAt, objectsAt, textAt } from './default-rule.ts';
import { duplicate, forbidden, invalid, notFound, notSupported, required } from './field-error.ts';
import { childPath, type FieldPath, indexPath, keyPath } from './field-path.ts';
import { checkDnsLabel, checkLabelValue, checkQualifiedName } from './name-syntax.ts';
import { compareQuantities } from './quantity.ts';
import { validateLabels } from './validate-metadata.ts';
import { repeatedNames, validName, type ValidationRules } from './validation-rule.ts';

const largestInt32 = 2 ** 31 - 1;

/** What makes a pod, or a template of one, unacceptable. */
export const podRules: ValidationRules = {
  'core.v1.PodSpec': validatePodSpec,
  'core.v1.Pod': (pod) => {
    const isNew = objectAt(pod, 'metadata').uid === undefined;
    const added = objectsAt(objectAt(pod, 'spec'), 'ephemeralContainers').length > 0;
    return isNew && added ? [forbidden('spec.ephemeralContainers', 'cannot be set on create')] : [];
  },
  'core.v1.Toleration': validateToleration,
  'core.v1.PodSecurityContext': validateIds,
  'core.v1.SecurityContext': validateIds,
  'core.v1.HostAlias': validateHostAlias,
  'core.v1.PodOS': (os, path) => {
    const name = textAt(os, 'name');
    return ['', 'linux', 'windows'].includes(name)
      ? []
      : [notSupported(path, name, ['linux', 'windows'])];
  },
  'core.v1.NodeSelector': (selector, path) =>
    objectsAt(selector, 'nodeSelectorTerms').length === 0
      ? [
          required(
            childPath(path, 'nodeSelectorTerms'),
            'must have at least one node selector term',
          ),
        ]
      : [],
  'core.v1.TopologySpreadConstraint': (constraint, path) =>
    Number(constraint.maxSkew) > 0
      ? []
      : [invalid(childPath(path, 'maxSkew'), constraint.maxSkew ?? 0, 'must be greater than zero')],
  'core.v1.Volume': (volume, path) => {
    const [, ...more] = Object.keys(volume).filter((key) => key !== 'name');
    return [
      ...validName(checkDnsLabel, volume.name, childPath(path, 'name')),
      ...more.map((key) =>
        forbidden(childPath(path, key), 'may not specify more than 1 volume type'),
      ),
    ];
  },
  'core.v1.ResourceRequirements': validateResources,
};

/** What is told after the containers. */
export const lastPodRules: ValidationRules = {
  'core.v1.PodSpec': (spec, path) => [
    ...oneOf(spec, path, 'restartPolicy', ['Always', 'OnFailure', 'Never']),
    ...oneOf(spec, path, 'dnsPolicy', [
      'ClusterFirstWithHostNet',
      'ClusterFirst',
      'Default',
      'None',
    ]),
  ],
};

function validatePodSpec(spec: JsonObject, path: FieldPath): StatusCause[] {
  const containers = objectsAt(spec, 'containers');
  const initContainers = objectsAt(spec, 'initContainers');
  const containersPath = childPath(path, 'containers');
  const selector = objectAt(spec, 'nodeSelector') as Record<string, string>;
  return [
    ...(containers.length === 0 ? [required(containersPath)] : []),
    ...repeatedNames(containers, containersPath),
    ...repeatedNames(initContainers, childPath(path, 'initContainers')),
    ...repeatedNames(objectsAt(spec, 'volumes'), childPath(path, 'volumes')),
    ...mountsOf(containers, containersPath, spec),
    ...mountsOf(initContainers, childPath(path, 'initContainers'), spec),
    ...validateLabels(selector, childPath(path, 'nodeSelector')),
    ...repeatedAcross(initContainers, containers, childPath(path, 'initContainers')),
    ...hostPortsOf(spec, containers, containersPath),
    ...validName(checkDnsLabel, spec.hostname, childPath(path, 'hostname')),
    ...validName(checkDnsLabel, spec.subdomain, childPath(path, 'subdomain')),
    ...validateDeadline(spec, path),
    ...(spec.dnsPolicy === 'None' && spec.dnsConfig === undefined
      ? [
          required(
            childPath(path, 'dnsConfig'),
            'must provide `dnsConfig` when `dnsPolicy` is None',
          ),
        ]
      : []),
  ];
}

/** The server tells these values in an order of its own. */
function oneOf(
  object: JsonObject,
  path: FieldPath,
  field: string,
  allowed: readonly string[],
): StatusCause[] {
  const value = textAt(object, field);
  return value === '' || allowed.includes(value)
    ? []
    : [notSupported(childPath(path, field), value, allowed)];
}

/** Names of init containers that a container has too. */
function repeatedAcross(
  containers: readonly JsonObject[],
  others: readonly JsonObject[],
  path: FieldPath,
): StatusCause[] {
  const taken = new Set(others.map(({ name }) => name));
  return containers.flatMap(({ name }, index) =>
    name !== undefined && taken.has(name)
      ? [duplicate(childPath(indexPath(path, index), 'name'), name)]
      : [],
  );
}

/** On the network of the host a container has the port that it listens on. */
function hostPortsOf(
  spec: JsonObject,
  containers: readonly JsonObject[],
  path: FieldPath,
): StatusCause[] {
  if (spec.hostNetwork !== true) return [];
  return containers.flatMap((container, index) =>
    objectsAt(container, 'ports').flatMap(({ hostPort, containerPort }, position) => {
      if (hostPort === undefined || hostPort === containerPort) return [];
      const ports = childPath(indexPath(path, index), 'ports');
      const field = childPath(indexPath(ports, position), 'hostPort');
      return [invalid(field, hostPort, 'must match `containerPort` when `hostNetwork` is true')];
    }),
  );
}

function validateDeadline(spec: JsonObject, path: FieldPath): StatusCause[] {
  const deadline = spec.activeDeadlineSeconds;
  if (typeof deadline !== 'number' || (deadline >= 1 && deadline <= largestInt32)) return [];
  const detail = `must be between 1 and ${largestInt32}, inclusive`;
  return [invalid(childPath(path, 'activeDeadlineSeconds'), deadline, detail)];
}

function validateIds(context: JsonObject, path: FieldPath): StatusCause[] {
  return ['runAsUser', 'runAsGroup', 'fsGroup']
    .filter((field) => Number(context[field] ?? 0) < 0 || Number(context[field]) > largestInt32)
    .map((field) => {
      const detail = `must be between 0 and ${largestInt32}, inclusive`;
      return invalid(childPath(path, field), context[field], detail);
    });
}

function validateHostAlias(alias: JsonObject, path: FieldPath): StatusCause[] {
  const ip = textAt(alias, 'ip');
  if (isIP(ip) !== 0) return [];
  const detail = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
  return [invalid(childPath(path, 'ip'), ip, detail)];
}

function validateToleration(toleration: JsonObject, path: FieldPath): StatusCause[] {
  const [key, operator] = [textAt(toleration, 'key'), textAt(toleration, 'operator')];
  const [value, effect] = [textAt(toleration, 'value'), textAt(toleration, 'effect')];
  const field = childPath(path, 'operator');
  const any =
    'operator must be Exists when `key` is empty, which means "match all values and all keys"';
  const isTimed = toleration.tolerationSeconds !== undefined && effect !== 'NoExecute';
  return [
    ...validName(checkQualifiedName, key, childPath(path, 'key')),
    ...(key === '' && operator !== 'Exists' ? [invalid(field, operator, any)] : []),
    ...(isTimed
      ? [
          invalid(
            childPath(path, 'effect'),
            effect,
            "effect must be 'NoExecute' when `tolerationSeconds` is set",
          ),
        ]
      : []),
    ...(operator === 'Exists' && value !== ''
      ? [invalid(field, value, "value must be empty when `operator` is 'Exists'")]
      : []),
    ...(operator === '' || operator === 'Equal' ? validName(checkLabelValue, value, field) : []),
  ];
}

/** Every mount is of a volume that the pod has. */
function mountsOf(containers: JsonObject[], path: FieldPath, spec: JsonObject): StatusCause[] {
  const known = new Set(objectsAt(spec, 'volumes').map((volume) => volume.name));
  return containers.flatMap((container, index) =>
    objectsAt(container, 'volumeMounts').flatMap((mount, position) => {
      const name = textAt(mount, 'name');
      const mounts = childPath(indexPath(path, index), 'volumeMounts');
      return known.has(name)
        ? []
        : [notFound(childPath(indexPath(mounts, position), 'name'), name)];
    }),
  );
}

function validateResources(resources: JsonObject, path: FieldPath): StatusCause[] {
  const [limits, requests] = [objectAt(resources, 'limits'), objectAt(resources, 'requests')];
  const negative = Object.entries({ limits, requests }).flatMap(([field, list]) =>
    Object.keys(list)
      .filter((name) => textAt(list, name).startsWith('-'))
      .map((name) =>
        invalid(
          keyPath(childPath(path, field), name),
          list[name],
          'must be greater than or equal to 0',
        ),
      ),
  );
  const excessive = Object.keys(requests)
    .filter((name) => limits[name] !== undefined)
    .filter((name) => compareQuantities(textAt(requests, name), textAt(limits, name)) > 0)
    .map((name) => {
      const detail = `must be less than or equal to ${name} limit of ${textAt(limits, name)}`;
      return invalid(childPath(path, 'requests'), requests[name], detail);
    });
  return [...negative, ...excessive];
}
