import type { ApiResource } from '@keelson/apimachinery';
import type { SharedWatch } from './shared-watch.ts';

/** A watch as a user declares it, for an error: `{ resource: Pod, namespace: "default" }`. */
export function watchText(
  { kind }: ApiResource,
  options: Readonly<Record<string, unknown>>,
): string {
  const members = Object.entries(options)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `, ${name}: ${JSON.stringify(value)}`);
  return `{ resource: ${kind}${members.join('')} }`;
}

/** The same for a watch that exists. */
export function sharedWatchText({ informer, coverage: { transform } }: SharedWatch): string {
  const { resource, projection, ...narrowing } = informer.identity.query;
  const form = projection === 'full' ? {} : { projection };
  return watchText(resource, { ...narrowing, ...form, transform });
}
