import { objectAt, objectsAt, textAt, textsAt } from '../../json/json-members.ts';
import type { JsonObject } from '@keelson/structural-schema';

/** Restricts a quota to a subset of the objects. */
export interface ScopeSelector {
  readonly scopeName: string;
  readonly operator: string;
  readonly values: readonly string[];
}

/** The scopes of a quota, from `scopes` and `scopeSelector`. */
export function scopesOf(quota: JsonObject): ScopeSelector[] {
  const spec = objectAt(quota, 'spec');
  const expressions = objectsAt(objectAt(spec, 'scopeSelector'), 'matchExpressions');
  return [
    ...textsAt(spec, 'scopes').map((scopeName) => ({ scopeName, operator: 'Exists', values: [] })),
    ...expressions.map((each) => ({
      scopeName: textAt(each, 'scopeName'),
      operator: textAt(each, 'operator'),
      values: textsAt(each, 'values'),
    })),
  ];
}

/** True if a selector matches a value; an empty value counts as absent. */
export function selects({ operator, values }: ScopeSelector, value: string): boolean {
  switch (operator) {
    case 'Exists':
      return value !== '';
    case 'DoesNotExist':
      return value === '';
    case 'In':
      return value !== '' && values.includes(value);
    default:
      return !values.includes(value);
  }
}
