import type { StatusCause } from '@keelson/apimachinery';
import { isTrue } from '../http/request-info.ts';
import { badRequest, failure, invalid } from '../status-errors/status-errors.ts';
import { versionProblem } from './writes/version-problem.ts';
import { notSupported } from './writes/write-options.ts';

/** The query of a list or watch about versions and pages. */
export interface ListQuery {
  /** `""` if the query has none. */
  readonly resourceVersion: string;
  readonly match: '' | 'Exact' | 'NotOlderThan';
  /** 0 for no limit. */
  readonly limit: number;
  readonly continue: string;
  readonly sendInitialEvents: boolean | undefined;
  readonly allowWatchBookmarks: boolean;
  /** In milliseconds. */
  readonly timeout: number | undefined;
}

/**
 * Reads the query of a list or watch. Throws 400 or 422, naming the parameter. `versionOf` checks the version, after the
 * selectors as in kube-apiserver.
 */
export function listQuery(query: URLSearchParams, verb: 'list' | 'watch'): ListQuery {
  const seconds = integer(query, 'timeoutSeconds');
  const initial = query.get('sendInitialEvents');
  const parsed: ListQuery = {
    resourceVersion: query.get('resourceVersion') ?? '',
    match: (query.get('resourceVersionMatch') ?? '') as ListQuery['match'],
    limit: Math.max(0, integer(query, 'limit') ?? 0),
    continue: query.get('continue') ?? '',
    sendInitialEvents: initial === null ? undefined : isTrue(initial),
    allowWatchBookmarks: isTrue(query.get('allowWatchBookmarks')),
    // 0 means that the client sets no timeout.
    timeout: seconds === undefined || seconds === 0 ? undefined : seconds * 1000,
  };
  checkMatch(parsed, verb);
  return parsed;
}

/** Returns the `resourceVersion` of a query. Throws 400, or 500 as kube-apiserver, if it is invalid. */
export function versionOf(query: URLSearchParams, verb: 'get' | 'list' | 'watch'): string {
  const resourceVersion = query.get('resourceVersion') ?? '';
  const problem = versionProblem(resourceVersion);
  if (problem === undefined) return resourceVersion;
  const why = `resourceVersion: Invalid value: ${JSON.stringify(resourceVersion)}: ${problem}`;
  throw verb === 'list' ? badRequest(`invalid resource version: ${why}`) : failure(500, '', why);
}

function integer(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const refuse = (why: string): Error =>
    badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: ${why}`);
  if (!/^[+-]?\d+$/.test(text)) throw refuse('invalid syntax');
  if (BigInt.asIntN(64, BigInt(text.replace('+', ''))) !== BigInt(text.replace('+', ''))) {
    throw refuse('value out of range');
  }
  return Number(text);
}

function checkMatch(query: ListQuery, verb: 'list' | 'watch'): void {
  const causes = verb === 'watch' ? watchCauses(query) : listCauses(query);
  if (causes.length === 0) return;
  throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions', name: '' }, causes);
}

function listCauses(query: ListQuery): StatusCause[] {
  const causes = query.match === '' ? [] : listMatchCauses(query);
  if (query.sendInitialEvents === undefined) return causes;
  return [...causes, forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list')];
}

function listMatchCauses({ match, resourceVersion, continue: token }: ListQuery): StatusCause[] {
  const field = 'resourceVersionMatch';
  const isKnown = match === 'Exact' || match === 'NotOlderThan';
  const reasons = [
    ...(resourceVersion === '' ? ['is forbidden unless resourceVersion is provided'] : []),
    ...(token === '' ? [] : ['is forbidden when continue is provided']),
    ...(match === 'Exact' && resourceVersion === '0'
      ? ['"exact" is forbidden for resourceVersion "0"']
      : []),
  ];
  const supported = ['Exact', 'NotOlderThan', ''];
  return [
    ...reasons.map((why) => forbidden(field, `${field} ${why}`)),
    ...(isKnown ? [] : [notSupported(field, JSON.stringify(match), supported)]),
  ];
}

function watchCauses({ match, sendInitialEvents }: ListQuery): StatusCause[] {
  const field = 'resourceVersionMatch';
  if (sendInitialEvents !== undefined && match !== 'NotOlderThan') {
    return [
      forbidden(field, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'),
    ];
  }
  if (sendInitialEvents !== undefined || match === '') return [];
  return [
    forbidden(
      field,
      'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
    ),
  ];
}

function forbidden(field: string, why: string): StatusCause {
  return { reason: 'FieldValueForbidden', message: `Forbidden: ${why}`, field };
}
