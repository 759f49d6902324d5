import type { LabelSelector } from '@keelson/apimachinery';
import type { PathElement } from '../apply/fields/field-set.ts';
import { isJsonObject, setOwn } from '@keelson/structural-schema';
import type { ServedResource } from '../resources/served-resource.ts';
import type { ApiObject } from '../storage/api-object.ts';

/** Reads and writes the fields of an object that its Scale shows. */
export interface ScaleAccess {
  replicas(object: ApiObject): number | undefined;
  observed(object: ApiObject): number;
  selector(object: ApiObject): string;
  setReplicas(object: ApiObject, replicas: number): void;
  /** Path of the replicas in `managedFields`. */
  readonly replicasPath: readonly PathElement[];
}

/**
 * Returns the access by fixed members for a built-in kind, and by the paths of the definition for a custom resource.
 */
export function scaleAccess(resource: ServedResource): ScaleAccess {
  const { scalePaths } = resource.facts;
  const spec = membersOf(scalePaths?.specReplicasPath ?? '.spec.replicas');
  const status = membersOf(scalePaths?.statusReplicasPath ?? '.status.replicas');
  const selector = membersOf(scalePaths?.labelSelectorPath ?? '.spec.selector');
  const selects = scalePaths === undefined || (scalePaths.labelSelectorPath ?? '') !== '';
  return {
    replicas: (object) => numberAt(object, spec),
    observed: (object) => numberAt(object, status) ?? 0,
    selector: (object) => (selects ? selectorText(valueAt(object, selector)) : ''),
    setReplicas: (object, replicas) => setAt(object, spec, replicas),
    replicasPath: spec.map((member): PathElement => `f:${member}`),
  };
}

function membersOf(path: string): string[] {
  return path.split('.').filter((member) => member !== '');
}

function valueAt(object: unknown, members: readonly string[]): unknown {
  let value = object;
  for (const member of members) {
    if (!isJsonObject(value) || !Object.hasOwn(value, member)) return undefined;
    value = value[member];
  }
  return value;
}

function numberAt(object: unknown, members: readonly string[]): number | undefined {
  const value = valueAt(object, members);
  return typeof value === 'number' ? value : undefined;
}

function setAt(object: Record<string, unknown>, members: readonly string[], value: unknown): void {
  const [member = '', ...rest] = members;
  if (rest.length === 0) {
    setOwn(object, member, value);
    return;
  }
  const next = Object.hasOwn(object, member) ? object[member] : undefined;
  const inner: Record<string, unknown> = isJsonObject(next) ? next : {};
  setOwn<unknown>(object, member, inner);
  setAt(inner, rest, value);
}

/** Formats a string, a label selector, or the map of a ReplicationController. */
function selectorText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!isJsonObject(value)) return '';
  const isSelector = isJsonObject(value['matchLabels']) || Array.isArray(value['matchExpressions']);
  const selector = isSelector ? value : { matchLabels: value };
  return printSelector(selector);
}

/** Formats a selector as Go does, sorted by key. An expression with one value is not written as an equality. */
function printSelector({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const parts = [
    ...Object.entries(matchLabels).map(([key, value]) => ({ key, text: `${key}=${value}` })),
    ...matchExpressions.map((expression) => ({
      key: expression.key,
      text: printExpression(expression),
    })),
  ];
  return parts
    .toSorted((a, b) => (a.key === b.key ? 0 : a.key < b.key ? -1 : 1))
    .map(({ text }) => text)
    .join(',');
}

function printExpression({ key, operator, values = [] }: LabelExpression): string {
  if (operator === 'Exists') return key;
  if (operator === 'DoesNotExist') return `!${key}`;
  return `${key} ${operator.toLowerCase()} (${values.toSorted().join(',')})`;
}

type LabelExpression = NonNullable<LabelSelector['matchExpressions']>[number];
