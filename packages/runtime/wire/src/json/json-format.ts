import {
  noPositions,
  type Format,
  type HeadPositions,
  type ListSplitter,
  type ObjectHead,
  type ObjectIdentity,
  type Splitter,
} from '../frames/format.ts';
import {
  asBuffer,
  BACKSLASH,
  COMMA,
  malformedObject,
  OPEN_OBJECT,
  parseRange,
  parseText,
  QUOTE,
  skipSpace,
  skipValue,
  UNFINISHED,
} from './json-bytes.ts';
import { JsonListSplitter } from './json-list-splitter.ts';
import { findMetadata, scanHead } from './json-scanner.ts';
import { JsonWatchSplitter } from './json-watch-splitter.ts';
import type { ObjectMeta } from '@keelson/apimachinery';

class JsonFormat implements Format {
  readonly mediaType = 'application/json';

  listSplitter(): ListSplitter {
    return new JsonListSplitter(this);
  }

  watchSplitter(): Splitter {
    return new JsonWatchSplitter(this);
  }

  positions(): HeadPositions {
    return noPositions();
  }

  scan(buffer: Uint8Array, from: number, to: number, positions: HeadPositions): void {
    scanHead(buffer, from, to, positions);
  }

  identity(buffer: Uint8Array, from: number, to: number, positions: HeadPositions): ObjectIdentity {
    if (!hasIdentity(buffer, positions)) return identityOf(this.head(buffer, from, to, positions));
    const bytes = asBuffer(buffer);
    return {
      kind: readString(bytes, positions.kindFrom, positions.kindTo),
      namespace: readString(bytes, positions.namespaceFrom, positions.namespaceTo),
      name: readString(bytes, positions.nameFrom, positions.nameTo),
      uid: readString(bytes, positions.uidFrom, positions.uidTo),
      resourceVersion: readString(
        bytes,
        positions.resourceVersionFrom,
        positions.resourceVersionTo,
      ),
    };
  }

  metadata(buffer: Uint8Array, from: number, to: number): ObjectMeta {
    const range = findMetadata(buffer, from, to);
    const metadata = metadataOf(asBuffer(buffer).toString('utf8', range.from, range.to));
    if (metadata.managedFields !== undefined) delete metadata.managedFields;
    return metadata;
  }

  head(buffer: Uint8Array, _from: number, _to: number, positions: HeadPositions): ObjectHead {
    const bytes = asBuffer(buffer);
    const metadata = readMetadata(bytes, positions);
    const apiVersion = readString(bytes, positions.apiVersionFrom, positions.apiVersionTo);
    const kind = readString(bytes, positions.kindFrom, positions.kindTo);
    if (apiVersion === undefined) return kind === undefined ? { metadata } : { kind, metadata };
    return kind === undefined ? { apiVersion, metadata } : { apiVersion, kind, metadata };
  }

  cutLength(from: number, to: number, positions: HeadPositions): number {
    return to - from - (positions.managedFieldsTo - positions.managedFieldsFrom);
  }

  cut(
    buffer: Uint8Array,
    from: number,
    to: number,
    positions: HeadPositions,
    target: Uint8Array,
    at: number,
  ): number {
    const bytes = asBuffer(buffer);
    if (positions.managedFieldsFrom === -1) return bytes.copy(target, at, from, to);
    const before = bytes.copy(target, at, from, positions.managedFieldsFrom);
    const length = before + bytes.copy(target, at + before, positions.managedFieldsTo, to);
    return positions.managedFieldsRepeated ? this.#cutAgain(target, at, length) : length;
  }

  decode(buffer: Uint8Array, from: number, to: number): unknown {
    try {
      return parseRange(buffer, from, to);
    } catch (error) {
      const end = objectEnd(buffer, from, to);
      if (end === to || !areOtherMembers(buffer, end, to)) throw error;
      return parseRange(buffer, from, end);
    }
  }

  /** Cuts the next `managedFields` in place, from an object that has more than one. */
  #cutAgain(target: Uint8Array, at: number, length: number): number {
    const positions = noPositions();
    this.scan(target, at, at + length, positions);
    return this.cut(target, at, at + length, positions, target, at);
  }
}

/** The JSON format. It accepts any layout of JSON, also that of programs other than kube-apiserver. */
export const jsonFormat: Format = new JsonFormat();

/**
 * Returns the end of the object, or `to` unless a comma follows it. If a watch event was split by its line,
 * the range includes members after the object, which API servers do not write.
 */
function objectEnd(bytes: Uint8Array, from: number, to: number): number {
  if (bytes[from] !== OPEN_OBJECT) return to;
  const end = skipValue(bytes, from, to);
  if (end === UNFINISHED) return to;
  return bytes[skipSpace(bytes, end, to)] === COMMA ? end : to;
}

/**
 * True if the bytes after the object are further members of its event. False for the start of another event, and for a
 * second `type` or `object`, which a parser would use instead of the first.
 */
function areOtherMembers(bytes: Uint8Array, from: number, to: number): boolean {
  const rest = asBuffer(bytes).toString('utf8', from, to);
  const members = parseText(`{"":0${rest}}`) as object;
  return !Object.hasOwn(members, 'type') && !Object.hasOwn(members, 'object');
}

function readMetadata(bytes: Buffer, positions: HeadPositions): ObjectMeta {
  const { metadataFrom, metadataTo, managedFieldsFrom, managedFieldsTo } = positions;
  if (metadataFrom === -1) throw malformedObject('no metadata');
  const text =
    managedFieldsFrom === -1
      ? bytes.toString('utf8', metadataFrom, metadataTo)
      : bytes.toString('utf8', metadataFrom, managedFieldsFrom) +
        bytes.toString('utf8', managedFieldsTo, metadataTo);
  const metadata = metadataOf(text);
  if (positions.managedFieldsRepeated) delete metadata.managedFields;
  return metadata;
}

function metadataOf(text: string): ObjectMeta {
  const metadata = parseText(text);
  if (!isObject(metadata)) throw malformedObject('metadata is not an object');
  return metadata;
}

function isObject(value: unknown): value is ObjectMeta {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * True if the positions of the identity can be used. Otherwise the metadata must be parsed: a name in it is escaped, or
 * it is missing or invalid.
 */
function hasIdentity(bytes: Uint8Array, { metadataFrom, hasEscapedNames }: HeadPositions): boolean {
  return metadataFrom !== -1 && bytes[metadataFrom] === OPEN_OBJECT && !hasEscapedNames;
}

function identityOf({ kind, metadata }: ObjectHead): ObjectIdentity {
  return {
    kind: stringOf(kind),
    namespace: stringOf(metadata.namespace),
    name: stringOf(metadata.name),
    uid: stringOf(metadata.uid),
    resourceVersion: stringOf(metadata.resourceVersion),
  };
}

function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function readString(bytes: Buffer, from: number, to: number): string | undefined {
  if (from === -1) return undefined;
  if (isPlain(bytes, from, to)) return bytes.toString('latin1', from + 1, to - 1);
  return stringOf(parseRange(bytes, from, to));
}

/** True for a string of ASCII characters without escapes, the form of names and versions. */
function isPlain(bytes: Buffer, from: number, to: number): boolean {
  if (bytes[from] !== QUOTE) return false;
  for (let at = from + 1; at < to - 1; at++) {
    const byte = bytes[at] as number;
    if (byte === BACKSLASH || byte >= 0x80 || byte < 0x20) return false;
  }
  return true;
}
