import { jsonEquals, type JsonSchema, type ValidationExpression } from '@keelson/structural-schema';
import { narrows, surprises, type CrdChange, type Report } from './crd-change.ts';

/** Reports the keywords that accept less than before, and those that change results. */
export function compareKeywords(
  before: JsonSchema,
  after: JsonSchema,
  path: string,
  report: Report,
): void {
  const at: Place = { before, after, report: (reason, change) => report(path, reason, change) };
  compareLimits(at);
  compareConditions(at);
  compareEnums(at);
  compareNulls(at);
  compareDefaults(at);
  compareLists(at);
  compareRules(at);
}

interface Place {
  readonly before: JsonSchema;
  readonly after: JsonSchema;
  readonly report: (reason: string, change: Pick<CrdChange, 'breaks' | 'cure'>) => void;
}

const least = ['minLength', 'minItems', 'minProperties', 'minimum'] as const;
const most = ['maxLength', 'maxItems', 'maxProperties', 'maximum'] as const;

function compareLimits({ before, after, report }: Place): void {
  // The limits of items beside a text exclude lists, which its type excludes too.
  const isRead = (name: string): boolean => after.type !== 'string' || !name.endsWith('Items');
  for (const name of least.filter(isRead)) {
    const [one = -Infinity, other = -Infinity] = [before[name], after[name]];
    if (other > one) report(`${name} rises to ${other}`, narrows);
  }
  for (const name of most.filter(isRead)) {
    const [one = Infinity, other = Infinity] = [before[name], after[name]];
    if (other < one) report(`${name} falls to ${other}`, narrows);
  }
  for (const [name, limit] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    const isStricter = after[name] === true && before[name] !== true;
    if (isStricter && before[limit] === after[limit]) report(`${name} is set`, narrows);
  }
}

/** Keywords whose values are not compared by their meaning. */
const conditions = ['format', 'pattern', 'multipleOf', 'allOf', 'anyOf', 'oneOf', 'not'] as const;

function compareConditions({ before, after, report }: Place): void {
  for (const name of conditions) {
    if (after[name] === undefined || jsonEquals(before[name], after[name])) continue;
    report(before[name] === undefined ? `${name} is added` : `${name} changes`, narrows);
  }
  const embedded = 'x-kubernetes-embedded-resource';
  if (after[embedded] === true && before[embedded] !== true) report(`${embedded} is set`, narrows);
}

function compareEnums({ before: { enum: one }, after: { enum: other }, report }: Place): void {
  if (other !== undefined && one === undefined) report('enum is added', narrows);
  if (one !== undefined && other === undefined) report('enum is removed', surprises);
  const removed = missing(one, other);
  if (other !== undefined && removed !== '') report(`enum loses ${removed}`, narrows);
  const added = missing(other, one);
  if (one !== undefined && added !== '') report(`enum gains ${added}`, surprises);
}

function missing(values: JsonSchema['enum'] = [], from: JsonSchema['enum'] = []): string {
  return values
    .filter((value) => !from.some((each) => jsonEquals(each, value)))
    .map((value) => JSON.stringify(value))
    .join(', ');
}

function compareNulls({ before, after, report }: Place): void {
  if (before.nullable === true && after.nullable !== true)
    report('null is not accepted now', narrows);
  if (before.nullable !== true && after.nullable === true) report('may be null', surprises);
}

function compareDefaults({ before, after, report }: Place): void {
  if (before.default === undefined || jsonEquals(before.default, after.default)) return;
  const isRemoved = after.default === undefined;
  report(isRemoved ? 'the default is removed' : 'the default changes', surprises);
}

function compareLists({ before, after, report }: Place): void {
  const [one, other] = [listTypeOf(before), listTypeOf(after)];
  if (one !== other) {
    const reason = `the list type changes from ${one} to ${other}, and so does server-side apply`;
    report(reason, other === 'atomic' ? surprises : narrows);
  }
  const keys = 'x-kubernetes-list-map-keys';
  if (one === 'map' && other === 'map' && !jsonEquals(before[keys], after[keys])) {
    report('the keys of the list change', narrows);
  }
  const [map = 'granular', newMap = 'granular'] = [
    before['x-kubernetes-map-type'],
    after['x-kubernetes-map-type'],
  ];
  if (map !== newMap) report(`the map type changes from ${map} to ${newMap}`, surprises);
}

function listTypeOf(schema: JsonSchema): string {
  return schema['x-kubernetes-list-type'] ?? 'atomic';
}

/** Objects that violate a new rule stay stored; a transition rule concerns only updates. */
function compareRules({ before, after, report }: Place): void {
  const known = new Set(rulesOf(before).map(({ rule }) => rule));
  for (const { rule = '' } of rulesOf(after)) {
    if (known.has(rule)) continue;
    const isTransition = /\boldSelf\b/.test(rule);
    report(`a rule is added: ${rule}`, isTransition ? surprises : narrows);
  }
}

function rulesOf(schema: JsonSchema): readonly ValidationExpression[] {
  return schema['x-kubernetes-validations'] ?? [];
}
