import { normalFieldSelector, normalLabelSelector } from '@keelson/apimachinery';
import type { Duration, LabelSelector } from '@keelson/apimachinery';
import { checkValues, isDryRun } from '../../values/option-check.ts';
import { queryOf } from './resource-path.ts';

/** Options that every call accepts. */
export interface RequestOptions {
  /** Aborts the call and its request. */
  readonly signal?: AbortSignal | undefined;
  /** Time limit of the whole call, retries included. Default: no limit. Throws `REQUEST_TIMEOUT`. */
  readonly timeout?: Duration | undefined;
}

/** Options of reading one object. */
export interface GetOptions extends RequestOptions {
  /** `"0"` accepts any version that the server has cached. Default: the newest version. */
  readonly resourceVersion?: string | undefined;
}

/** Selects objects of a resource by namespace, labels and fields. */
export interface Selection {
  /** Default: all namespaces. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | LabelSelector | undefined;
  readonly fieldSelector?: string | undefined;
}

/** Options of reading many objects. */
export interface ListOptions extends RequestOptions, Selection {
  /**
   * Upper bound of the objects in one page. `list` returns one page, `items` reads all of them. Default 500
   * for `items`.
   */
  readonly limit?: number | undefined;
  readonly continue?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: 'NotOlderThan' | 'Exact' | undefined;
}

/**
 * Options of streaming many objects. Without `timeout`, because the consumer decides how long reading takes.
 */
export type ItemsOptions = Omit<ListOptions, 'timeout'>;

/** Options of one watch request. */
export interface WatchOptions extends Selection {
  readonly signal?: AbortSignal | undefined;
  /** The version to start after. Default: the watch starts with the current state. */
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: 'NotOlderThan' | undefined;
  /** WatchList (KEP-3157): the current state is sent first as ADDED events, followed by a bookmark. */
  readonly sendInitialEvents?: boolean | undefined;
  readonly allowWatchBookmarks?: boolean | undefined;
  /** The server ends the watch after this many seconds. */
  readonly timeoutSeconds?: number | undefined;
}

/**
 * Whether the server validates a write without storing it. `'All'` is the value of the API, as in
 * client-node.
 */
export type DryRun = boolean | 'All' | readonly ['All'];

/** Whether the server rejects unknown fields, warns about them, or ignores them. */
export type FieldValidation = 'Strict' | 'Warn' | 'Ignore';

/** Options of create, update and patch. */
export interface WriteOptions extends RequestOptions {
  readonly dryRun?: DryRun | undefined;
  /** The field manager of this write in `managedFields`. Default: that of the client. */
  readonly fieldManager?: string | undefined;
  readonly fieldValidation?: FieldValidation | undefined;
}

/** Options of a server-side apply. */
export interface ApplyOptions extends WriteOptions {
  /** Takes over fields that other managers own. Default `true`, as recommended for controllers (KEP-555). */
  readonly force?: boolean | undefined;
}

/** Options of delete and deleteCollection. */
export interface DeleteOptions extends RequestOptions {
  readonly dryRun?: DryRun | undefined;
  readonly gracePeriodSeconds?: number | undefined;
  /** What happens to the dependents of the object. Default: that of the kind, mostly `Background`. */
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground' | undefined;
  /** Deletes only the object with this uid or resourceVersion. Otherwise the server responds with 409. */
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

/** The names of each call's options. */
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

/** Throws `INVALID_OPTION` for unknown options of a call and for invalid values. */
export function checkCall(call: CallName, options: object, name: string = call): void {
  checkValues(options, known[call], name);
}

export function getQuery({ resourceVersion }: GetOptions): string {
  return queryOf({ resourceVersion });
}

/** Throws `INVALID_LABEL_SELECTOR` or `INVALID_FIELD_SELECTOR` before a request is sent. */
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
    // The server requires it together with sendInitialEvents.
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

/** Returns the body of a delete (`meta.k8s.io/v1 DeleteOptions`), or `undefined` if it would be empty. */
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
