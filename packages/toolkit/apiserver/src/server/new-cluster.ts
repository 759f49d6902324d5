import { randomUUID } from 'node:crypto';
import type { ObjectMeta } from '@keelson/apimachinery';
import { lazy } from '@keelson/structural-schema';
import { readDataFile } from '../data-file.ts';
import type { ResourceRegistry } from '../resources/resource-registry.ts';
import type { ServedResource } from '../resources/served-resource.ts';
import type { RecordedState } from '../storage/resource-store.ts';
import { keyOfMetadata } from '../storage/stored-object.ts';

/** The first line of a recorded write. */
export interface InitialWriteHead {
  readonly type: 'ADDED' | 'MODIFIED';
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  /** The metadata without `managedFields`. `uid` and `resourceVersion` are empty. */
  readonly metadata: ObjectMeta;
}

/**
 * A write of an object of a new cluster. Only the first of its three lines is parsed: the server stores the other two, the managed
 * fields and the content, as they are.
 */
export type InitialWrite = InitialWriteHead & RecordedState;

/** Writes that follow from the first of them, and that a cluster with the first object does not need. */
export type InitialWrites = readonly InitialWrite[];

/** The values of the placeholders, such as `{{time}}`, in the recorded writes. */
export type InitialValues = Readonly<Record<string, string | number>>;

/** The recorded writes: those of a start and, behind two empty lines, those that name the address of the server. */
const recorded = lazy(() => {
  const [start = '', address = ''] = readDataFile('new-cluster.jsonl').toString().split('\n\n\n');
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
  const texts = recorded()[part].split('\n\n');
  return texts.map((text) => readWrites(filled(text, values)));
}

/** Replaces the placeholders, mostly in a few of the texts. */
function filled(text: string, values: InitialValues): string {
  let result = text;
  for (const [name, value] of Object.entries(values)) {
    // A string is a time, an address or an id, which JSON does not escape.
    const placeholder = typeof value === 'number' ? `"{{${name}}}"` : `{{${name}}}`;
    result = result.replaceAll(placeholder, String(value));
  }
  return result;
}

function readWrites(text: string): InitialWrites {
  const lines = text.split('\n');
  const writes: InitialWrite[] = [];
  for (let at = 0; at < lines.length; at += 3) {
    const [head = '', managedFields = '', content = ''] = lines.slice(at, at + 3);
    writes.push({ ...(JSON.parse(head) as InitialWriteHead), managedFields, content });
  }
  return writes;
}

/** Stores the objects of some writes, unless the first of them exists. Returns true if it did not exist. */
export function storeInitial(registry: ResourceRegistry, writes: InitialWrites): boolean {
  const [first] = writes;
  if (first === undefined || isPresent(registry, first)) return false;
  for (const write of writes) {
    // A snapshot may have the IPAddress without its Service.
    if (write.type === 'ADDED' && isPresent(registry, write)) continue;
    storeObject(registry, write);
  }
  return true;
}

/** Stores an object with the uid of the present one, or a new uid. */
function storeObject(registry: ResourceRegistry, write: InitialWrite): void {
  const { store } = initialResource(registry, write);
  const { metadata } = write;
  metadata.uid = store.get(keyOfMetadata(metadata))?.metadata.uid ?? randomUUID();
  store.putRecorded(write);
}

function isPresent(registry: ResourceRegistry, write: InitialWrite): boolean {
  const { store } = initialResource(registry, write);
  return store.get(keyOfMetadata(write.metadata)) !== undefined;
}

/** The resource of an object that every server has. */
export function initialResource(
  registry: ResourceRegistry,
  name: Pick<InitialWriteHead, 'group' | 'version' | 'plural'>,
): ServedResource {
  const resource = registry.find(name);
  if (resource === undefined) throw new Error(`${name.plural} are not served`);
  return resource;
}
