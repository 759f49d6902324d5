import { duplicateFields, memberNames } from '../../json/duplicate-fields.ts';
import type { KindSchema } from '../../schema/kind-schema.ts';
import { mergeRepeated } from './merge-repeated.ts';

/** An object without unknown fields, and what a strict decoder reports. */
export interface ReadFields {
  readonly object: Record<string, unknown>;
  /** Unknown and duplicate fields, in the order of kube-apiserver. */
  readonly problems: readonly string[];
}

/** Most problems that Go's strict decoder reports. */
const MAX_PROBLEMS = 100;

/** A decoded body with its JSON text, which is empty for other formats. */
interface Body {
  readonly value: Record<string, unknown>;
  readonly json: string;
}

/** The kind of a body. */
interface Target {
  readonly schema: KindSchema;
  readonly custom: boolean;
}

/** Removes the fields that a kind does not know, and finds the fields that a text contains twice. */
export function readFields({ schema, custom }: Target, body: Body): ReadFields {
  const duplicates = duplicatesOf(body);
  const isTyped = duplicates.length > 0 && !custom;
  const object: Record<string, unknown> = isTyped
    ? mergeRepeated(schema.type, body.json)
    : body.value;
  const unknown = schema.prune(object);
  const problems = isTyped
    ? problemsInOrder(body.json, new Set(unknown))
    : [...duplicates.map(duplicateProblem), ...unknown.map(unknownProblem)];
  return { object, problems: problems.slice(0, MAX_PROBLEMS) };
}

/** Programs send JSON as `JSON.stringify` formats it. Such a text has no duplicates and needs no second parse. */
function duplicatesOf({ value, json }: Body): string[] {
  if (json === '' || JSON.stringify(value) === json) return [];
  return duplicateFields(json);
}

/** Typed objects are decoded in one pass, which reports each problem once and skips the content of unknown fields. */
function problemsInOrder(json: string, unknown: ReadonlySet<string>): string[] {
  const found = new Set<string>();
  for (const { path, isRepeated } of memberNames(json)) {
    if (unknown.has(path)) found.add(unknownProblem(path));
    else if (isRepeated && !isBelow(path, unknown)) found.add(duplicateProblem(path));
  }
  return [...found];
}

function isBelow(path: string, ancestors: ReadonlySet<string>): boolean {
  return [...path.matchAll(/[.[]/g)].some(({ index }) => ancestors.has(path.slice(0, index)));
}

function duplicateProblem(path: string): string {
  return `duplicate field ${JSON.stringify(path)}`;
}

function unknownProblem(path: string): string {
  return `unknown field ${JSON.stringify(path)}`;
}
