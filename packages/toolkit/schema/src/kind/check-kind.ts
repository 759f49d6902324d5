import {
  checkFlag,
  checkOptions,
  invalidOption,
  isDnsLabel,
  isDnsSubdomain,
} from '@keelson/apimachinery';
import { checkSchema } from '../literal/check-schema.ts';
import { checkContent } from './check-content.ts';
import { checkSelectableFields } from './check-selectable-fields.ts';
import type { KindNames, KindOptions, VersionOptions } from './kind-options.ts';
import { rootSchemaOf } from './root-schema.ts';

/** The options that all versions of a kind share. */
export const nameOptions: readonly (keyof KindNames)[] = [
  'group',
  'kind',
  'plural',
  'singular',
  'scope',
  'shortNames',
  'categories',
];

/** The options that each version has of its own. */
export const versionOptions: readonly (keyof VersionOptions)[] = [
  'served',
  'deprecated',
  'spec',
  'status',
  'keywords',
  'printColumns',
  'scale',
  'selectableFields',
  'validations',
];

const columnTypes: readonly unknown[] = ['boolean', 'date', 'integer', 'number', 'string'];
const columnFormats: readonly unknown[] = [
  'int32',
  'int64',
  'float',
  'double',
  'byte',
  'date',
  'date-time',
  'password',
];

/** The names of a CRD, with the option of `defineKind` to use instead. */
const mistakes = {
  subresources: 'give `status` and `scale`; each enables its subresource',
  additionalPrinterColumns: 'use printColumns',
} as const;

/** Throws `INVALID_OPTION`, `SCHEMA_INVALID` or `RULE_INVALID` for options that do not make a valid CRD. */
export function checkKind(options: KindOptions): void {
  const where = 'defineKind';
  checkOptions(options, [...nameOptions, 'version', ...versionOptions], where, mistakes);
  checkNames(options);
  checkVersionName(options.version, `${where}.version`);
  checkVersion(options, where);
}

/** As `checkKind`, for what one version has of its own. `where` begins the names and paths in errors. */
export function checkVersion(options: VersionOptions, where: string): void {
  checkFlag(options.served, `${where}.served`);
  checkDeprecation(options, where);
  checkSchema(options.spec, `${where}.spec`);
  if (options.status !== undefined) checkSchema(options.status, `${where}.status`);
  checkColumns(options.printColumns ?? [], `${where}.printColumns`);
  checkScale(options, `${where}.scale`);
  for (const [index, { rule }] of (options.validations ?? []).entries()) {
    const option = `${where}.validations[${index}].rule`;
    checkText(rule, option, 'a CEL expression', (text) => text.trim() !== '');
  }
  const root = rootSchemaOf(options);
  checkSelectableFields(options.selectableFields ?? [], root, where);
  checkContent(root, where);
}

/** Throws `INVALID_OPTION` for an unknown option of a version. */
export function checkVersionOptions(options: object, where: string): void {
  checkOptions(options, versionOptions, where, mistakes);
}

/** Throws `INVALID_OPTION` for a name that no version may have. */
export function checkVersionName(version: unknown, option: string): void {
  checkText(version, option, 'a name such as "v1"', isLetterLabel);
}

function checkDeprecation({ deprecated }: VersionOptions, where: string): void {
  if (deprecated === undefined || typeof deprecated === 'boolean') return;
  checkText(
    deprecated,
    `${where}.deprecated`,
    'true, false or a printable line of at most 256 bytes',
    isLine,
  );
}

/** Printable as for Go: letters, marks, numbers, punctuation, symbols and the ASCII space. */
function isLine(text: string): boolean {
  return /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]+$/u.test(text) && Buffer.byteLength(text) <= 256;
}

/** Throws `INVALID_OPTION` for names that all versions share. */
export function checkNames({ group, kind, plural, scope, ...names }: KindNames): void {
  checkText(group, 'defineKind.group', 'a domain such as "shop.example"', isDomain);
  if (/(?:^|\.)(?:k8s|kubernetes)\.io$/.test(group)) {
    const expected = 'must not be a group of Kubernetes, which the API server protects';
    throw invalidOption('defineKind.group', expected, { value: group });
  }
  checkText(
    kind,
    'defineKind.kind',
    'a CamelCase name of at most 59 letters and digits such as "Widget"',
    isKind,
  );
  checkText(plural, 'defineKind.plural', 'a lower-case name such as "widgets"', isLetterLabel);
  if (!isDnsSubdomain(`${plural}.${group}`)) {
    const expected = 'must give a name PLURAL.GROUP of at most 253 characters';
    throw invalidOption('defineKind.group', expected, { value: `${plural}.${group}` });
  }
  if (names.singular !== undefined) {
    const expected = 'a lower-case name such as "widget"';
    checkText(names.singular, 'defineKind.singular', expected, isLetterLabel);
  }
  if (scope !== undefined && !['Namespaced', 'Cluster'].includes(scope)) {
    throw invalidOption('defineKind.scope', 'must be Namespaced or Cluster');
  }
  for (const list of ['shortNames', 'categories'] as const) {
    for (const [index, name] of (names[list] ?? []).entries()) {
      checkText(name, `defineKind.${list}[${index}]`, 'a lower-case name', isLetterLabel);
    }
  }
}

function checkColumns(columns: NonNullable<VersionOptions['printColumns']>, where: string): void {
  for (const [index, { name, type, jsonPath, format }] of columns.entries()) {
    const column = `${where}[${index}]`;
    checkText(name, `${column}.name`, 'a text', (text) => text !== '');
    if (!columnTypes.includes(type)) {
      throw invalidOption(`${column}.type`, `must be one of ${columnTypes.join(' ')}`);
    }
    if (format !== undefined && format !== '' && !columnFormats.includes(format)) {
      throw invalidOption(`${column}.format`, `must be one of ${columnFormats.join(' ')}`);
    }
    checkText(jsonPath, `${column}.jsonPath`, 'a path such as ".spec.size"', isPath);
  }
}

function checkScale({ scale, status }: VersionOptions, where: string): void {
  if (scale === undefined) return;
  if (status === undefined) throw invalidOption(where, 'needs a status schema');
  checkText(
    scale.specReplicasPath,
    `${where}.specReplicasPath`,
    'a path below .spec',
    isBelow('spec'),
  );
  const below = isBelow('status');
  checkText(scale.statusReplicasPath, `${where}.statusReplicasPath`, 'a path below .status', below);
  const { labelSelectorPath } = scale;
  if (labelSelectorPath === undefined) return;
  checkText(
    labelSelectorPath,
    `${where}.labelSelectorPath`,
    'a path below .spec or .status',
    (text) => below(text) || isBelow('spec')(text),
  );
}

function checkText(
  value: unknown,
  option: string,
  expected: string,
  accepts: (text: string) => boolean,
): void {
  if (typeof value === 'string' && accepts(value)) return;
  const facts = value === undefined ? {} : { value };
  throw invalidOption(option, `must be ${expected}`, facts);
}

function isDomain(group: string): boolean {
  return group.includes('.') && isDnsSubdomain(group);
}

function isLetterLabel(name: string): boolean {
  return /^[a-z]/.test(name) && isDnsLabel(name);
}

function isKind(kind: string): boolean {
  // The kind of a list, such as WidgetList, has at most 63 characters.
  return /^[A-Z][A-Za-z0-9]{0,58}$/.test(kind);
}

function isPath(path: string): boolean {
  return path.startsWith('.');
}

function isBelow(member: string): (path: string) => boolean {
  return (path) => path.startsWith(`.${member}.`);
}
