import { goTrim } from '@keelson/cel/internal';
import { objectAt, objectsAt, textAt } from '../../json/json-members.ts';
import type { StatusCause } from '@keelson/apimachinery';
import {
  childPath,
  duplicate,
  type FieldPath,
  forbidden,
  indexPath,
  invalid,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  notFound,
  required,
} from '@keelson/structural-schema';
import { validateMounts, type Volumes } from './rules-mount.ts';
import { claimNamesOf, validatePodResources } from './rules-pod-resources.ts';
import { validateContainerResources, validateResizePolicy } from './rules-resources.ts';
import { validateRestart } from './rules-restart.ts';
import { validateContainerSecurity } from './rules-security.ts';
import { type FieldValidator, repeatedNames } from '../../schema/validation-rule.ts';

/** Validates the containers of a pod, of all types, and the resources of the pod that they share. */
export function validateContainers(
  spec: JsonObject,
  path: FieldPath,
  fields: FieldValidator,
  volumes: Volumes,
): StatusCause[] {
  const containers = objectsAt(spec, 'containers');
  const initContainers = objectsAt(spec, 'initContainers');
  const [field, initField] = [childPath(path, 'containers'), childPath(path, 'initContainers')];
  const ephemeral = objectsAt(spec, 'ephemeralContainers');
  const ephemeralField = childPath(path, 'ephemeralContainers');
  const pod = { spec, volumes };
  return [
    ...(containers.length === 0 ? [required(field)] : []),
    ...inOrder(
      [
        ...fields.validate('containers'),
        ...partsOf(containers, field, pod),
        ...sleepsOf(containers, field, spec),
        ...restartsOf(containers, field),
      ],
      repeatedNames(containers, field),
      field,
    ),
    ...repeatedHostPorts(containers, field),
    ...inOrder(
      [
        ...fields.validate('initContainers'),
        ...partsOf(initContainers, initField, pod),
        ...handlersOfInit(initContainers, initField),
        ...sleepsOf(initContainers, initField, spec),
        ...restartsOf(initContainers, initField),
        ...resizesOfInit(initContainers, initField),
      ],
      namesOfInit(initContainers, containers, initField),
      initField,
    ),
    ...inOrder(
      [
        ...fields.validate('ephemeralContainers'),
        ...partsOf(ephemeral, ephemeralField, pod),
        ...trimmedImages(ephemeral, ephemeralField),
      ],
      [
        ...namesOfEphemeral(ephemeral, [...containers, ...initContainers], ephemeralField),
        ...onlyForContainers(ephemeral, ephemeralField),
      ],
      ephemeralField,
    ),
    ...validatePodResources(spec, path),
    ...hostPortsOf(spec, containers, field),
  ];
}

/** The pod of a container, on which some rules of the container depend. */
interface SurroundingPod {
  readonly spec: JsonObject;
  readonly volumes: Volumes;
}

/** Validates the parts of containers that depend on the pod. */
function partsOf(
  containers: readonly JsonObject[],
  path: FieldPath,
  { spec, volumes }: SurroundingPod,
): StatusCause[] {
  const claims = claimNamesOf(spec);
  const restartPolicy = textAt(spec, 'restartPolicy');
  return containers.flatMap((container, index) => {
    const place = indexPath(path, index);
    return [
      ...validateMounts(container, place, volumes),
      ...validateContainerResources(
        objectAt(container, 'resources'),
        childPath(place, 'resources'),
        claims,
      ),
      ...validateResizePolicy(
        objectsAt(container, 'resizePolicy'),
        childPath(place, 'resizePolicy'),
        restartPolicy,
      ),
      ...validateContainerSecurity(container, place, spec.hostUsers !== false),
    ];
  });
}

function restartsOf(containers: readonly JsonObject[], path: FieldPath): StatusCause[] {
  return containers.flatMap((container, index) =>
    validateRestart(container, indexPath(path, index)),
  );
}

/** A container that stops sleeps no longer than the pod has time to end. */
function sleepsOf(
  containers: readonly JsonObject[],
  path: FieldPath,
  spec: JsonObject,
): StatusCause[] {
  const grace = spec.terminationGracePeriodSeconds;
  if (grace === undefined) return [];
  const detail = `must be non-negative and less than terminationGracePeriodSeconds (${Number(grace)})`;
  return containers.flatMap((container, index) => {
    const lifecycle = objectAt(container, 'lifecycle');
    const place = childPath(indexPath(path, index), 'lifecycle');
    return ['postStart', 'preStop'].flatMap((name) => {
      const { sleep } = objectAt(lifecycle, name);
      if (!isJsonObject(sleep)) return [];
      const seconds = Number(sleep.seconds ?? 0);
      const isValid = seconds >= 0 && seconds <= Number(grace);
      return isValid ? [] : [invalid(childPath(childPath(place, name), 'sleep'), seconds, detail)];
    });
  });
}

/** Fields that an ephemeral container has in its type and must not have. */
const notEphemeral = [
  'ports',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'restartPolicyRules',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
];

function onlyForContainers(containers: readonly JsonObject[], path: FieldPath): StatusCause[] {
  const detail = 'cannot be set for an Ephemeral Container';
  return containers.flatMap((container, index) => {
    const place = indexPath(path, index);
    const mounts = childPath(place, 'volumeMounts');
    return [
      ...notEphemeral
        .filter((name) => isSet(container[name]))
        .map((name) => forbidden(childPath(place, name), detail)),
      ...objectsAt(container, 'volumeMounts').flatMap((mount, at) =>
        ['subPath', 'subPathExpr']
          .filter((name) => textAt(mount, name) !== '')
          .map((name) => forbidden(childPath(indexPath(mounts, at), name), detail)),
      ),
    ];
  });
}

/** False for a value that kube-apiserver cannot distinguish from an absent one. */
function isSet(value: JsonValue | undefined): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return isJsonObject(value) ? Object.keys(value).length > 0 : value !== undefined;
}

/** Rejects images with spaces around them in a pod; templates may have them. */
export function trimmedImages(containers: readonly JsonObject[], path: FieldPath): StatusCause[] {
  return containers.flatMap((container, index) => {
    const image = textAt(container, 'image');
    if (image === goTrim(image)) return [];
    const detail = 'must not have leading or trailing whitespace';
    return [invalid(childPath(indexPath(path, index), 'image'), image, detail)];
  });
}

/** Validates the volumes of variables that come from files. Each must be an `emptyDir` of the pod. */
export function validateVariableVolumes(spec: JsonObject, path: FieldPath): StatusCause[] {
  const volumes = new Map(objectsAt(spec, 'volumes').map((one) => [textAt(one, 'name'), one]));
  return ['initContainers', 'containers', 'ephemeralContainers'].flatMap((list) =>
    objectsAt(spec, list).flatMap((container, index) => {
      const place = childPath(indexPath(childPath(path, list), index), 'env');
      return objectsAt(container, 'env').flatMap(({ valueFrom }, at) =>
        validateVariableVolume(valueFrom, childPath(indexPath(place, at), 'valueFrom'), volumes),
      );
    }),
  );
}

function validateVariableVolume(source: unknown, path: FieldPath, volumes: Volumes): StatusCause[] {
  if (!isJsonObject(source) || source['fileKeyRef'] === undefined) return [];
  const name = textAt(objectAt(source, 'fileKeyRef'), 'volumeName');
  const field = childPath(childPath(path, 'fileKeyRef'), 'volumeName');
  const volume = volumes.get(name);
  if (volume === undefined) return [notFound(field, name)];
  if (volume['emptyDir'] !== undefined) return [];
  return [invalid(field, name, 'referenced volume must be of type emptyDir')];
}

/** Only init containers that keep running may have handlers and probes. */
function handlersOfInit(containers: readonly JsonObject[], path: FieldPath): StatusCause[] {
  const names = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'];
  const detail = 'may not be set for init containers without restartPolicy=Always';
  return containers.flatMap((container, index) =>
    names
      .filter((name) => container[name] !== undefined && container['restartPolicy'] !== 'Always')
      .map((name) => forbidden(childPath(indexPath(path, index), name), detail)),
  );
}

/** The order in which kube-apiserver validates the parts of a container. */
const partOrder = [
  'name',
  'image',
  'terminationMessagePolicy',
  'ports',
  'env',
  'envFrom',
  'volumeMounts',
  'volumeDevices',
  'imagePullPolicy',
  'resources',
  'resizePolicy',
  'securityContext',
];
const partsOfHandlers = [
  'lifecycle',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'restartPolicy',
  'restartPolicyRules',
];

/** Orders causes by container and by its parts. `between` come before the handlers and probes of the container. */
function inOrder(
  own: readonly StatusCause[],
  between: readonly StatusCause[],
  path: FieldPath,
): StatusCause[] {
  const placeOf = ({ field = '' }: StatusCause): string => field.slice(path.length);
  return [
    ...own.map((cause) => ({ cause, rank: rankOf(placeOf(cause)) })),
    ...between.map((cause) => ({
      cause,
      rank: containerOf(placeOf(cause)) * RANKS + partOrder.length,
    })),
  ]
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ cause }) => cause);
}

/** The number of ranks of each container. */
const RANKS = 100;

function containerOf(place: string): number {
  return Number(/^\[(\d+)\]/.exec(place)?.[1] ?? 0);
}

function rankOf(place: string): number {
  const [, part = ''] = /^\[\d+\]\.(\w+)/.exec(place) ?? [];
  const later = partsOfHandlers.indexOf(part);
  // Other parts, such as the restart of an init container, keep their place before the names.
  const rank = later === -1 ? partOrder.indexOf(part) : partOrder.length + 1 + later;
  return containerOf(place) * RANKS + (rank === -1 ? partOrder.length : rank);
}

/** Two containers of a pod cannot use the same host port. */
function repeatedHostPorts(containers: readonly JsonObject[], path: FieldPath): StatusCause[] {
  const taken = new Set<string>();
  return containers.flatMap((container, index) =>
    objectsAt(container, 'ports').flatMap((port, position) => {
      if (port.hostPort === undefined || port.hostPort === 0) return [];
      const { hostPort } = port;
      const name = `${textAt(port, 'protocol')}/${textAt(port, 'hostIP')}/${Number(hostPort)}`;
      const ports = childPath(indexPath(path, index), 'ports');
      if (taken.has(name)) {
        return [duplicate(childPath(indexPath(ports, position), 'hostPort'), name)];
      }
      taken.add(name);
      return [];
    }),
  );
}

/** The names of init containers differ from each other and from those of containers. */
function namesOfInit(
  containers: readonly JsonObject[],
  others: readonly JsonObject[],
  path: FieldPath,
): StatusCause[] {
  const taken = new Set(others.map((container) => textAt(container, 'name')));
  return containers.flatMap((container, index) => {
    const name = textAt(container, 'name');
    if (taken.has(name)) return [duplicate(childPath(indexPath(path, index), 'name'), name)];
    if (name !== '') taken.add(name);
    return [];
  });
}

/** Only an init container that keeps running can be restarted by a resize. */
function resizesOfInit(containers: readonly JsonObject[], path: FieldPath): StatusCause[] {
  const detail = "must not be set to 'RestartContainer' for non-sidecar initContainers";
  return containers.flatMap((container, index) => {
    if (container.restartPolicy === 'Always') return [];
    const policies = childPath(indexPath(path, index), 'resizePolicy');
    return objectsAt(container, 'resizePolicy').flatMap((policy, at) => {
      const field = childPath(indexPath(policies, at), 'restartPolicy');
      const restart = textAt(policy, 'restartPolicy');
      return restart === 'RestartContainer' ? [invalid(field, restart, detail)] : [];
    });
  });
}

/** An ephemeral container has a name of its own, and targets a container of another sort. */
function namesOfEphemeral(
  containers: readonly JsonObject[],
  others: readonly JsonObject[],
  path: FieldPath,
): StatusCause[] {
  const targets = new Set(others.map((container) => textAt(container, 'name')));
  const taken = new Set(targets);
  return containers.flatMap((container, index) => {
    const place = indexPath(path, index);
    const [name, target] = [textAt(container, 'name'), textAt(container, 'targetContainerName')];
    const isTaken = taken.has(name);
    taken.add(name);
    return [
      ...(isTaken ? [duplicate(childPath(place, 'name'), name)] : []),
      ...(target === '' || targets.has(target)
        ? []
        : [notFound(childPath(place, 'targetContainerName'), target)]),
    ];
  });
}

/** On the host network, each container port is also a host port. */
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
