import type { Client, Discovery } from '@keelson/client';
import { CliError } from '../errors.ts';

/** A resource that the server serves. */
export type Served = Awaited<ReturnType<Discovery['resources']>>[number];

/**
 * Returns the resource of a word as kubectl reads it: the plural, the singular, the kind or a short name, with the group
 * behind a dot if several have it. Throws `RESOURCE_NOT_FOUND`.
 */
export async function findResource({ discovery }: Client, word: string): Promise<Served> {
  const lower = word.toLowerCase();
  const [name = '', ...rest] = lower.split('.');
  const suffix = rest.join('.');
  const all = (await discovery.resources()).filter(({ verbs }) => verbs.includes('get'));
  const named = all.filter((one) => namesOf(one).includes(name));
  // The server lists the preferred version of a group first.
  const found = named.find(
    ({ group, version }) =>
      suffix === '' || suffix === group || suffix === `${version}.${group}`.replace(/\.$/, ''),
  );
  if (found === undefined) throw new CliError('RESOURCE_NOT_FOUND', { resource: word });
  return found;
}

/** Returns the resource of an object. Throws `RESOURCE_NOT_FOUND`. */
export async function resourceOfKind(
  { discovery }: Client,
  apiVersion: string,
  kind: string,
): Promise<Served> {
  const wanted = (one: Served): boolean => one.kind === kind && apiVersionOf(one) === apiVersion;
  const found = (await discovery.resources()).find(wanted);
  if (found !== undefined) return found;
  // A definition may have been applied just now.
  discovery.invalidate();
  const later = (await discovery.resources()).find(wanted);
  if (later === undefined) throw new CliError('RESOURCE_NOT_FOUND', { apiVersion, kind });
  return later;
}

/** The name of an object in the output, such as `website.shop.example/one`. */
export function titleOf({ singular, kind, group }: Served, name: string): string {
  const word = singular === '' ? kind.toLowerCase() : singular;
  return `${group === '' ? word : `${word}.${group}`}/${name}`;
}

function apiVersionOf({ group, version }: Served): string {
  return group === '' ? version : `${group}/${version}`;
}

function namesOf({ plural, singular, kind, shortNames }: Served): readonly string[] {
  return [plural, singular, kind.toLowerCase(), ...shortNames];
}
