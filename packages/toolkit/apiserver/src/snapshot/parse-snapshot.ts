import { crc32 } from 'node:zlib';
import { parseExact } from '@keelson/structural-schema';
import type { StorageHistory } from '../resources/stored-kind.ts';
import type { Change } from '../storage/revision-log.ts';
import type { SavedState } from '../storage/resource-store.ts';
import { checkedMetadata, membersOf, revisionOf } from './saved-metadata.ts';
import type { ApiObject } from '../storage/api-object.ts';
import { invalidSnapshot } from './invalid-snapshot.ts';
import { SNAPSHOT_FORMAT } from './snapshot-line.ts';

/** Most bytes of a line: two times the largest object that can be stored, since JSON escapes may be longer in the file. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;

/** An object or an event of a snapshot, which is parsed when it is restored. */
export interface SavedLine {
  /** The number of the line in the file, from 1. */
  readonly number: number;
  /** `undefined` for an object of the oldest state. */
  readonly type: Change['type'] | undefined;
  /** Reads the state, whose content is bytes if possible. Throws `SNAPSHOT_INVALID`. */
  read(): SavedState;
  /** Reads the state with the parsed object. Throws `SNAPSHOT_INVALID`. */
  readObject(): SavedState & { readonly content: ApiObject };
}

/** The content of a snapshot that concerns one kind in one version. */
export interface SavedKind {
  readonly apiVersion: string;
  readonly kind: string;
  /** The oldest revision of the log; `undefined` without a log. */
  compacted?: number;
  history?: StorageHistory;
  readonly lines: SavedLine[];
}

/** A parsed snapshot, whose objects are still text. */
export interface ParsedSnapshot {
  readonly revision: number;
  /** By apiVersion and kind. */
  readonly kinds: ReadonlyMap<string, SavedKind>;
}

/** Returns the key of a kind in `ParsedSnapshot.kinds`. */
export function kindKey(apiVersion: string, kind: string): string {
  return `${apiVersion} ${kind}`;
}

/** Finds the lines of a snapshot file. Throws `SNAPSHOT_INVALID` with the number of the line. */
export function parseSnapshot(bytes: Buffer): ParsedSnapshot {
  const reader = new SnapshotReader(bytes);
  return reader.read();
}

/** The head of a line as `writeSnapshot` and `snapshotLine.object` make it. */
const usualHead =
  /^(?:\{"type":"(ADDED|MODIFIED|DELETED)","object":)?\{"apiVersion":"([\w./-]+)","kind":"(\w+)",/;

/** Heads are searched in this many bytes at the start of a line. */
const HEAD_BYTES = 400;

/** Where a line is. */
interface LinePlace {
  readonly number: number;
  readonly isEvent: boolean;
  readonly from: number;
  readonly to: number;
}

class SnapshotReader {
  readonly #bytes: Buffer;
  readonly #kinds = new Map<string, SavedKind>();
  /** True if the checksum of the last line is right, so that each line is as it was written. */
  readonly #isUnchanged: boolean;
  #number = 0;
  #revision: number | undefined;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#isUnchanged = hasItsChecksum(bytes);
  }

  read(): ParsedSnapshot {
    const { length } = this.#bytes;
    for (let from = 0; from < length;) {
      const found = this.#bytes.indexOf(0x0a, from);
      const to = found < 0 ? length : found;
      this.#number++;
      if (to - from > MAX_LINE_BYTES) throw this.#invalid('the line is too long');
      this.#line(from, to);
      from = to + 1;
    }
    if (this.#number === 0) throw invalidSnapshot(1, 'the file is empty');
    if (this.#revision === undefined) throw this.#invalid('the file is incomplete');
    for (const { compacted = 0 } of this.#kinds.values()) {
      if (compacted <= this.#revision) continue;
      throw this.#invalid('the revision is older than a compaction');
    }
    return { revision: this.#revision, kinds: this.#kinds };
  }

  #line(from: number, to: number): void {
    if (this.#number === 1) return this.#begin(from, to);
    if (this.#revision !== undefined) throw this.#invalid('the line follows the end');
    const usual = usualHead.exec(
      this.#bytes.toString('latin1', from, Math.min(to, from + HEAD_BYTES)),
    );
    if (usual === null) return this.#other(from, to);
    const [head, type, apiVersion = '', kind = ''] = usual;
    const place = { number: this.#number, isEvent: type !== undefined, from, to };
    // The line of an event has one more brace at its end. The comma before the body stays.
    const body = this.#bytes.subarray(from + head.length - 1, place.isEvent ? to - 1 : to);
    this.#add({ apiVersion, kind }, { ...place, type: typeOf(type), body });
  }

  #add(
    { apiVersion, kind }: Pick<SavedKind, 'apiVersion' | 'kind'>,
    line: LinePlace & Pick<SavedLine, 'type'> & { readonly body: Uint8Array | undefined },
  ): void {
    this.#kind(apiVersion, kind).lines.push({
      number: line.number,
      type: line.type,
      read: () => this.#state(line, line.body),
      readObject: () => this.#objectState(line),
    });
  }

  #begin(from: number, to: number): void {
    const { snapshot } = membersOf(this.#json(from, to));
    if (snapshot !== SNAPSHOT_FORMAT) throw this.#invalid('the format is unknown');
  }

  /** Reads a line that no head identifies: a resource, the end, or an object that another program wrote. */
  #other(from: number, to: number): void {
    const line = membersOf(this.#json(from, to));
    if (line['end'] !== undefined) {
      this.#revision = this.#revisionIn(membersOf(line['end']), 'revision');
      return;
    }
    if (line['resource'] !== undefined) return this.#resource(line);
    const type = typeOf(line['type']);
    if (line['type'] !== undefined && type === undefined) throw this.#invalid('type is unknown');
    const { apiVersion, kind } = membersOf(type === undefined ? line : line['object']);
    if (typeof apiVersion !== 'string' || typeof kind !== 'string') {
      throw this.#invalid('apiVersion and kind must be strings');
    }
    const place = { number: this.#number, isEvent: type !== undefined, from, to };
    this.#add({ apiVersion, kind }, { ...place, type, body: undefined });
  }

  #resource(line: Readonly<Record<string, unknown>>): void {
    const { apiVersion, kind } = membersOf(line['resource']);
    if (typeof apiVersion !== 'string' || typeof kind !== 'string') {
      throw this.#invalid('apiVersion and kind must be strings');
    }
    const saved = this.#kind(apiVersion, kind);
    const periods: unknown = line['storageVersions'] ?? [];
    if (!Array.isArray(periods)) throw this.#invalid('storageVersions must be a list');
    saved.compacted = this.#revisionIn(line, 'compacted');
    saved.history = {
      schemaChanged: line['schemaChanged'] === true,
      storageVersions: periods.map((period) => {
        const { version } = membersOf(period);
        if (typeof version !== 'string') throw this.#invalid('version must be a string');
        return { version, until: this.#revisionIn(membersOf(period), 'until') };
      }),
    };
  }

  /** Reads the state of a line. Its object is encoded again without a body, or if the line may have been edited. */
  #state(place: LinePlace, body: Uint8Array | undefined): SavedState {
    if (body === undefined || !this.#isUnchanged) return this.#objectState(place);
    const metadata = this.#metadata(place, body);
    if (metadata === undefined) return { ...this.#objectState(place), content: body };
    return { ...checkedMetadata(place.number, metadata), content: body };
  }

  #objectState(place: LinePlace): SavedState & { readonly content: ApiObject } {
    const object = this.#object(place);
    const checked = checkedMetadata(place.number, membersOf(object)['metadata']);
    return { ...checked, content: object as ApiObject };
  }

  /**
   * Parses the metadata of an unchanged line alone, since parsing everything takes longer than all other work. The owners of
   * fields are left out if they come last. `undefined` if the metadata does not come first.
   */
  #metadata({ number }: LinePlace, body: Uint8Array): unknown {
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    if (!bytes.subarray(0, metadataStart.length).equals(metadataStart)) return undefined;
    const from = metadataStart.length - 1;
    const owners = bytes.indexOf(managedFieldsStart, from);
    const head = owners < 0 ? undefined : parsedOrNot(`${bytes.toString('utf8', from, owners)}}`);
    if (head !== undefined) return head;
    return parse(number, () => JSON.parse(bytes.toString('utf8', from, endOfObject(bytes, from))));
  }

  #object({ number, isEvent, from, to }: LinePlace): unknown {
    const line = parse(number, () => parseExact(this.#bytes.toString('utf8', from, to)));
    return isEvent ? membersOf(line)['object'] : line;
  }

  #json(from: number, to: number): unknown {
    return parse(this.#number, () => JSON.parse(this.#bytes.toString('utf8', from, to)));
  }

  #kind(apiVersion: string, kind: string): SavedKind {
    const key = kindKey(apiVersion, kind);
    const known = this.#kinds.get(key);
    if (known !== undefined) return known;
    const saved: SavedKind = { apiVersion, kind, lines: [] };
    this.#kinds.set(key, saved);
    return saved;
  }

  #revisionIn(members: Readonly<Record<string, unknown>>, name: string): number {
    return revisionOf(this.#number, members[name], name);
  }

  #invalid(reason: string): Error {
    return invalidSnapshot(this.#number, reason);
  }
}

const metadataStart = Buffer.from(',"metadata":{');

/** These quotes cannot be inside a string. If the member is not one of metadata, the text before it is not JSON. */
const managedFieldsStart = Buffer.from(',"managedFields":[');

function parsedOrNot(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the position behind an object of JSON, or that of the last byte. */
function endOfObject(bytes: Buffer, from: number): number {
  let depth = 0;
  let inString = false;
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at];
    if (inString) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === OPENING_BRACE) depth++;
    else if (byte === CLOSING_BRACE && --depth === 0) return at + 1;
  }
  return bytes.length;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

function hasItsChecksum(bytes: Buffer): boolean {
  const start = bytes.lastIndexOf(0x0a, -2) + 1;
  const last = /"crc32":(\d+)\}\}\n$/.exec(
    bytes.toString('latin1', Math.max(start, bytes.length - 200)),
  );
  return last !== null && Number(last[1]) === crc32(bytes.subarray(0, start));
}

function typeOf(text: unknown): Change['type'] | undefined {
  return text === 'ADDED' || text === 'MODIFIED' || text === 'DELETED' ? text : undefined;
}

function parse(number: number, read: () => unknown): unknown {
  try {
    return read();
  } catch (cause) {
    throw invalidSnapshot(number, 'the line is not JSON', cause);
  }
}
