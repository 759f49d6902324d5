import type { Served } from './find-resource.ts';

/** The path of the objects of a resource in URLs, or of one of them. */
export function objectPath(
  { group, version, plural }: Served,
  namespace: string | undefined,
  name?: string,
): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const parts = [
    ...(namespace === undefined ? [] : ['namespaces', namespace]),
    plural,
    ...(name === undefined ? [] : [name]),
  ];
  return `${root}/${parts.map((part) => encodeURIComponent(part)).join('/')}`;
}
