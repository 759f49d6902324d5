import { objectAt, textAt } from '../../json/json-members.ts';
import type { StatusCause } from '@keelson/apimachinery';
import { parseJson } from '../../json/parse-json.ts';
import { checkConfigKey } from '@keelson/cel/internal';
import {
  childPath,
  type FieldPath,
  invalid,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  keyPath,
  required,
  tooLong,
} from '@keelson/structural-schema';
import type { ValidationRules } from '../../schema/validation-rule.ts';

/** The limit for the total size of the values of a ConfigMap or Secret. */
const MAX_TOTAL_BYTES = 1024 * 1024;

/** Validation rules of ConfigMaps and Secrets. */
export const configurationRules: ValidationRules = {
  'core.v1.ConfigMap': (map, path) => {
    const binary = objectAt(map, 'binaryData');
    return [
      ...Object.keys(objectAt(map, 'data')).flatMap((key) => {
        const field = keyPath(childPath(path, 'data'), key);
        const isDuplicate = Object.hasOwn(binary, key);
        return [
          ...validKey(key, field),
          ...(isDuplicate ? [invalid(field, key, 'duplicate of key present in binaryData')] : []),
        ];
      }),
      ...validKeys(map, path, 'binaryData'),
      // The cause refers to the whole object, which kube-apiserver writes as `[]`.
      ...(bytesIn(map.data, 'utf8') + bytesIn(binary, 'base64') > MAX_TOTAL_BYTES
        ? [tooLong('[]', MAX_TOTAL_BYTES)]
        : []),
    ];
  },
  'core.v1.Secret': (secret, path) => [
    ...validKeys(secret, path, 'data'),
    ...(bytesIn(secret.data, 'base64') > MAX_TOTAL_BYTES ? [tooLong('data', MAX_TOTAL_BYTES)] : []),
    ...validateSecretType(secret),
  ],
};

/** The required keys for each type of Secret. */
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
    ...(type === 'kubernetes.io/service-account-token' ? validateTokenOwner(secret) : []),
    ...missing.map((key) => required(keyPath('data', key))),
    ...(type === 'kubernetes.io/basic-auth' ? validateBasicAuth(data) : []),
    ...needed
      .filter((key) => key.startsWith('.') && data[key] !== undefined)
      .flatMap((key) => validateDockerConfig(textAt(data, key), keyPath('data', key))),
  ];
}

/** A token belongs to the ServiceAccount that an annotation names. */
function validateTokenOwner(secret: JsonObject): StatusCause[] {
  const annotations = objectAt(objectAt(secret, 'metadata'), 'annotations');
  const key = 'kubernetes.io/service-account.name';
  if (textAt(annotations, key) !== '') return [];
  return [required(keyPath('metadata.annotations', key))];
}

/** A basic-auth Secret needs a user name or a password. */
function validateBasicAuth(data: JsonObject): StatusCause[] {
  if (data.username !== undefined || data.password !== undefined) return [];
  return ['username', 'password'].map((key) => required(keyPath('data', key)));
}

function validateDockerConfig(base64: string, path: FieldPath): StatusCause[] {
  const text = Buffer.from(base64, 'base64').toString();
  const reason = goJsonError(text);
  return reason === undefined ? [] : [invalid(path, '<secret contents redacted>', reason)];
}

/** The message of Go's decoder for a text that is not a JSON object or is truncated. */
function goJsonError(text: string): string | undefined {
  try {
    return isJsonObject(parseJson(text)) ? undefined : notAnObject(text);
  } catch (error) {
    if (error instanceof SyntaxError) return error.message;
    throw error;
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

function validKeys(object: JsonObject, path: FieldPath, field: string): StatusCause[] {
  return Object.keys(objectAt(object, field)).flatMap((key) =>
    validKey(key, keyPath(childPath(path, field), key)),
  );
}

/** Unlike a name that is absent, an empty key is invalid. */
function validKey(key: string, path: FieldPath): StatusCause[] {
  return checkConfigKey(key).map((detail) => invalid(path, key, detail));
}

/** The number of bytes after the values of a map are decoded. */
function bytesIn(map: JsonValue | undefined, encoding: 'utf8' | 'base64'): number {
  const values = Object.values(isJsonObject(map) ? map : {}).map(String);
  return values.reduce((sum, text) => sum + Buffer.byteLength(text, encoding), 0);
}
