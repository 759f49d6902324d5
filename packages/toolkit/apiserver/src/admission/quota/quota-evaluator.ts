import type { UpdateScope } from '../../resources/revert-outside-scope.ts';
import type { JsonObject } from '@keelson/structural-schema';
import type { ResourceList } from '../../kinds/shared/resource-list.ts';
import type { ScopeSelector } from './quota-scope.ts';

/** One write that quotas may count. */
export interface QuotaWrite {
  readonly scope: UpdateScope;
  readonly object: JsonObject;
  /** Absent on create. */
  readonly old: JsonObject | undefined;
}

/** Computes how much of a quota the objects of one resource use. */
export interface QuotaEvaluator {
  /** True if a write can change the usage. */
  handles(write: QuotaWrite): boolean;
  /** The quota resources that the objects use, out of `names`. */
  matching(names: readonly string[]): string[];
  /** True if a scope of a quota includes an object. */
  matchesScope(selector: ScopeSelector, object: JsonObject): boolean;
  /** The reason why an object cannot be counted: it lacks a required request or limit. */
  constraint(names: readonly string[], object: JsonObject): string | undefined;
  usage(object: JsonObject, now: number): ResourceList;
}

/** Identifies a resource. */
export interface QuotaResource {
  readonly group: string;
  readonly plural: string;
}

/** The quota resource for a number of objects: `count/deployments.apps`. */
export function countName({ group, plural }: QuotaResource): string {
  return group === '' ? `count/${plural}` : `count/${plural}.${group}`;
}

/** Creates an evaluator that counts only the number of objects. */
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

/** Core resources that a quota may also name without the prefix `count/`. */
const countedByPlural: ReadonlySet<string> = new Set([
  'configmaps',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
]);
