import { normalFieldSelector, normalLabelSelector } from '@keelson/apimachinery';
import type { Duration, LabelSelector } from '@keelson/apimachinery';
import { checkValues, isDryRun } from '../../values/option-check.ts';
import { queryOf } from './resource-path.ts';

/** What every call takes. */
export interface RequestOptions {
  /** Ends the call, and its request, at once. */
  readonly signal?: AbortSignal | undefined;
  /** How long the call may take in all, retries included; no limit without it. Code `REQUEST_TIMEOUT`. */
  readonly timeout?: Duration | undefined;
}

/** Options of reading one object. */
export interface GetOptions extends RequestOptions {
  /** `"0"`: whatever the server has at hand; without it the newest. */
  readonly resourceVersion?: string | undefined;
}

/** Which objects of a resource. */
export interface Selection {
  /** All namespaces without it. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | LabelSelector | undefined;
  readonly fieldSelector?: string | undefined;
}

/** Options of reading many objects. */
export interface ListOptions extends RequestOptions, Selection {
  /** The most objects of one page. `list` returns one page; `items` reads on, default 500. */
  readonly limit?: number | undefined;
  readonly continue?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: 'NotOlderThan' | 'Exact' | undefined;
}

/** Options of streaming many objects; how long that may take is the reader's business. */
export type ItemsOptions = Omit<ListOptions, 'timeout'>;

/** Options of a watch. */
export interface WatchOptions extends Selection {
  readonly signal?: AbortSignal | undefined;
  /** Where to begin; without it with the state of now. */
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: 'NotOlderThan' | undefined;
  /** WatchList (KEP-3157): the state comes first as ADDED events, then a bookmark. */
  readonly sendInitialEvents?: boolean | undefined;
  readonly allowWatchBookmarks?: boolean | undefined;
  /** After which the server ends the watch. */
  readonly timeoutSeconds?: number | undefined;
}

/** Everything is checked, nothing stored. `'All'` is the API's own word, as client-node takes it. */
export type DryRun = boolean | 'All' | readonly ['All'];

/** What the server does about fields it does not know. */
export type FieldValidation = 'Strict' | 'Warn' | 'Ignore';

/** Options of create, update and patch. */
export interface WriteOptions extends RequestOptions {
  readonly dryRun?: DryRun | undefined;
  /** Whose write this is in `managedFields`; default: the client's. */
  readonly fieldManager?: string | undefined;
  readonly fieldValidation?: FieldValidation | undefined;
}

/** Options of a server-side apply. */
export interface ApplyOptions extends WriteOptions {
  /** Take over fields that others own; default `true`, as controllers should (KEP-555). */
  readonly force?: boolean | undefined;
}

/** Options of delete and deleteCollection. */
export interface DeleteOptions extends RequestOptions {
  readonly dryRun?: DryRun | undefined;
  readonly gracePeriodSeconds?: number | undefined;
  /** What becomes of the objects it owns; the kind's own default without it, mostly Background. */
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground' | undefined;
  /** Delete only this one, or only this version of it; else 409. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string } | undefined;
}

const request = ['signal', 'timeout'];
const selection = ['namespace', 'labelSelector', 'fieldSelector'];
const page = [...selection, 'limit', 'continue', 'resourceVersion', 'resourceVersionMatch'];
const write = [...request, 'dryRun', 'fieldManager', 'fieldValidation'];
const removal = [...request, 'dryRun', 'gracePeriodSeconds', 'propagationPolicy', 'preconditions'];

type CallName =
  | 'request'
  | 'get'
  | 'list'
  | 'items'
  | 'watch'
  | 'write'
  | 'apply'
  | 'delete'
  | 'deleteCollection';

/** The members of each call's options, by the call's name. */
const known: Readonly<Record<CallName, readonly string[]>> = {
  request,
  get: [...request, 'resourceVersion'],
  list: [...request, ...page],
  items: ['signal', ...page],
  watch: [
    'signal',
    ...selection,
    'resourceVersion',
    'resourceVersionMatch',
    'sendInitialEvents',
    'allowWatchBookmarks',
    'timeoutSeconds',
  ],
  write,
  apply: [...write, 'force'],
  delete: removal,
  deleteCollection: [...removal, ...selection],
};

/** Refuses unknown options of a call, and values that they cannot have. Code `INVALID_OPTION`. */
export function checkCall(call: CallName, options: object, name: string = call): void {
  checkValues(options, known[call], name);
}

export function getQuery({ resourceVersion }: GetOptions): string {
  return queryOf({ resourceVersion });
}

/** Throws `INVALID_LABEL_SELECTOR` or `INVALID_FIELD_SELECTOR` before anything is sent. */
export function selectionParameters({ labelSelector, fieldSelector }: Selection): {
  labelSelector: string | undefined;
  fieldSelector: string | undefined;
} {
  return {
    labelSelector: labelSelector === undefined ? undefined : normalLabelSelector(labelSelector),
    fieldSelector: fieldSelector === undefined ? undefined : normalFieldSelector(fieldSelector),
  };
}

export function listQuery(options: ListOptions): string {
  const { limit, resourceVersion, resourceVersionMatch } = options;
  return queryOf({
    ...selectionParameters(options),
    limit,
    continue: options.continue,
    resourceVersion,
    resourceVersionMatch,
  });
}

export function watchQuery(options: WatchOptions): string {
  const { resourceVersion, resourceVersionMatch, timeoutSeconds } = options;
  return queryOf({
    watch: 1,
    ...selectionParameters(options),
    resourceVersion,
    // The server demands it beside sendInitialEvents.
    resourceVersionMatch:
      resourceVersionMatch ?? (options.sendInitialEvents === true ? 'NotOlderThan' : undefined),
    sendInitialEvents: options.sendInitialEvents,
    allowWatchBookmarks: options.allowWatchBookmarks,
    timeoutSeconds,
  });
}

export function writeQuery(options: ApplyOptions, fieldManager: string | undefined): string {
  return queryOf({
    dryRun: isDryRun(options.dryRun) ? 'All' : undefined,
    fieldManager: options.fieldManager ?? fieldManager,
    fieldValidation: options.fieldValidation,
    force: options.force,
  });
}

/** The body of a delete (`meta.k8s.io/v1 DeleteOptions`), or none. */
export function deleteBody(options: DeleteOptions): string | undefined {
  const { dryRun, gracePeriodSeconds, propagationPolicy, preconditions } = options;
  const members = {
    ...(isDryRun(dryRun) ? { dryRun: ['All'] } : {}),
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(preconditions === undefined ? {} : { preconditions }),
  };
  if (Object.keys(members).length === 0) return undefined;
  return JSON.stringify({ apiVersion: 'v1', kind: 'DeleteOptions', ...members });
}
