import type { StatusCause } from '@keelson/apimachinery';
import type { FieldPath, JsonObject } from '@keelson/structural-schema';
import {
  childPath,
  forbidden,
  indexPath,
  invalid,
  notFound,
  notSupported,
  required,
} from '@keelson/structural-schema';
import { objectAt, objectsAt, textAt } from '../../json/json-members.ts';
import type { OrderedRules } from '../../schema/validation-rule.ts';
import { validateBackSteps, validateLocalPath } from './rules-path.ts';

/** Mounts and devices are validated with the volumes of the pod, see `validateMounts`. */
export const mountOrders: OrderedRules = {
  'core.v1.VolumeMount': () => [],
  'core.v1.VolumeDevice': () => [],
};

/** The volumes of a pod that mounts can refer to, by their names. */
export type Volumes = ReadonlyMap<string, JsonObject>;

/** Validates the mounts and block devices of a container. kube-apiserver reports some fields without their index. */
export function validateMounts(
  container: JsonObject,
  path: FieldPath,
  volumes: Volumes,
): StatusCause[] {
  const mounts = objectsAt(container, 'volumeMounts');
  const devices = objectsAt(container, 'volumeDevices');
  const [list, deviceList] = [childPath(path, 'volumeMounts'), childPath(path, 'volumeDevices')];
  return [
    ...mounts.flatMap((mount, index) => [
      ...validateMount(mount, indexPath(list, index), volumes),
      ...repeatedValue(mounts, index, 'mountPath', list),
      ...overlaps(mount, indexPath(list, index), devices),
      ...validateMountOptions(mount, list, indexPath(list, index), container),
    ]),
    ...devices.flatMap((device, index) => [
      ...repeatedValue(devices, index, 'name', deviceList),
      ...validateDevice(device, indexPath(deviceList, index), volumes),
      ...repeatedValue(devices, index, 'devicePath', deviceList),
      ...overlapsMount(device, indexPath(deviceList, index), mounts),
    ]),
  ];
}

function validateMount(mount: JsonObject, path: FieldPath, volumes: Volumes): StatusCause[] {
  const name = textAt(mount, 'name');
  return [
    ...(name === '' ? [required(childPath(path, 'name'))] : []),
    ...(volumes.has(name) ? [] : [notFound(childPath(path, 'name'), name)]),
    ...(textAt(mount, 'mountPath') === '' ? [required(childPath(path, 'mountPath'))] : []),
  ];
}

function overlaps(
  mount: JsonObject,
  path: FieldPath,
  devices: readonly JsonObject[],
): StatusCause[] {
  const [name, mountPath] = [textAt(mount, 'name'), textAt(mount, 'mountPath')];
  const [nameField, pathField] = [childPath(path, 'name'), childPath(path, 'mountPath')];
  return [
    ...(devices.some((device) => textAt(device, 'name') === name)
      ? [invalid(nameField, name, 'must not already exist in volumeDevices')]
      : []),
    ...(devices.some((device) => textAt(device, 'devicePath') === mountPath)
      ? [invalid(pathField, mountPath, 'must not already exist as a path in volumeDevices')]
      : []),
  ];
}

function validateMountOptions(
  mount: JsonObject,
  list: FieldPath,
  path: FieldPath,
  container: JsonObject,
): StatusCause[] {
  const [subPath, expression] = [textAt(mount, 'subPath'), textAt(mount, 'subPathExpr')];
  const field = childPath(path, 'subPathExpr');
  return [
    ...validateLocalPath(subPath, childPath(list, 'subPath')),
    ...(expression !== '' && subPath !== ''
      ? [invalid(field, expression, 'subPathExpr and subPath are mutually exclusive')]
      : []),
    ...validateLocalPath(expression, childPath(list, 'subPathExpr')),
    ...validatePropagation(mount, childPath(list, 'mountPropagation'), container),
    ...validateReadOnly(mount, childPath(list, 'recursiveReadOnly')),
  ];
}

const propagations = ['Bidirectional', 'HostToContainer', 'None'];

function validatePropagation(
  mount: JsonObject,
  path: FieldPath,
  container: JsonObject,
): StatusCause[] {
  const { mountPropagation } = mount;
  if (mountPropagation === undefined) return [];
  const isPrivileged = objectAt(container, 'securityContext').privileged === true;
  const detail = 'Bidirectional mount propagation is available only to privileged containers';
  return [
    ...(propagations.includes(textAt(mount, 'mountPropagation'))
      ? []
      : [notSupported(path, mountPropagation, propagations)]),
    ...(mountPropagation === 'Bidirectional' && !isPrivileged ? [forbidden(path, detail)] : []),
  ];
}

function validateReadOnly(mount: JsonObject, path: FieldPath): StatusCause[] {
  const { recursiveReadOnly: mode, readOnly, mountPropagation = 'None' } = mount;
  if (mode === undefined || mode === 'Disabled') return [];
  if (mode !== 'Enabled' && mode !== 'IfPossible') {
    return [notSupported(path, mode, ['Disabled', 'Enabled', 'IfPossible'])];
  }
  const isPropagated = mountPropagation !== 'None';
  return [
    ...(readOnly === true ? [] : [forbidden(path, 'may only be specified when readOnly is true')]),
    ...(isPropagated
      ? [forbidden(path, 'may only be specified when mountPropagation is None or not specified')]
      : []),
  ];
}

function validateDevice(device: JsonObject, path: FieldPath, volumes: Volumes): StatusCause[] {
  const [name, devicePath] = [textAt(device, 'name'), textAt(device, 'devicePath')];
  const [nameField, pathField] = [childPath(path, 'name'), childPath(path, 'devicePath')];
  const volume = volumes.get(name);
  const isClaim = volume?.persistentVolumeClaim !== undefined || volume?.ephemeral !== undefined;
  const detail =
    'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode';
  return [
    ...(name === '' ? [required(nameField)] : []),
    ...(volume === undefined ? [notFound(nameField, name)] : []),
    ...(volume !== undefined && !isClaim ? [invalid(nameField, name, detail)] : []),
    ...(devicePath === '' ? [required(pathField)] : []),
    ...(validateBackSteps(devicePath, pathField).length > 0
      ? [invalid(pathField, devicePath, "can not contain backsteps ('..')")]
      : []),
  ];
}

function overlapsMount(
  device: JsonObject,
  path: FieldPath,
  mounts: readonly JsonObject[],
): StatusCause[] {
  const [name, devicePath] = [textAt(device, 'name'), textAt(device, 'devicePath')];
  return [
    ...(mounts.some((mount) => textAt(mount, 'name') === name)
      ? [invalid(childPath(path, 'name'), name, 'must not already exist in volumeMounts')]
      : []),
    ...(mounts.some((mount) => textAt(mount, 'mountPath') === devicePath)
      ? [
          invalid(
            childPath(path, 'devicePath'),
            devicePath,
            'must not already exist as a path in volumeMounts',
          ),
        ]
      : []),
  ];
}

function repeatedValue(
  items: readonly JsonObject[],
  index: number,
  key: string,
  list: FieldPath,
): StatusCause[] {
  const value = textAt(items[index] ?? {}, key);
  const isRepeated = items.slice(0, index).some((item) => textAt(item, key) === value);
  if (!isRepeated || (key === 'name' && value === '')) return [];
  return [invalid(childPath(indexPath(list, index), key), value, 'must be unique')];
}
