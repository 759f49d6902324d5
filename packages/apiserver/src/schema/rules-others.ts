import { isIP } from 'node:net';
import type { StatusCause } from '@keelson/apimachinery';
import { isJsonObject, type JsonObject, type JsonValue } from '../patch/json-value.ts';
import { objectAt, objectsAt, textAt } from './default-rule.ts';
import { forbidden, invalid, notSupported, required, tooLong } from './field-error.ts';
import { childPath, type FieldPath, indexPath, keyPath } from './field-path.ts';
import { checkConfigKey } from './name-syntax.ts';
import {
  atLeastZero,
  repeatedNames,
  validName,
  validPort,
  type ValidationRules,
} from './validation-rule.ts';

/** The fields of a volume that are not its source. */
const volumeSettings = new Set([
  'accessModes',
  'capacity',
  'claimRef',
  'mountOptions',
  'nodeAffinity',
  'persistentVolumeReclaimPolicy',
  'storageClassName',
  'volumeAttributesClassName',
  'volumeMode',
]);

/** The most that the values of a ConfigMap or Secret may hold together. */
const mostBytes = 1024 * 1024;

const systemPriorities: ReadonlySet<string> = new Set([
  'system-cluster-critical',
  'system-node-critical',
]);

const highestUserPriority = 1_000_000_000;

function userPriority({ value }: JsonObject): StatusCause[] {
  if (Number(value) <= highestUserPriority) return [];
  const detail = `maximum allowed value of a user defined priority is ${highestUserPriority}`;
  return [forbidden('value', detail)];
}

/** What makes Services, claims, ingresses, access rules, leases and configuration unacceptable. */
export const otherRules: ValidationRules = {
  'core.v1.ConfigMap': (map, path) => {
    const binary = objectAt(map, 'binaryData');
    const twice = Object.keys(objectAt(map, 'data')).filter((key) => Object.hasOwn(binary, key));
    return [
      ...validKeys(map, path, 'data'),
      ...validKeys(map, path, 'binaryData'),
      ...twice.map((key) =>
        invalid(
          keyPath(childPath(path, 'data'), key),
          key,
          'duplicate of key present in binaryData',
        ),
      ),
      // kube-apiserver means the object as a whole, which has no name.
      ...(bytesIn(map.data, 'utf8') + bytesIn(binary, 'base64') > mostBytes
        ? [tooLong('[]', mostBytes)]
        : []),
    ];
  },
  'core.v1.Event': (event) => inNamespaceOf(event, objectAt(event, 'involvedObject')),
  'events.v1.Event': (event) => inNamespaceOf(event, objectAt(event, 'regarding')),
  'core.v1.Secret': (secret, path) => [
    ...validKeys(secret, path, 'data'),
    ...(bytesIn(secret.data, 'base64') > mostBytes ? [tooLong('data', mostBytes)] : []),
  ],
  'scheduling.v1.PriorityClass': (priority) => {
    const name = textAt(objectAt(priority, 'metadata'), 'name');
    if (systemPriorities.has(name)) return [];
    if (!name.startsWith('system-')) return userPriority(priority);
    const detail = `priority class names with 'system-' prefix are reserved for system use only. error: ${name} is not a known system priority class`;
    return [forbidden('metadata.name', detail)];
  },
  'core.v1.ServiceSpec': validateService,
  'core.v1.ServicePort': (port, path) => [
    ...validPort(port.port, childPath(path, 'port')),
    ...validPort(port.targetPort, childPath(path, 'targetPort')),
  ],
  'core.v1.PersistentVolumeClaimSpec': (spec, path) => [
    ...(Array.isArray(spec.accessModes) && spec.accessModes.length > 0
      ? []
      : [required(childPath(path, 'accessModes'), 'at least 1 access mode is required')]),
    ...(objectAt(objectAt(spec, 'resources'), 'requests').storage === undefined
      ? [required(childPath(path, 'resources[storage]'))]
      : []),
  ],
  'core.v1.PersistentVolumeSpec': (spec, path) => [
    ...['accessModes', 'capacity']
      .filter((field) => spec[field] === undefined)
      .map((field) => required(childPath(path, field))),
    ...(objectAt(spec, 'capacity').storage === undefined
      ? [notSupported(childPath(path, 'capacity'), spec.capacity, ['storage'])]
      : []),
    ...(Object.keys(spec).some((key) => !volumeSettings.has(key))
      ? []
      : [required(path, 'must specify a volume type')]),
  ],
  'networking.v1.IngressClassSpec': (spec, path) =>
    textAt(spec, 'controller') === '' ? [required(childPath(path, 'controller'))] : [],
  'coordination.v1.LeaseSpec': (spec, path) => [
    ...(typeof spec.leaseDurationSeconds === 'number' && spec.leaseDurationSeconds <= 0
      ? [
          invalid(
            childPath(path, 'leaseDurationSeconds'),
            spec.leaseDurationSeconds,
            'must be greater than 0',
          ),
        ]
      : []),
    ...atLeastZero(spec, path, 'leaseTransitions'),
  ],
};

/** An event stands beside the object that it tells of; those of cluster-scoped objects in `default`. */
function inNamespaceOf(event: JsonObject, subject: JsonObject): StatusCause[] {
  const own = textAt(objectAt(event, 'metadata'), 'namespace');
  const other = textAt(subject, 'namespace');
  if (own === other || (other === '' && own === 'default')) return [];
  return [invalid('involvedObject.namespace', other, 'does not match event.namespace')];
}

function validKeys(object: JsonObject, path: FieldPath, field: string): StatusCause[] {
  return Object.keys(objectAt(object, field)).flatMap((key) =>
    validName(checkConfigKey, key, keyPath(childPath(path, field), key)),
  );
}

function validateService(spec: JsonObject, path: FieldPath): StatusCause[] {
  const ports = objectsAt(spec, 'ports');
  const portsPath = childPath(path, 'ports');
  if (spec.type === 'ExternalName') {
    return textAt(spec, 'externalName') === '' ? [required(childPath(path, 'externalName'))] : [];
  }
  const headless = spec.clusterIP === 'None';
  return [
    ...(ports.length === 0 && !headless ? [required(portsPath)] : []),
    ...(ports.length < 2 ? [] : namelessPorts(ports, portsPath)),
    ...repeatedNames(ports, portsPath),
    ...validAddresses(spec, path),
  ];
}

function namelessPorts(ports: JsonObject[], path: FieldPath): StatusCause[] {
  return ports.flatMap((port, index) =>
    textAt(port, 'name') === '' ? [required(childPath(indexPath(path, index), 'name'))] : [],
  );
}

function validAddresses(spec: JsonObject, path: FieldPath): StatusCause[] {
  const addresses = Array.isArray(spec.clusterIPs) ? spec.clusterIPs : [spec.clusterIP ?? ''];
  return addresses.flatMap((address, index) => {
    if (typeof address !== 'string' || address === '' || address === 'None') return [];
    if (isIP(address) !== 0) return [];
    const detail = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
    return [invalid(indexPath(childPath(path, 'clusterIPs'), index), address, detail)];
  });
}

/** The bytes that the values of a map stand for. */
function bytesIn(map: JsonValue | undefined, encoding: 'utf8' | 'base64'): number {
  const values = Object.values(isJsonObject(map) ? map : {}).map(String);
  return values.reduce((sum, text) => sum + Buffer.byteLength(text, encoding), 0);
}
