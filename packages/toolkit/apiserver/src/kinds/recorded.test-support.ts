import { readFileSync } from 'node:fs';
import { type KubernetesObject, type Status, StatusError } from '@keelson/apimachinery';
import { builtinKindSchema } from './builtin-kind-schema.ts';
import type { KindSchema } from '../schema/kind-schema.ts';
import { newestVersion } from '../releases/kubernetes-version.ts';

/** Reads a fixture that `npm run record` recorded from a real server. */
export function readFixture(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`../../data/fixtures/${name}`, import.meta.url), 'utf8'));
}

/** The schema of a built-in kind by the `apiVersion` and `kind` of an object. */
export function schemaOf(object: Pick<KubernetesObject, 'apiVersion' | 'kind'>): KindSchema {
  const { apiVersion = '', kind = '' } = object;
  const slash = apiVersion.indexOf('/');
  const group = apiVersion.slice(0, Math.max(slash, 0));
  const schema = builtinKindSchema(
    { group, version: apiVersion.slice(slash + 1), kind },
    newestVersion,
  );
  if (schema === undefined) throw new Error(`no schema of ${apiVersion} ${kind}`);
  return schema;
}

/** The `Status` that an action throws; undefined if it throws nothing. */
export function thrownStatus(action: () => unknown): Status | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    if (error instanceof StatusError) return error.status;
    throw error;
  }
}
