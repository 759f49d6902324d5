import { crc32 } from 'node:zlib';
import type { StoredKind } from '../resources/stored-kind.ts';
import type { Change } from '../storage/revision-log.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { beginLine, endLine, objectHead } from './snapshot-line.ts';

/** The server whose state is saved. */
export interface SavedServer {
  /** The newest revision. */
  readonly revision: number;
  /** The version of Kubernetes, such as `v1.36.3`. */
  readonly kubernetes: string;
  readonly kinds: Iterable<StoredKind>;
}

/**
 * Writes the objects and the log of a server. Each kind has its objects at the oldest revision that its log covers, and then the
 * changes as watch events, so that a restored server also serves lists and watches from older revisions.
 */
export function writeSnapshot({ revision, kubernetes, kinds }: SavedServer): Buffer {
  const parts: Buffer[] = [Buffer.from(beginLine(kubernetes))];
  for (const kind of kinds) parts.push(...linesOf(kind));
  const bytes = Buffer.concat(parts);
  return Buffer.concat([bytes, Buffer.from(endLine(String(revision), crc32(bytes)))]);
}

function* linesOf(kind: StoredKind): Generator<Buffer> {
  const { log } = kind.store;
  const head = Buffer.from(objectHead(kind.apiVersion, kind.kind));
  yield Buffer.from(resourceLine(kind));
  const base = kind.store.snapshot(log.compacted);
  for (const key of base.keys) {
    const stored = base.get(key);
    if (stored !== undefined) yield* [head, stored.bytes.subarray(1), newline];
  }
  for (let at = log.positionAfter(log.compacted); at < log.end; at++) {
    const change = log.at(at);
    if (change !== undefined) yield* eventLine(change, head);
  }
}

const newline = Buffer.from('\n');
const eventEnd = Buffer.from('}\n');

function resourceLine({ apiVersion, kind, store, history }: StoredKind): string {
  const { storageVersions = [], schemaChanged = false } = history ?? {};
  const line = {
    resource: { apiVersion, kind },
    compacted: String(store.log.compacted),
    ...(storageVersions.length > 0 && {
      storageVersions: storageVersions.map(({ version, until }) => ({
        version,
        until: String(until),
      })),
    }),
    ...(schemaChanged && { schemaChanged }),
  };
  return `${JSON.stringify(line)}\n`;
}

function* eventLine({ type, object }: Change, head: Buffer): Generator<Buffer> {
  yield Buffer.from(`{"type":"${type}","object":`);
  yield head;
  yield type === 'DELETED' ? Buffer.from(deletedBody(object)) : object.bytes.subarray(1);
  yield eventEnd;
}

/** The last state of a deleted object is that of its previous event, so that only its name is saved. */
function deletedBody({ metadata, revision }: StoredObject): string {
  const { name, namespace } = metadata;
  return `"metadata":${JSON.stringify({ name, namespace, resourceVersion: String(revision) })}}`;
}
