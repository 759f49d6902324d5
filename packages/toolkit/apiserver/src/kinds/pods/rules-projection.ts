import type { StatusCause } from '@keelson/apimachinery';
import type { FieldPath, JsonObject } from '@keelson/structural-schema';
import {
  childPath,
  forbidden,
  indexPath,
  invalid,
  isJsonObject,
  required,
} from '@keelson/structural-schema';
import { objectAt, objectsAt, textAt } from '../../json/json-members.ts';
import {
  fileFields,
  validateFieldReference,
  validateResourceReference,
} from './rules-field-reference.ts';
import { validateFilePath } from './rules-path.ts';

/** The shortest and longest lifetime of a projected token in seconds. */
const MIN_TOKEN_SECONDS = 600;
const MAX_TOKEN_SECONDS = 2 ** 32;

/** Validates the permissions of files. */
export function validateMode(source: JsonObject, path: FieldPath, field: string): StatusCause[] {
  const mode = source[field];
  if (mode === undefined || (Number(mode) >= 0 && Number(mode) <= 0o777)) return [];
  const detail = 'must be a number between 0 and 0777 (octal), both inclusive';
  return [invalid(childPath(path, field), mode, detail)];
}

/** Validates the files that a volume has of a Secret or ConfigMap. */
export function validateItems(source: JsonObject, path: FieldPath): StatusCause[] {
  return objectsAt(source, 'items').flatMap((item, index) =>
    validateItem(item, indexPath(childPath(path, 'items'), index)),
  );
}

function validateItem(item: JsonObject, path: FieldPath): StatusCause[] {
  return [
    ...['key', 'path']
      .filter((field) => textAt(item, field) === '')
      .map((field) => required(childPath(path, field))),
    ...validateFilePath(textAt(item, 'path'), childPath(path, 'path')),
    ...validateMode(item, path, 'mode'),
  ];
}

/** Validates a file with a field of the pod or a resource of a container. kube-apiserver reports it without its index. */
export function validateDownwardFile(file: JsonObject, path: FieldPath): StatusCause[] {
  const place = childPath(path, 'path');
  return [
    ...(textAt(file, 'path') === '' ? [required(place)] : []),
    ...validateFilePath(textAt(file, 'path'), place),
    ...validateFileSource(file, path),
    ...validateMode(file, path, 'mode'),
  ];
}

function validateFileSource(
  { fieldRef, resourceFieldRef }: JsonObject,
  path: FieldPath,
): StatusCause[] {
  if (isJsonObject(fieldRef)) {
    const both = 'fieldRef and resourceFieldRef can not be specified simultaneously';
    return [
      ...validateFieldReference(fieldRef, childPath(path, 'fieldRef'), fileFields),
      ...(isJsonObject(resourceFieldRef) ? [invalid(path, 'resource', both)] : []),
    ];
  }
  if (!isJsonObject(resourceFieldRef)) {
    return [required(path, 'one of fieldRef and resourceFieldRef is required')];
  }
  return validateResourceReference(resourceFieldRef, childPath(path, 'resourceFieldRef'), true);
}

/** The names of the sources that one entry of a projected volume may have. */
const sources = [
  'secret',
  'configMap',
  'downwardAPI',
  'serviceAccountToken',
  'clusterTrustBundle',
  'podCertificate',
];

/** Validates a projected volume, whose files come from several sources. */
export function validateProjection(projection: JsonObject, path: FieldPath): StatusCause[] {
  const taken = new Set<string>();
  return [
    ...validateMode(projection, path, 'defaultMode'),
    ...objectsAt(projection, 'sources').flatMap((source, index) => {
      const place = indexPath(childPath(path, 'sources'), index);
      const present = sources.filter((name) => isJsonObject(source[name]));
      return [
        ...present.flatMap((name) =>
          validateSource(name, objectAt(source, name), { path, place, taken }),
        ),
        ...(present.length > 1
          ? [forbidden(place, 'may not specify more than 1 volume type per source')]
          : []),
      ];
    }),
  ];
}

interface Place {
  /** The path of the volume. */
  readonly path: FieldPath;
  /** The path of the entry in the list of sources. */
  readonly place: FieldPath;
  /** The paths of the files of earlier sources. */
  readonly taken: Set<string>;
}

function validateSource(name: string, source: JsonObject, place: Place): StatusCause[] {
  const path = childPath(place.place, name);
  switch (name) {
    case 'secret':
    case 'configMap':
      return [
        ...(textAt(source, 'name') === '' ? [required(childPath(path, 'name'))] : []),
        ...objectsAt(source, 'items').flatMap((item, index) => [
          ...validateItem(item, indexPath(childPath(path, 'items'), index)),
          ...conflicts(textAt(item, 'path'), textAt(source, 'name'), place),
        ]),
      ];
    case 'downwardAPI':
      return objectsAt(source, 'items').flatMap((file) => [
        ...validateDownwardFile(file, path),
        ...conflicts(textAt(file, 'path'), textAt(file, 'path'), place),
      ]);
    case 'serviceAccountToken':
      return validateToken(source, path, childPath(place.path, 'path'));
    default:
      return [];
  }
}

function conflicts(file: string, shown: string, { path, taken }: Place): StatusCause[] {
  if (file === '') return [];
  if (taken.has(file)) return [invalid(path, shown, 'conflicting duplicate paths')];
  taken.add(file);
  return [];
}

function validateToken(token: JsonObject, path: FieldPath, filePath: FieldPath): StatusCause[] {
  const { expirationSeconds: seconds = 3600 } = token;
  const field = childPath(path, 'expirationSeconds');
  const file = textAt(token, 'path');
  return [
    ...(Number(seconds) < MIN_TOKEN_SECONDS
      ? [invalid(field, seconds, 'may not specify a duration less than 10 minutes')]
      : []),
    ...(Number(seconds) > MAX_TOKEN_SECONDS
      ? [invalid(field, seconds, 'may not specify a duration larger than 2^32 seconds')]
      : []),
    ...(file === '' ? [required(filePath)] : validateFilePath(file, filePath)),
  ];
}
