import type { ApiResource } from '@keelson/apimachinery';
import type { View } from './view.ts';

/**
 * Prints a watch as user code declares it, for errors: `{ resource: Pod, namespace: "default" }`.
 */
export function watchText(
  { kind }: ApiResource,
  options: Readonly<Record<string, unknown>>,
): string {
  const members = Object.entries(options)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `, ${name}: ${JSON.stringify(value)}`);
  return `{ resource: ${kind}${members.join('')} }`;
}

/** Prints the query of a view as user code declares it. */
export function viewText({ query, transform }: View): string {
  const { resource, projection, ...narrowing } = query;
  const form = projection === 'full' ? {} : { projection };
  return watchText(resource, { ...narrowing, ...form, transform: transform?.name });
}
