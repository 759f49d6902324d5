import { namespaceSet } from '../sources/namespace-set.ts';

/**
 * Reads the namespaces of an operator from a text such as `shop,warehouse`, mostly that of the environment variable
 * `WATCH_NAMESPACES`: `createManager({ ...watchNamespaces(process.env['WATCH_NAMESPACES']) })`. Spaces and empty parts do
 * not count. Without a name the operator watches all namespaces. Throws `INVALID_OPTION` for an invalid name.
 */
export function watchNamespaces(text: string | undefined): {
  readonly namespaces?: readonly string[];
} {
  const names = (text ?? '').split(/[\s,]+/).filter((name) => name !== '');
  return names.length === 0 ? {} : { namespaces: namespaceSet(names, 'WATCH_NAMESPACES') };
}
