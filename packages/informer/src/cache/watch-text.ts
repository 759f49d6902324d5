import type { ApiResource } from '@keelson/apimachinery';
import type { SharedWatch } from './shared-watch.ts';

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

/** Prints an existing watch as user code declares it. */
export function sharedWatchText({ informer, coverage: { transform } }: SharedWatch): string {
  const { resource, projection, ...narrowing } = informer.identity.query;
  const form = projection === 'full' ? {} : { projection };
  return watchText(resource, { ...narrowing, ...form, transform });
}
