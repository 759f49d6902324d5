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
import { badRequest } from '../failures/status-answers.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { fieldSelectorRefusal } from './field-selector-refusal.ts';
import { labelSelectorRefusal } from './label-selector-refusal.ts';

/** Which objects of a resource a list, a watch or a deletecollection means. */
export interface ObjectFilter {
  /** `""`: every namespace. */
  readonly namespace: string;
  /** No selector: every object of the namespace. */
  readonly selectsAll: boolean;
  matches(object: StoredObject): boolean;
}

/** Reads the selectors of a query. Throws 400 for what does not parse or names a field of no use. */
export function objectFilter(
  resource: ServedResource,
  scope: { readonly namespace: string; readonly name: string },
  query: URLSearchParams,
): ObjectFilter {
  const labels = labelRequirements(query.get('labelSelector') ?? '');
  const fields = fieldRequirements(resource, query.get('fieldSelector') ?? '');
  const { name } = scope;
  const namespace = resource.facts.namespaced ? scope.namespace : '';
  return {
    namespace,
    selectsAll: labels.length === 0 && fields.length === 0 && name === '',
    matches: (object) =>
      (namespace === '' || object.metadata.namespace === namespace) &&
      (name === '' || object.metadata.name === name) &&
      matchesLabels(labels, object.metadata.labels) &&
      matchesFieldValues(fields, (path) => fieldOf(resource, object, path)),
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
    // kube-apiserver reads a term without a path, and then knows no field of that name.
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
  return object.fields[resource.facts.selectablePaths.get(path) ?? path] ?? '';
}
