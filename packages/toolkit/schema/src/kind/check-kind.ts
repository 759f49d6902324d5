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
import type { KindOptions } from './kind-options.ts';
import { rootSchemaOf } from './root-schema.ts';

const optionNames: readonly (keyof KindOptions)[] = [
  'group',
  'version',
  'served',
  'deprecated',
  'kind',
  'plural',
  'singular',
  'scope',
  'shortNames',
  'categories',
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

/** Throws `INVALID_OPTION`, `SCHEMA_INVALID` or `RULE_INVALID` for options that do not make a valid CRD. */
export function checkKind(options: KindOptions): void {
  checkOptions(options, optionNames, 'defineKind', {
    subresources: 'give `status` and `scale`; each enables its subresource',
    additionalPrinterColumns: 'use printColumns',
  });
  checkNames(options);
  checkFlag(options.served, 'defineKind.served');
  checkDeprecation(options);
  if (options.scope !== undefined && !['Namespaced', 'Cluster'].includes(options.scope)) {
    throw invalidOption('defineKind.scope', 'must be Namespaced or Cluster');
  }
  checkSchema(options.spec, 'defineKind.spec');
  if (options.status !== undefined) checkSchema(options.status, 'defineKind.status');
  checkColumns(options.printColumns ?? []);
  checkScale(options);
  for (const [index, { rule }] of (options.validations ?? []).entries()) {
    checkText(rule, `validations[${index}].rule`, 'a CEL expression', (text) => text.trim() !== '');
  }
  const root = rootSchemaOf(options);
  checkSelectableFields(options.selectableFields ?? [], root);
  checkContent(root, 'defineKind');
}

function checkDeprecation({ deprecated }: KindOptions): void {
  if (deprecated === undefined || typeof deprecated === 'boolean') return;
  checkText(
    deprecated,
    'deprecated',
    'true, false or a printable line of at most 256 bytes',
    isLine,
  );
}

/** Printable as for Go: letters, marks, numbers, punctuation, symbols and the ASCII space. */
function isLine(text: string): boolean {
  return /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]+$/u.test(text) && Buffer.byteLength(text) <= 256;
}

function checkNames({ group, version, kind, plural, ...names }: KindOptions): void {
  checkText(group, 'group', 'a domain such as "shop.example"', isDomain);
  if (/(?:^|\.)(?:k8s|kubernetes)\.io$/.test(group)) {
    const expected = 'must not be a group of Kubernetes, which the API server protects';
    throw invalidOption('defineKind.group', expected, { value: group });
  }
  checkText(version, 'version', 'a name such as "v1"', isLetterLabel);
  checkText(
    kind,
    'kind',
    'a CamelCase name of at most 59 letters and digits such as "Widget"',
    isKind,
  );
  checkText(plural, 'plural', 'a lower-case name such as "widgets"', isLetterLabel);
  if (!isDnsSubdomain(`${plural}.${group}`)) {
    const expected = 'must give a name PLURAL.GROUP of at most 253 characters';
    throw invalidOption('defineKind.group', expected, { value: `${plural}.${group}` });
  }
  if (names.singular !== undefined) {
    checkText(names.singular, 'singular', 'a lower-case name such as "widget"', isLetterLabel);
  }
  for (const list of ['shortNames', 'categories'] as const) {
    for (const [index, name] of (names[list] ?? []).entries()) {
      checkText(name, `${list}[${index}]`, 'a lower-case name', isLetterLabel);
    }
  }
}

function checkColumns(columns: NonNullable<KindOptions['printColumns']>): void {
  for (const [index, { name, type, jsonPath, format }] of columns.entries()) {
    const column = `printColumns[${index}]`;
    checkText(name, `${column}.name`, 'a text', (text) => text !== '');
    if (!columnTypes.includes(type)) {
      throw invalidOption(`defineKind.${column}.type`, `must be one of ${columnTypes.join(' ')}`);
    }
    if (format !== undefined && format !== '' && !columnFormats.includes(format)) {
      throw invalidOption(
        `defineKind.${column}.format`,
        `must be one of ${columnFormats.join(' ')}`,
      );
    }
    checkText(jsonPath, `${column}.jsonPath`, 'a path such as ".spec.size"', isPath);
  }
}

function checkScale({ scale, status }: KindOptions): void {
  if (scale === undefined) return;
  if (status === undefined) throw invalidOption('defineKind.scale', 'needs a status schema');
  checkText(
    scale.specReplicasPath,
    'scale.specReplicasPath',
    'a path below .spec',
    isBelow('spec'),
  );
  const below = isBelow('status');
  checkText(scale.statusReplicasPath, 'scale.statusReplicasPath', 'a path below .status', below);
  const { labelSelectorPath } = scale;
  if (labelSelectorPath === undefined) return;
  checkText(
    labelSelectorPath,
    'scale.labelSelectorPath',
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
  throw invalidOption(`defineKind.${option}`, `must be ${expected}`, facts);
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
