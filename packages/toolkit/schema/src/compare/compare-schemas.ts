import { ownValue, type JsonSchema } from '@keelson/structural-schema';
import { compareKeywords } from './compare-keywords.ts';
import { loses, narrows, surprises, type CrdChange, type Report } from './crd-change.ts';

/** Lists the changes of a schema that break stored objects or clients. Their paths are those of the objects. */
export function compareSchemas(before: JsonSchema, after: JsonSchema): CrdChange[] {
  const changes: CrdChange[] = [];
  const report: Report = (path, reason, change) => {
    changes.push({ path, reason, ...change });
  };
  compare(before, after, '', report);
  return changes;
}

function compare(before: JsonSchema, after: JsonSchema, path: string, report: Report): void {
  if (!compareTypes(before, after, path, report)) return;
  compareKeywords(before, after, path, report);
  compareMembers(before, after, path, report);
  if (before.items !== undefined && after.items !== undefined) {
    compare(before.items, after.items, `${path}[]`, report);
  }
}

/** Returns false if the types have nothing in common that could be compared further. */
function compareTypes(
  before: JsonSchema,
  after: JsonSchema,
  path: string,
  report: Report,
): boolean {
  const [one, other] = [typeOf(before), typeOf(after)];
  if (one === other) return true;
  const isWider =
    other === 'any' ||
    (one === 'integer' && other === 'number') ||
    (['integer', 'string'].includes(one) && other === 'int-or-string');
  report(path, `the type changes from ${one} to ${other}`, isWider ? surprises : narrows);
  return isWider && other !== 'any';
}

function typeOf(schema: JsonSchema): string {
  if (schema['x-kubernetes-int-or-string'] === true) return 'int-or-string';
  return schema.type ?? 'any';
}

/** The members of an object: named, of a map, or kept although they are unknown. */
function compareMembers(before: JsonSchema, after: JsonSchema, path: string, report: Report): void {
  const names = new Set([
    ...Object.keys(before.properties ?? {}),
    ...Object.keys(after.properties ?? {}),
  ]);
  for (const name of names) {
    const inner = path === '' ? name : `${path}.${name}`;
    compareMember(memberOf(before, name), memberOf(after, name), inner, report);
  }
  for (const name of after.required ?? []) {
    const isMissing =
      before.required?.includes(name) !== true && defaultOf(after, name) === undefined;
    const inner = path === '' ? name : `${path}.${name}`;
    if (isMissing) report(inner, 'becomes required and has no default', required);
  }
  for (const name of before.required ?? []) {
    const inner = path === '' ? name : `${path}.${name}`;
    const isOptional =
      after.required?.includes(name) !== true && ownValue(after.properties ?? {}, name);
    if (isOptional && defaultOf(after, name) === undefined)
      report(inner, 'becomes optional', surprises);
  }
  compareOthers(before, after, path, report);
}

const required: Pick<CrdChange, 'breaks' | 'cure'> = {
  breaks: ['objects', 'clients'],
  cure: 'give it a default, or leave it optional in this version',
};

function defaultOf(schema: JsonSchema, name: string): unknown {
  return ownValue(schema.properties ?? {}, name)?.default;
}

/** The schema of a member; `any` if unknown members are kept, and undefined if the server drops it. */
function memberOf(schema: JsonSchema, name: string): JsonSchema | 'any' | undefined {
  const declared = ownValue(schema.properties ?? {}, name);
  if (declared !== undefined) return declared;
  return othersOf(schema);
}

function othersOf(schema: JsonSchema): JsonSchema | 'any' | undefined {
  const { additionalProperties } = schema;
  if (typeof additionalProperties === 'object') return additionalProperties;
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true;
  return additionalProperties === true || isOpen ? 'any' : undefined;
}

function compareMember(
  before: JsonSchema | 'any' | undefined,
  after: JsonSchema | 'any' | undefined,
  path: string,
  report: Report,
): void {
  if (before === undefined || after === 'any') return;
  if (after === undefined)
    report(path, 'the field is removed, and the server drops its value', loses);
  else if (before === 'any') compare(anything, after, path, report);
  else compare(before, after, path, report);
}

/** The schema of a member that may have any value. */
const anything: JsonSchema = { 'x-kubernetes-preserve-unknown-fields': true };

function compareOthers(before: JsonSchema, after: JsonSchema, path: string, report: Report): void {
  if (before.type !== 'object' && before.type !== undefined) return;
  const inner = `${path}[*]`;
  const [one, other] = [othersOf(before), othersOf(after)];
  if (one === undefined || other === 'any') return;
  if (other === undefined) report(inner, 'the server drops unknown members now', loses);
  else if (one === 'any') compare(anything, other, inner, report);
  else compare(one, other, inner, report);
}
