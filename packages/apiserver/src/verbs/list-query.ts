import { badRequest, invalid } from '../status-answers.ts';

/** What a list or watch asks about versions and pages. */
export interface ListQuery {
  /** `""`: not given. */
  readonly resourceVersion: string;
  readonly match: '' | 'Exact' | 'NotOlderThan';
  /** 0: everything. */
  readonly limit: number;
  readonly continue: string;
  readonly sendInitialEvents: boolean | undefined;
  readonly allowWatchBookmarks: boolean;
  /** In milliseconds. */
  readonly timeout: number | undefined;
}

/** Reads the query of a list or watch. Throws 400 or 422, naming the parameter. */
export function listQuery(query: URLSearchParams, verb: 'list' | 'watch'): ListQuery {
  const seconds = integer(query, 'timeoutSeconds');
  const initial = query.get('sendInitialEvents');
  const parsed: ListQuery = {
    resourceVersion: query.get('resourceVersion') ?? '',
    match: (query.get('resourceVersionMatch') ?? '') as ListQuery['match'],
    limit: Math.max(0, integer(query, 'limit') ?? 0),
    continue: query.get('continue') ?? '',
    sendInitialEvents: initial === null ? undefined : flag(initial),
    allowWatchBookmarks: flag(query.get('allowWatchBookmarks')),
    timeout: seconds === undefined ? undefined : seconds * 1000,
  };
  checkMatch(parsed, verb);
  checkVersion(parsed.resourceVersion);
  return parsed;
}

function flag(value: string | null): boolean {
  return value !== null && value !== 'false' && value !== '0';
}

function integer(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  if (!/^[+-]?\d+$/.test(text)) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  }
  return Number(text);
}

function checkVersion(resourceVersion: string): void {
  if (resourceVersion === '' || /^\d{1,20}$/.test(resourceVersion)) return;
  const value = JSON.stringify(resourceVersion);
  throw badRequest(
    `invalid resource version: resourceVersion: Invalid value: ${value}: strconv.ParseUint: parsing ${value}: invalid syntax`,
  );
}

function checkMatch(query: ListQuery, verb: 'list' | 'watch'): void {
  if (verb === 'watch') return checkWatchMatch(query);
  if (query.sendInitialEvents !== undefined) {
    throw refused('sendInitialEvents', 'sendInitialEvents is forbidden for list');
  }
  const { match, resourceVersion } = query;
  if (match === '') return undefined;
  if (query.continue !== '') {
    throw refused(
      'resourceVersionMatch',
      'resourceVersionMatch is forbidden when continue is provided',
    );
  }
  if (resourceVersion === '') {
    throw refused(
      'resourceVersionMatch',
      'resourceVersionMatch is forbidden unless resourceVersion is provided',
    );
  }
  if (match !== 'Exact' && match !== 'NotOlderThan') throw unsupportedMatch(match);
  if (match === 'Exact' && resourceVersion === '0') {
    throw refused(
      'resourceVersionMatch',
      'resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
    );
  }
  return undefined;
}

function checkWatchMatch({ match, sendInitialEvents }: ListQuery): void {
  if (sendInitialEvents !== undefined && match !== 'NotOlderThan') {
    throw refused(
      'resourceVersionMatch',
      'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
    );
  }
  if (sendInitialEvents === undefined && match !== '') {
    throw refused(
      'resourceVersionMatch',
      'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
    );
  }
}

function unsupportedMatch(match: string): Error {
  return listOptionsInvalid(
    'resourceVersionMatch',
    'FieldValueNotSupported',
    `Unsupported value: ${JSON.stringify(match)}: supported values: "Exact", "NotOlderThan", ""`,
  );
}

function refused(field: string, why: string): Error {
  return listOptionsInvalid(field, 'FieldValueForbidden', `Forbidden: ${why}`);
}

function listOptionsInvalid(field: string, reason: string, message: string): Error {
  const subject = { group: 'meta.k8s.io', kind: 'ListOptions', name: '' };
  return invalid(subject, [{ reason, message, field }]);
}
