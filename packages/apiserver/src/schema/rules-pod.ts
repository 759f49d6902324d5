import type { StatusCause } from '@keelson/apimachinery';
import type { JsonObject } from '../patch/json-value.ts';
import { objectAt, objectsAt, textAt } from './default-rule.ts';
import { forbidden, invalid, notFound, notSupported, required } from './field-error.ts';
import { childPath, type FieldPath, indexPath, keyPath } from './field-path.ts';
import { checkDnsLabel } from './name-syntax.ts';
import { compareQuantities } from './quantity.ts';
import { validateLabels } from './validate-metadata.ts';
import {
  atLeastZero,
  repeatedNames,
  validName,
  validPort,
  type ValidationRules,
} from './validation-rule.ts';

const handlers = ['exec', 'httpGet', 'tcpSocket', 'grpc'];

/** What makes a pod, or a template of one, unacceptable. */
export const podRules: ValidationRules = {
  'core.v1.PodSpec': validatePodSpec,
  'core.v1.Container': validateContainer,
  'core.v1.Toleration': (toleration, path) => {
    const { key = '', operator = '' } = toleration;
    if (key !== '' || operator === 'Exists') return [];
    const detail =
      'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    return [invalid(childPath(path, 'operator'), operator, detail)];
  },
  'core.v1.ContainerPort': (port, path) => [
    ...(port.containerPort === 0 ? [required(childPath(path, 'containerPort'))] : []),
    ...(port.containerPort === 0
      ? []
      : validPort(port.containerPort, childPath(path, 'containerPort'))),
    ...validPort(port.hostPort, childPath(path, 'hostPort')),
  ],
  'core.v1.EnvVar': (variable, path) => {
    const name = textAt(variable, 'name');
    if (/^[\x20-\x3C\x3E-\x7E]*$/.test(name)) return [];
    const detail =
      "a valid environment variable name must consist only of printable ASCII characters other than '='";
    return [invalid(childPath(path, 'name'), name, detail)];
  },
  'core.v1.Volume': (volume, path) => {
    const [, ...more] = Object.keys(volume).filter((key) => key !== 'name');
    return [
      ...validName(checkDnsLabel, volume.name, childPath(path, 'name')),
      ...more.map((key) =>
        forbidden(childPath(path, key), 'may not specify more than 1 volume type'),
      ),
    ];
  },
  'core.v1.Probe': (probe, path) => [
    ...(handlers.some((handler) => probe[handler] !== undefined)
      ? []
      : [required(path, 'must specify a handler type')]),
    ...atLeastZero(probe, path, 'initialDelaySeconds', 'timeoutSeconds', 'periodSeconds'),
  ],
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
    ...atLeastZero(spec, path, 'terminationGracePeriodSeconds'),
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

function validateContainer(container: JsonObject, path: FieldPath): StatusCause[] {
  return [
    ...(textAt(container, 'image') === '' ? [required(childPath(path, 'image'))] : []),
    ...validName(checkDnsLabel, container.name, childPath(path, 'name')),
  ];
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
