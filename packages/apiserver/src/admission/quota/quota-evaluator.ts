import type { UpdateScope } from '../../resources/update-scope.ts';
import type { JsonObject } from '../../json/json-value.ts';
import type { ResourceList } from '../resource-list.ts';
import type { ScopeSelector } from './quota-scope.ts';

/** One write as quotas see it. */
export interface QuotaWrite {
  readonly scope: UpdateScope;
  readonly object: JsonObject;
  /** Absent on create. */
  readonly old: JsonObject | undefined;
}

/** How the objects of one resource count against quotas. */
export interface QuotaEvaluator {
  /** Whether a write can change what is used. */
  handles(write: QuotaWrite): boolean;
  /** Which of these quota resources the objects use. */
  matching(names: readonly string[]): string[];
  /** Whether a scope of a quota includes an object. */
  matchesScope(selector: ScopeSelector, object: JsonObject): boolean;
  /** Why an object cannot be counted: it does not say what it uses. */
  constraint(names: readonly string[], object: JsonObject): string | undefined;
  usage(object: JsonObject, now: number): ResourceList;
}

/** Names a resource. */
export interface QuotaResource {
  readonly group: string;
  readonly plural: string;
}

/** `count/deployments.apps`: how a quota names the number of objects. */
export function countName({ group, plural }: QuotaResource): string {
  return group === '' ? `count/${plural}` : `count/${plural}.${group}`;
}

/** Counts objects, nothing else. */
export function countEvaluator(resource: QuotaResource): QuotaEvaluator {
  const alias = resource.group === '' && countedByPlural.has(resource.plural);
  const names = [countName(resource), ...(alias ? [resource.plural] : [])];
  return {
    handles: ({ scope, old }) => scope === '' && old === undefined,
    matching: (wanted) => wanted.filter((name) => names.includes(name)),
    matchesScope: () => false,
    constraint: () => undefined,
    usage: () => Object.fromEntries(names.map((name) => [name, '1'])),
  };
}

/** Core resources that a quota may also name without `count/`. */
const countedByPlural: ReadonlySet<string> = new Set([
  'configmaps',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
]);
