import {
  fieldValue,
  invalidOption,
  type ApiResource,
  type KubernetesObject,
} from '@keelson/apimachinery';
import { defineIndex, evaluatesSelector, keepsNoView, type Index } from '../contract/indexer.ts';

/**
 * Creates an index of a label. Reads with a label selector such as `app=web` or `app in (web,api)` use it. No body is
 * parsed. Objects without the label are not in the index. Throws `INVALID_OPTION`.
 *
 * @example
 * ```ts
 * import { builtin } from '@keelson/manager';
 * import { labelIndex } from '@keelson/manager/cache';
 *
 * export const podsByTeam = labelIndex(builtin.Pod, 'example.com/team');
 * ```
 */
export function labelIndex<T extends KubernetesObject>(
  resource: ApiResource<T>,
  key: string,
): Index<T> {
  checkTerm(key, 'labelIndex.key');
  const valuesOf = (labels: Readonly<Record<string, string>> = {}): string[] => {
    const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
    return value === undefined ? [] : [value];
  };
  return markedIndex(
    defineIndex(resource, `label:${key}`, { head: ({ metadata }) => valuesOf(metadata.labels) }),
  );
}

/**
 * Creates an index of the field at a dotted path. Reads with a field selector such as `spec.nodeName=n1` use it. A
 * missing field has the empty text as its value. Only a path in the metadata parses no body. Throws `INVALID_OPTION`.
 *
 * @example
 * ```ts
 * import { builtin } from '@keelson/manager';
 * import { fieldIndex } from '@keelson/manager/cache';
 *
 * export const podsByNode = fieldIndex(builtin.Pod, 'spec.nodeName');
 * ```
 */
export function fieldIndex<T extends KubernetesObject>(
  resource: ApiResource<T>,
  path: string,
): Index<T> {
  checkTerm(path, 'fieldIndex.path');
  const valuesOf = (object: unknown): string[] => [fieldValue(object, path)];
  const inHead = path.startsWith('metadata.');
  return markedIndex(
    defineIndex(resource, `field:${path}`, inHead ? { head: valuesOf } : valuesOf),
  );
}

function markedIndex<T extends KubernetesObject>(index: Index<T>): Index<T> {
  const marks = { [evaluatesSelector]: true, [keepsNoView]: true } as const;
  return Object.freeze({ ...index, ...marks });
}

function checkTerm(term: string, where: string): void {
  if (typeof term !== 'string' || term === '') throw invalidOption(where, 'must be a text');
}
