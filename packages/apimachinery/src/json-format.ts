import type { Format, HeadPositions, ListSplitter, ObjectHead, Splitter } from './format.ts';
import { asBuffer, malformedObject, parseRange, parseText } from './json-bytes.ts';
import { JsonListSplitter } from './json-list-splitter.ts';
import { JsonScanner, noPositions } from './json-scanner.ts';
import { JsonWatchSplitter } from './json-watch-splitter.ts';
import type { ObjectMeta } from './kubernetes-object.ts';

class JsonFormat implements Format {
  readonly mediaType = 'application/json';
  /** Scratch of a synchronous call; nothing in it outlives the call. */
  readonly #scanner = new JsonScanner();

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
    this.#scanner.head(buffer, from, to, positions);
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
    return parseRange(buffer, from, to);
  }

  /** One more `managedFields` of an object that names them repeatedly, in place. */
  #cutAgain(target: Uint8Array, at: number, length: number): number {
    const positions = noPositions();
    this.scan(target, at, at + length, positions);
    return this.cut(target, at, at + length, positions, target, at);
  }
}

/** JSON as the API server writes it, and as anybody else may. */
export const jsonFormat: Format = new JsonFormat();

function readMetadata(bytes: Buffer, positions: HeadPositions): ObjectMeta {
  const { metadataFrom, metadataTo, managedFieldsFrom, managedFieldsTo } = positions;
  if (metadataFrom === -1) throw malformedObject('no metadata');
  const text =
    managedFieldsFrom === -1
      ? bytes.toString('utf8', metadataFrom, metadataTo)
      : bytes.toString('utf8', metadataFrom, managedFieldsFrom) +
        bytes.toString('utf8', managedFieldsTo, metadataTo);
  const metadata = parseText(text);
  if (!isObject(metadata)) throw malformedObject('metadata is not an object');
  if (positions.managedFieldsRepeated) delete metadata.managedFields;
  return metadata;
}

function isObject(value: unknown): value is ObjectMeta {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readString(bytes: Buffer, from: number, to: number): string | undefined {
  if (from === -1) return undefined;
  const value = parseRange(bytes, from, to);
  return typeof value === 'string' ? value : undefined;
}
