import { objectAt, objectsAt, textAt } from '../../json/json-members.ts';
import type { StatusCause } from '@keelson/apimachinery';
import {
  childPath,
  duplicate,
  type FieldPath,
  indexPath,
  invalid,
  isJsonObject,
  type JsonObject,
  notFound,
  required,
} from '@keelson/structural-schema';
import { validateMounts, type Volumes } from './rules-mount.ts';
import { type FieldValidator, repeatedNames } from '../../schema/validation-rule.ts';

/** Validates the containers of a pod, of all types. */
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
  return [
    ...(containers.length === 0 ? [required(field)] : []),
    ...inOrder(
      fields.validate('containers'),
      [...mountsOf(containers, field, volumes), ...repeatedNames(containers, field)],
      field,
    ),
    ...repeatedHostPorts(containers, field),
    ...inOrder(
      fields.validate('initContainers'),
      [
        ...mountsOf(initContainers, initField, volumes),
        ...repeatedNames(initContainers, initField),
      ],
      initField,
    ),
    ...repeatedAcross(initContainers, containers, initField),
    ...inOrder(
      fields.validate('ephemeralContainers'),
      [
        ...mountsOf(ephemeral, ephemeralField, volumes),
        ...namesOfEphemeral(ephemeral, [...containers, ...initContainers], ephemeralField),
      ],
      ephemeralField,
    ),
    ...fields.validate('resources'),
    ...hostPortsOf(spec, containers, field),
  ];
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

const handlers = /^\[\d+\]\.(?:lifecycle|(?:liveness|readiness|startup)Probe|restartPolicy)\b/;

/**
 * Adds the causes that depend on the pod to those of its containers: each container has them before those of its
 * handlers and probes.
 */
function inOrder(
  own: readonly StatusCause[],
  ofPod: readonly StatusCause[],
  path: FieldPath,
): StatusCause[] {
  const placeOf = ({ field = '' }: StatusCause): string => field.slice(path.length);
  return [
    ...own.map((cause) => {
      const place = placeOf(cause);
      return { cause, rank: rankOf(place, handlers.test(place) ? 2 : 0) };
    }),
    ...ofPod.map((cause) => ({ cause, rank: rankOf(placeOf(cause), 1) })),
  ]
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ cause }) => cause);
}

function rankOf(place: string, within: number): number {
  return Number(/^\[(\d+)\]/.exec(place)?.[1] ?? 0) * 3 + within;
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

/** Names that init containers share with containers. */
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

/** Mounts need the volumes of the pod, which the rules of a container do not have. */
function mountsOf(
  containers: readonly JsonObject[],
  path: FieldPath,
  volumes: Volumes,
): StatusCause[] {
  return containers.flatMap((container, index) =>
    validateMounts(container, indexPath(path, index), volumes),
  );
}
