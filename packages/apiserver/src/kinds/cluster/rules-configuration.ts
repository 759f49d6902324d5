import type { StatusCause } from '@keelson/apimachinery';
import { checkConfigKey } from '@keelson/cel/internal';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json-value.ts';
import { objectAt, textAt } from '../../schema/default-rule.ts';
import { invalid, required, tooLong } from '../../schema/field-error.ts';
import { childPath, type FieldPath, keyPath } from '../../schema/field-path.ts';
import { validName, type ValidationRules } from '../../schema/validation-rule.ts';

/** The most that the values of a ConfigMap or Secret may hold together. */
const mostBytes = 1024 * 1024;

/** What makes ConfigMaps and Secrets unacceptable. */
export const configurationRules: ValidationRules = {
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
  'core.v1.Secret': (secret, path) => [
    ...validKeys(secret, path, 'data'),
    ...(bytesIn(secret.data, 'base64') > mostBytes ? [tooLong('data', mostBytes)] : []),
    ...validateSecretType(secret),
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
