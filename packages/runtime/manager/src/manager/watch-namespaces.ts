import { invalidOption } from '@keelson/apimachinery';
import { namespaceSet } from '../sources/namespace-set.ts';

/**
 * Reads the namespaces of an operator from a text such as `shop,warehouse`, mostly that of the environment variable
 * `WATCH_NAMESPACES`: `createManager({ ...watchNamespaces(process.env['WATCH_NAMESPACES']) })`. Spaces and empty parts do
 * not count. Without a text the operator watches all namespaces. Throws `INVALID_OPTION` for an invalid name, and for a text
 * without a name such as `,`.
 *
 * @example
 * ```ts
 * import { createManager, watchNamespaces } from '@keelson/manager';
 *
 * export const manager = createManager({ ...watchNamespaces(process.env['WATCH_NAMESPACES']) });
 * ```
 */
export function watchNamespaces(text: string | undefined): {
  readonly namespaces?: readonly string[];
} {
  if (text === undefined || text === '') return {};
  if (typeof text !== 'string') throw invalidOption('WATCH_NAMESPACES', 'must be a text');
  const names = text.split(/[\s,]+/).filter((name) => name !== '');
  if (names.length === 0) throw invalidOption('WATCH_NAMESPACES', 'has no name of a namespace');
  return { namespaces: namespaceSet(names, 'WATCH_NAMESPACES') };
}
