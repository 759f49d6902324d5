import { checkOptions, invalidOption } from '@keelson/apimachinery';
import { wrongMember } from '../literal/check-keyword-types.ts';
import type { SchemaInput } from '../standard/schema-input.ts';
import type { KindOptions } from './kind-options.ts';

const lists = [
  'shortNames',
  'categories',
  'printColumns',
  'selectableFields',
  'validations',
] as const;
const columnMembers = ['name', 'type', 'jsonPath', 'description', 'format', 'priority'] as const;
const scaleMembers = ['specReplicasPath', 'statusReplicasPath', 'labelSelectorPath'] as const;

/** Throws `INVALID_OPTION` for an option of a wrong form, before its content is read. `where` begins its name. */
export function checkForms(options: KindOptions<SchemaInput, SchemaInput>, where: string): void {
  if (!isRecord(options)) throw invalidOption(where, 'must be an object');
  for (const name of lists) {
    const list: unknown = options[name];
    if (list !== undefined && !Array.isArray(list)) throw wrong(`${where}.${name}`, 'a list');
  }
  for (const name of ['keywords', 'scale'] as const) {
    const option: unknown = options[name];
    if (option !== undefined && !isRecord(option)) throw wrong(`${where}.${name}`, 'an object');
  }
  for (const [path, keywords] of Object.entries(options.keywords ?? {})) {
    if (!isRecord(keywords)) throw wrong(`${where}.keywords['${path}']`, 'an object');
  }
  const { status, scale, printColumns = [], validations = [] } = options;
  if (status !== undefined && !isSchema(status)) throw wrong(`${where}.status`, 'a schema');
  if (scale !== undefined) checkOptions(scale, scaleMembers, `${where}.scale`);
  for (const [index, column] of printColumns.entries())
    checkColumn(column, `${where}.printColumns[${index}]`);
  for (const [index, rule] of validations.entries())
    checkRule(rule, `${where}.validations[${index}]`);
}

function checkColumn(column: unknown, name: string): void {
  if (!isRecord(column)) throw wrong(name, 'an object');
  checkOptions(column, columnMembers, name);
  for (const text of ['description', 'format'] as const) {
    if (column[text] === undefined || typeof column[text] === 'string') continue;
    throw wrong(`${name}.${text}`, 'a string');
  }
  const { priority = 0 } = column;
  const isInt32 = Number.isInteger(priority) && Math.abs(Number(priority)) < 2 ** 31;
  if (!isInt32) throw wrong(`${name}.priority`, 'a whole number of 32 bits');
}

function checkRule(rule: unknown, name: string): void {
  if (!isRecord(rule)) throw wrong(name, 'an object');
  const found = wrongMember(rule);
  if (found === undefined || found.name === 'rule') return;
  const member = `${name}.${found.name}`;
  if (found.expected !== undefined) throw wrong(member, found.expected);
  throw invalidOption(member, 'unknown option');
}

function wrong(option: string, expected: string): Error {
  return invalidOption(option, `must be ${expected}`);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Schemas of ArkType are functions. */
function isSchema(value: unknown): boolean {
  return isRecord(value) || typeof value === 'function';
}
