import { ownValue } from '@keelson/structural-schema';
import {
  hasCode,
  matchesFieldValues,
  matchesLabels,
  parseFieldSelector,
  parseLabelSelector,
  type FieldRequirements,
  type LabelRequirements,
} from '@keelson/apimachinery';
import type { ServedResource } from './served-resource.ts';
import { badRequest } from '../status-errors/status-errors.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { fieldSelectorRefusal } from './field-selector-refusal.ts';
import type { FeatureGates } from './feature-gates.ts';
import { labelSelectorRefusal } from './label-selector-refusal.ts';
import { shardSelector } from './shard-selector.ts';

/** Selects the objects of a list, a watch or a deletecollection. */
export interface ObjectFilter {
  /** `""` selects every namespace. */
  readonly namespace: string;
  /** True without selectors: every object of the namespace matches. */
  readonly selectsAll: boolean;
  /** True without selectors of labels, fields and names. kube-apiserver then counts the remaining objects, of all shards. */
  readonly countsAll: boolean;
  /** True if the field selector names one object, which kube-apiserver reads without pages. */
  readonly isSingle: boolean;
  /** The shard selector in its normal form, as the metadata of a list echoes it. `undefined` without one. */
  readonly shards: string | undefined;
  matches(object: StoredObject): boolean;
}

/**
 * Reads the selectors of a query. Throws 400 for a malformed selector or a field that cannot be selected, and 500 for an
 * invalid shard selector, which only a server with the gate `ShardedListAndWatch` reads.
 */
export function objectFilter(
  resource: ServedResource,
  scope: { readonly namespace: string; readonly name: string },
  query: URLSearchParams,
  gates: FeatureGates,
): ObjectFilter {
  const labels = labelRequirements(query.get('labelSelector') ?? '');
  const fields = fieldRequirements(resource, query.get('fieldSelector') ?? '');
  const shards = gates.ShardedListAndWatch ? shardSelector(query.get('shardSelector')) : undefined;
  const { name } = scope;
  const namespace = resource.facts.namespaced ? scope.namespace : '';
  const countsAll = labels.length === 0 && fields.length === 0 && name === '';
  return {
    namespace,
    selectsAll: countsAll && shards === undefined,
    countsAll,
    isSingle:
      (namespace !== '' || !resource.facts.namespaced) &&
      fields.some(({ path, operator }) => path === 'metadata.name' && operator === '='),
    shards: shards?.text,
    matches: (object) =>
      (namespace === '' || object.metadata.namespace === namespace) &&
      (name === '' || object.metadata.name === name) &&
      (shards === undefined || shards.selects(object.metadata)) &&
      matchesLabels(labels, object.metadata.labels) &&
      (fields.length === 0 ||
        matchesFieldValues(fields, (path) => fieldOf(resource, object, path))),
  };
}

function labelRequirements(text: string): LabelRequirements {
  try {
    return parseLabelSelector(text);
  } catch (error) {
    if (!hasCode(error, 'INVALID_LABEL_SELECTOR')) throw error;
    throw badRequest(labelSelectorRefusal(text) ?? String(error.facts['reason']));
  }
}

function fieldRequirements(resource: ServedResource, text: string): FieldRequirements {
  const requirements = parsedFields(resource, text);
  const paths = resource.facts.selectablePaths;
  const known = new Set([...metadataPaths(resource), ...paths.keys()]);
  const unknown = requirements.find(({ path }) => !known.has(path));
  if (unknown !== undefined) throw notSelectable(resource, unknown.path);
  return requirements;
}

function parsedFields(resource: ServedResource, text: string): FieldRequirements {
  try {
    return parseFieldSelector(text);
  } catch (error) {
    if (!hasCode(error, 'INVALID_FIELD_SELECTOR')) throw error;
    const refusal = fieldSelectorRefusal(text);
    // kube-apiserver parses a term without a path and then reports an unknown field label.
    throw refusal === undefined ? notSelectable(resource, '') : badRequest(refusal);
  }
}

function metadataPaths({ facts }: ServedResource): string[] {
  return facts.custom && !facts.namespaced
    ? ['metadata.name']
    : ['metadata.name', 'metadata.namespace'];
}

function notSelectable(resource: ServedResource, path: string): Error {
  const { custom, selectablePaths } = resource.facts;
  if (custom || selectablePaths.size > 0) return badRequest(`field label not supported: ${path}`);
  const known = metadataPaths(resource).map((name) => JSON.stringify(name));
  return badRequest(
    `${JSON.stringify(path)} is not a known field selector: only ${known.join(', ')}`,
  );
}

function fieldOf(resource: ServedResource, object: StoredObject, path: string): string {
  if (path === 'metadata.name') return object.metadata.name ?? '';
  if (path === 'metadata.namespace') return object.metadata.namespace ?? '';
  return ownValue(object.fields, resource.facts.selectablePaths.get(path) ?? path) ?? '';
}
