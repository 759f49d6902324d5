import type { ApiResource } from '@keelson/apimachinery';
import type { View } from './view.ts';

/** The members of a watch beside its kind. */
export type WatchMembers = Readonly<Record<string, unknown>> & {
  /** The name of an index. The code cannot name the variable that holds the index. */
  readonly index?: string | undefined;
};

/**
 * Prints a watch as user code declares it, for errors: `{ resource: Pod, namespace: "default" }`.
 */
export function watchText({ kind }: ApiResource, { index, ...members }: WatchMembers): string {
  const printed = Object.entries(members)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `, ${name}: ${JSON.stringify(value)}`);
  const indexers = index === undefined ? '' : `, indexers: [/* ${JSON.stringify(index)} */]`;
  return `{ resource: ${kind}${printed.join('')}${indexers} }`;
}

/** Prints the call that acquires a handle of a watch, for errors. */
export function handleText(resource: ApiResource, members: WatchMembers): string {
  return `acquire(${watchText(resource, members)}, …)`;
}

/** Prints the query of a view as user code declares it. */
export function viewText({ query, transform }: View): string {
  const { resource, projection, ...narrowing } = query;
  const form = projection === 'full' ? {} : { projection };
  return watchText(resource, { ...narrowing, ...form, transform: transform?.name });
}
