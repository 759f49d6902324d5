import { objectNameProblem } from '@keelson/apimachinery';
import { ClientError } from '../errors.ts';
import { invalidName } from './calls/resource-path.ts';

/**
 * Throws `INVALID_NAME` if a name in the path of a typed API would change the target of the request. URL
 * parsers remove `.` and `..`, so deleting an object named `..` would delete its namespace. An empty name
 * would delete all objects.
 */
export function checkEndpoint(endpoint: string): void {
  const [first, ...segments] = endpoint.split('/').slice(1).map(decoded);
  const isRoot = segments.length <= (first === 'api' ? 2 : 3);
  // client-node requests discovery with a trailing slash: `/apis/`, `/apis/apps/v1/`.
  if (isRoot && segments.at(-1) === '') segments.pop();
  const count = nameCount(first ?? '', segments);
  for (const name of segments.slice(0, count)) {
    const reason = objectNameProblem(name);
    if (reason !== undefined) throw invalidName('path segment', name, reason);
  }
  const beyond = segments.slice(count).join('/');
  if (beyond.split('/').some(isDots))
    throw invalidName('path', beyond, 'must not contain "." or ".." as segments');
}

/**
 * Returns how many segments are names. The path after `proxy` or `logs` belongs to another server and may
 * contain slashes.
 */
function nameCount(first: string, segments: readonly string[]): number {
  if (first === 'logs') return 0;
  const place = { namespaces: 5, nodes: 3 }[segments[1] ?? ''];
  const isProxied = first === 'api' && place !== undefined && segments[place] === 'proxy';
  return isProxied ? place : segments.length;
}

/** Throws `UNSAFE_PATH` for a raw path that a server or a proxy would read as a different path. */
export function checkRawPath(path: string): void {
  if (!path.startsWith('/')) throw unsafe(path, 'a path that begins with "/"');
  const [plain = ''] = path.split('?', 1);
  if (plain.split('/').some((segment) => isDots(decoded(segment)))) {
    throw unsafe(path, 'a path without "." and ".." as segments');
  }
  // oxlint-disable-next-line no-control-regex -- the expression refuses control characters
  if (/[^\u0021-\u00ff]|\u007f/.test(path)) throw unsafe(path, 'a path that is encoded');
}

/** Returns the error for an unsafe path. It omits the query, which may contain a secret. */
function unsafe(path: string, expected: string): ClientError {
  return new ClientError('UNSAFE_PATH', { path: path.split('?', 1)[0], expected });
}

function isDots(segment: string): boolean {
  return segment === '.' || segment === '..';
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
