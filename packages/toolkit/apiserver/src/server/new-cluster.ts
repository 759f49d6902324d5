import { randomUUID } from 'node:crypto';
import { lazy } from '@keelson/structural-schema';
import { readDataFile } from '../data-file.ts';
import type { ResourceRegistry } from '../resources/resource-registry.ts';
import type { ServedResource } from '../resources/served-resource.ts';
import type { ApiObject } from '../storage/api-object.ts';
import { keyOfMetadata } from '../storage/stored-object.ts';

/** A write of an object of a new cluster, in its stored form with `apiVersion` and `kind`, and without a uid. */
export interface InitialWrite {
  readonly type: 'ADDED' | 'MODIFIED';
  readonly object: ApiObject;
}

/** Writes that follow from the first of them, and that a cluster with the first object does not need. */
export type InitialWrites = readonly InitialWrite[];

/** The values of the placeholders, such as `{{time}}`, in the recorded writes. */
export type InitialValues = Readonly<Record<string, string | number>>;

/** The recorded writes: those of a start and, behind an empty line, those that name the address of the server. */
const recorded = lazy(() => {
  const [start = '', address = ''] = readDataFile('new-cluster.jsonl').toString().split('\n\n');
  return { start, address: address.trimEnd() };
});

/**
 * Returns the writes by which the server creates the objects of a new cluster. Their owners, defaults and generations are
 * recorded (`npm run data:cluster`), because finding them takes most of the start of a server.
 */
export function initialWrites(
  part: 'start' | 'address',
  values: InitialValues,
): readonly InitialWrites[] {
  // Each value is a number, a time, an address or an id, which JSON does not escape.
  const filled = recorded()[part].replace(
    /"\{\{(port)\}\}"|\{\{(\w+)\}\}/g,
    (_, port?: string, name?: string) => String(values[port ?? name ?? '']),
  );
  return filled.split('\n').map((line) => JSON.parse(line) as InitialWrites);
}

/** Stores the objects of some writes, unless the first of them exists. Returns true if it did not exist. */
export function storeInitial(registry: ResourceRegistry, writes: InitialWrites): boolean {
  const [first] = writes;
  if (first === undefined || isPresent(registry, first)) return false;
  for (const write of writes) {
    // A snapshot may have the IPAddress without its Service.
    if (write.type === 'ADDED' && isPresent(registry, write)) continue;
    storeObject(registry, write.object);
  }
  return true;
}

/** Stores an object with the uid of the present one, or a new uid. */
function storeObject(registry: ResourceRegistry, object: ApiObject): void {
  const { store } = resourceOf(registry, object);
  const { metadata } = object;
  metadata.uid = store.get(keyOfMetadata(metadata))?.metadata.uid ?? randomUUID();
  store.put(object);
}

function isPresent(registry: ResourceRegistry, { object }: InitialWrite): boolean {
  return resourceOf(registry, object).store.get(keyOfMetadata(object.metadata)) !== undefined;
}

/** The resource of an object that every server serves. */
export function resourceOf(
  registry: ResourceRegistry,
  { apiVersion = '', kind = '' }: { readonly apiVersion?: string; readonly kind?: string },
): ServedResource {
  const resource = registry.byKind(apiVersion, kind);
  if (resource === undefined) throw new Error(`no resource for ${apiVersion} ${kind}`);
  return resource;
}
