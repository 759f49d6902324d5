import type { StatusCause } from '@keelson/apimachinery';
import { checkConfigKey, checkDnsLabel, checkSubdomain } from '@keelson/cel/internal';
import type { FieldPath, JsonObject } from '@keelson/structural-schema';
import { childPath, invalid, isJsonObject, required } from '@keelson/structural-schema';
import { objectAt, textAt } from '../../json/json-members.ts';
import type { OrderedRules } from '../../schema/validation-rule.ts';
import { validateBackSteps } from './rules-path.ts';
import {
  validateFieldReference,
  validateResourceReference,
  variableFields,
} from './rules-field-reference.ts';

/** Ordered validation rules of the environment variables of a container. */
export const variableOrders: OrderedRules = {
  'core.v1.EnvVar': validateVariable,
  'core.v1.EnvFromSource': (source, path) => {
    const [list] = /^.*(?=\[\d+\]$)/s.exec(path) ?? [path];
    return [
      ...validateName(textAt(source, 'prefix'), childPath(path, 'prefix')),
      ...['configMapRef', 'secretRef'].flatMap((name) =>
        source[name] === undefined
          ? []
          : validateObjectName(objectAt(source, name), childPath(path, name)),
      ),
      ...onlyOne(
        sourcesOf(source, ['configMapRef', 'secretRef']),
        list,
        '`configMapRef` or `secretRef`',
      ),
    ];
  },
};

const referenceRules: Readonly<
  Record<string, (reference: JsonObject, path: FieldPath) => StatusCause[]>
> = {
  fieldRef: (reference, path) => validateFieldReference(reference, path, variableFields),
  resourceFieldRef: (reference, path) => validateResourceReference(reference, path, false),
  configMapKeyRef: validateKeyReference,
  secretKeyRef: validateKeyReference,
  fileKeyRef: validateFileReference,
};

const variableSources =
  '`fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`';

function validateVariable(variable: JsonObject, path: FieldPath): StatusCause[] {
  const name = textAt(variable, 'name');
  return [
    ...(name === ''
      ? [required(childPath(path, 'name'))]
      : validateName(name, childPath(path, 'name'))),
    ...(isJsonObject(variable.valueFrom)
      ? validateSource(variable, variable.valueFrom, childPath(path, 'valueFrom'))
      : []),
  ];
}

function validateSource(variable: JsonObject, source: JsonObject, path: FieldPath): StatusCause[] {
  const names = sourcesOf(source, Object.keys(referenceRules));
  const isAlone = textAt(variable, 'value') === '';
  return [
    ...names.flatMap(
      (name) => referenceRules[name]?.(objectAt(source, name), childPath(path, name)) ?? [],
    ),
    ...(names.length === 0 || isAlone
      ? onlyOne(names, path, variableSources)
      : [invalid(path, '', 'may not be specified when `value` is not empty')]),
  ];
}

function sourcesOf(source: JsonObject, names: readonly string[]): string[] {
  return names.filter((name) => source[name] !== undefined);
}

function onlyOne(names: readonly string[], path: FieldPath, choices: string): StatusCause[] {
  if (names.length === 0) return [invalid(path, '', `must specify one of: ${choices}`)];
  if (names.length === 1) return [];
  return [invalid(path, '', 'may not have more than one field specified at a time')];
}

function validateName(name: string, path: FieldPath): StatusCause[] {
  if (/^[\x20-\x3C\x3E-\x7E]*$/.test(name)) return [];
  const detail =
    "a valid environment variable name must consist only of printable ASCII characters other than '='";
  return [invalid(path, name, detail)];
}

function validateObjectName(reference: JsonObject, path: FieldPath): StatusCause[] {
  const name = textAt(reference, 'name');
  const field = childPath(path, 'name');
  if (name === '') return [required(field)];
  return checkSubdomain(name).map((detail) => invalid(field, name, detail));
}

function validateKeyReference(reference: JsonObject, path: FieldPath): StatusCause[] {
  const [name, key] = [textAt(reference, 'name'), textAt(reference, 'key')];
  const [nameField, keyField] = [childPath(path, 'name'), childPath(path, 'key')];
  return [
    ...checkSubdomain(name).map((detail) => invalid(nameField, name, detail)),
    ...(key === ''
      ? [required(keyField)]
      : checkConfigKey(key).map((detail) => invalid(keyField, key, detail))),
  ];
}

function validateFileReference(reference: JsonObject, path: FieldPath): StatusCause[] {
  const at = (name: string): string => textAt(reference, name);
  const volume = childPath(path, 'volumeName');
  return [
    ...(at('key') === ''
      ? [required(childPath(path, 'key'))]
      : validateName(at('key'), childPath(path, 'key'))),
    ...(at('volumeName') === ''
      ? [required(volume)]
      : checkDnsLabel(at('volumeName')).map((detail) => invalid(volume, at('volumeName'), detail))),
    ...(at('path') === ''
      ? [required(childPath(path, 'path'))]
      : validateBackSteps(at('path'), childPath(path, 'path'))),
  ];
}
