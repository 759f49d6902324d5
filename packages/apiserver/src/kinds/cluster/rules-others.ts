import type { StatusCause } from '@keelson/apimachinery';
import { checkConfigKey } from '@keelson/cel/internal';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json-value.ts';
import { objectAt, textAt } from '../../schema/default-rule.ts';
import { forbidden, invalid, notSupported, required, tooLong } from '../../schema/field-error.ts';
import { childPath, type FieldPath, indexPath, keyPath } from '../../schema/field-path.ts';
import { atLeastZero, validName, type ValidationRules } from '../../schema/validation-rule.ts';

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
    return [
      ...Object.keys(objectAt(map, 'data')).flatMap((key) => {
        const field = keyPath(childPath(path, 'data'), key);
        const isTwice = Object.hasOwn(binary, key);
        return [
          ...validName(checkConfigKey, key, field),
          ...(isTwice ? [invalid(field, key, 'duplicate of key present in binaryData')] : []),
        ];
      }),
      ...validKeys(map, path, 'binaryData'),
      // kube-apiserver means the object as a whole, which has no name.
      ...(bytesIn(map.data, 'utf8') + bytesIn(binary, 'base64') > mostBytes
        ? [tooLong('[]', mostBytes)]
        : []),
    ];
  },
  'core.v1.Namespace': (namespace) => {
    const { phase } = objectAt(namespace, 'status');
    const isDeleting = objectAt(namespace, 'metadata').deletionTimestamp !== undefined;
    if (phase === undefined || phase === 'Active' || isDeleting) return [];
    const detail = "may only be 'Active' if `deletionTimestamp` is empty";
    return [invalid('status.Phase', phase, detail)];
  },
  'core.v1.NamespaceSpec': ({ finalizers }, path) =>
    (Array.isArray(finalizers) ? finalizers : []).flatMap((name, index) => {
      if (name === 'kubernetes' || (typeof name === 'string' && name.includes('/'))) return [];
      const detail = 'name is neither a standard finalizer name nor is it fully qualified';
      return [invalid(indexPath(childPath(path, 'finalizers'), index), name, detail)];
    }),
  'core.v1.Event': (event) => inNamespaceOf(event, objectAt(event, 'involvedObject')),
  'events.v1.Event': (event) => inNamespaceOf(event, objectAt(event, 'regarding')),
  'core.v1.Secret': (secret, path) => [
    ...validKeys(secret, path, 'data'),
    ...(bytesIn(secret.data, 'base64') > mostBytes ? [tooLong('data', mostBytes)] : []),
    ...validateSecretType(secret),
  ],
  'scheduling.v1.PriorityClass': (priority) => {
    const name = textAt(objectAt(priority, 'metadata'), 'name');
    if (systemPriorities.has(name)) return [];
    if (!name.startsWith('system-')) return userPriority(priority);
    const detail = `priority class names with 'system-' prefix are reserved for system use only. error: ${name} is not a known system priority class`;
    return [forbidden('metadata.name', detail)];
  },
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

/** The keys that a Secret of a type must have. */
const neededKeys: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
};

function validateSecretType(secret: JsonObject): StatusCause[] {
  const type = textAt(secret, 'type');
  const data = objectAt(secret, 'data');
  const needed = Object.hasOwn(neededKeys, type) ? (neededKeys[type] ?? []) : [];
  const missing = needed.filter((key) => data[key] === undefined);
  return [
    ...missing.map((key) => required(keyPath('data', key))),
    ...(type === 'kubernetes.io/basic-auth' ? validateBasicAuth(data) : []),
    ...needed
      .filter((key) => key.startsWith('.') && data[key] !== undefined)
      .flatMap((key) => validateDockerConfig(textAt(data, key), keyPath('data', key))),
  ];
}

/** One of the two suffices. */
function validateBasicAuth(data: JsonObject): StatusCause[] {
  if (data.username !== undefined || data.password !== undefined) return [];
  return ['username', 'password'].map((key) => required(keyPath('data', key)));
}

function validateDockerConfig(base64: string, path: FieldPath): StatusCause[] {
  const text = Buffer.from(base64, 'base64').toString();
  const reason = goJsonError(text);
  return reason === undefined ? [] : [invalid(path, '<secret contents redacted>', reason)];
}

/** What Go's decoder says of a text that is no JSON object, where it ends too early. */
function goJsonError(text: string): string | undefined {
  try {
    return isJsonObject(JSON.parse(text) as JsonValue) ? undefined : notAnObject(text);
  } catch {
    return 'unexpected end of JSON input';
  }
}

function notAnObject(text: string): string {
  const parsed = JSON.parse(text) as JsonValue;
  const found = Array.isArray(parsed)
    ? 'array'
    : typeof parsed === 'boolean'
      ? 'bool'
      : typeof parsed;
  return `json: cannot unmarshal ${found} into Go value of type map[string]interface {}`;
}

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

/** The bytes that the values of a map stand for. */
function bytesIn(map: JsonValue | undefined, encoding: 'utf8' | 'base64'): number {
  const values = Object.values(isJsonObject(map) ? map : {}).map(String);
  return values.reduce((sum, text) => sum + Buffer.byteLength(text, encoding), 0);
}
