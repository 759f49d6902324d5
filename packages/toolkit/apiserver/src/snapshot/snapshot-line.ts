import { crc32 } from 'node:zlib';
import type { KubernetesObject } from '@keelson/apimachinery';
import { jsonText } from '@keelson/structural-schema';

/** The format of the files, which their first line names. */
export const SNAPSHOT_FORMAT = 'keelson.dev/snapshot/v1';

/** The line of an object in a snapshot. It needs `apiVersion`, `kind`, a name and a resourceVersion. Integers may be bigints. */
export function snapshotLine({ apiVersion = '', kind = '', ...body }: KubernetesObject): string {
  return `${jsonText({ apiVersion, kind, ...body })}\n`;
}

/** The parts of a snapshot of another server. */
export interface SnapshotParts {
  /** The version of the server, such as `v1.36.3`. */
  readonly kubernetes: string;
  /** Results of `snapshotLine`, in any order. */
  readonly lines: Iterable<string>;
  /** The newest resourceVersion. A restored server continues there. */
  readonly revision: string;
}

/**
 * Yields the text of a snapshot for the option `restore` of `createApiServer`: a first line with the format, a line for each
 * object, and a last line with the revision and a checksum. A file without a last line is incomplete. One with another checksum
 * was edited, and is then checked in every detail.
 */
export function* snapshotText({ kubernetes, lines, revision }: SnapshotParts): Generator<string> {
  const first = beginLine(kubernetes);
  let checksum = crc32(first);
  yield first;
  for (const line of lines) {
    checksum = crc32(line, checksum);
    yield line;
  }
  yield endLine(revision, checksum);
}

/** The first line. */
export function beginLine(kubernetes: string): string {
  return `${JSON.stringify({ snapshot: SNAPSHOT_FORMAT, kubernetes })}\n`;
}

/** The last line. The checksum is the CRC-32 of all bytes before it. */
export function endLine(revision: string, checksum: number): string {
  return `${JSON.stringify({ end: { revision, crc32: checksum } })}\n`;
}

/** The start of the line of an object, up to its other members. */
export function objectHead(apiVersion: string, kind: string): string {
  return `{"apiVersion":${JSON.stringify(apiVersion)},"kind":${JSON.stringify(kind)},`;
}
