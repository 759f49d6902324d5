import { normalFieldSelector, normalLabelSelector } from '@keelson/apimachinery';
import type { Duration, LabelSelector } from '@keelson/apimachinery';
import { checkValues, isDryRun } from '../../values/option-check.ts';
import { queryOf } from './resource-path.ts';

/** Aborts a call, or limits its time. Every call accepts these options. */
export interface RequestOptions {
  /** Aborts the call and its request. Default: none. */
  readonly signal?: AbortSignal | undefined;
  /** Time limit of the whole call, retries included. Default: no limit. Throws `REQUEST_TIMEOUT`. */
  readonly timeout?: Duration | undefined;
}

/** Chooses the version that a read of one object accepts. */
export interface GetOptions extends RequestOptions {
  /** `"0"` accepts any version that the server has cached. Default: the newest version. */
  readonly resourceVersion?: string | undefined;
}

/** Selects objects of a resource by namespace, labels and fields. */
export interface Selection {
  /** The namespace of the objects. Default: all namespaces. */
  readonly namespace?: string | undefined;
  /** A label selector as a string or an object. Default: all objects. Throws `INVALID_LABEL_SELECTOR`. */
  readonly labelSelector?: string | LabelSelector | undefined;
  /** A field selector such as `metadata.name=a`. Default: all objects. Throws `INVALID_FIELD_SELECTOR`. */
  readonly fieldSelector?: string | undefined;
}

/** Selects objects for a list, and limits its pages and versions. */
export interface ListOptions extends RequestOptions, Selection {
  /**
   * Upper bound of the objects in one page. `list` returns one page, `items` reads all of them. Default 500
   * for `items`.
   */
  readonly limit?: number | undefined;
  /** The `metadata.continue` of the previous page. Default: the first page. */
  readonly continue?: string | undefined;
  /** The version to list; `"0"` accepts any version that the server has cached. Default: the newest version. */
  readonly resourceVersion?: string | undefined;
  /** How `resourceVersion` is matched. Default: at least this version; with `limit`, exactly this version. */
  readonly resourceVersionMatch?: 'NotOlderThan' | 'Exact' | undefined;
  /**
   * Selects objects by the hash of their uid or namespace (KEP-5866): `shardRange(object.metadata.uid, '0x…', '0x…')`,
   * joined by `||`. Servers without the gate `ShardedListAndWatch` ignore it. Default: all objects.
   */
  readonly shardSelector?: string | undefined;
}

/**
 * Selects objects for a streamed list. Without `timeout`, because the consumer decides how long reading takes.
 */
export type ItemsOptions = Omit<ListOptions, 'timeout'>;

/** Selects the objects of one watch request, and where the watch starts. */
export interface WatchOptions extends Selection {
  /** Ends the watch and its request; the iterator throws the reason of the signal. Default: none. */
  readonly signal?: AbortSignal | undefined;
  /** The version to start after. Default: the watch starts with the current state. */
  readonly resourceVersion?: string | undefined;
  /** How `resourceVersion` is matched. Default: `NotOlderThan` with `sendInitialEvents`. */
  readonly resourceVersionMatch?: 'NotOlderThan' | undefined;
  /** Starts with the current state as ADDED events, followed by a bookmark (WatchList, KEP-3157). Default false. */
  readonly sendInitialEvents?: boolean | undefined;
  /** Requests bookmarks. Default false. */
  readonly allowWatchBookmarks?: boolean | undefined;
  /** The seconds after which the server ends the watch. Default: the server chooses, 30 to 60 minutes. */
  readonly timeoutSeconds?: number | undefined;
  /**
   * Selects objects by the hash of their uid or namespace (KEP-5866): `shardRange(object.metadata.uid, '0x…', '0x…')`,
   * joined by `||`. Servers without the gate `ShardedListAndWatch` ignore it. Default: all objects.
   */
  readonly shardSelector?: string | undefined;
}

/**
 * Whether the server validates a write without storing it. `'All'` is the value of the API, as in
 * client-node.
 */
export type DryRun = boolean | 'All' | readonly ['All'];

/** Whether the server rejects unknown fields, warns about them, or ignores them. */
export type FieldValidation = 'Strict' | 'Warn' | 'Ignore';

/** Controls validation and field ownership of a create, update or patch. */
export interface WriteOptions extends RequestOptions {
  /** Validates the write without storing it. Default false. */
  readonly dryRun?: DryRun | undefined;
  /** The field manager of this write in `managedFields`. Default: that of the client. */
  readonly fieldManager?: string | undefined;
  /** The treatment of unknown fields. Default: that of the server, `Warn`. */
  readonly fieldValidation?: FieldValidation | undefined;
}

/** Controls validation and field ownership of a server-side apply. */
export interface ApplyOptions extends WriteOptions {
  /** Takes over fields that other managers own. Default `true`, as recommended for controllers (KEP-555). */
  readonly force?: boolean | undefined;
}

/** Controls how objects are deleted: grace period, dependents and preconditions. */
export interface DeleteOptions extends RequestOptions {
  /** Validates the deletion without deleting. Default false. */
  readonly dryRun?: DryRun | undefined;
  /** The seconds until the object is removed. Default: that of the object, mostly 30 for Pods. */
  readonly gracePeriodSeconds?: number | undefined;
  /** How the garbage collector treats the dependents. Default: that of the kind, mostly `Background`. */
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground' | undefined;
  /**
   * Deletes only an object with this uid or resourceVersion; otherwise the server responds with 409. Default: any
   * object.
   */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string } | undefined;
}

const request = ['signal', 'timeout'];
const selection = ['namespace', 'labelSelector', 'fieldSelector'];
const page = [
  ...selection,
  'limit',
  'continue',
  'resourceVersion',
  'resourceVersionMatch',
  'shardSelector',
];
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

/** The options of a call to which the caller gave none. They need no check. */
export const NO_OPTIONS: RequestOptions = Object.freeze({});

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
    'shardSelector',
  ],
  write,
  apply: [...write, 'force'],
  delete: removal,
  deleteCollection: [...removal, ...selection],
};

/** Throws `INVALID_OPTION` for unknown options of a call and for invalid values. */
export function checkCall(call: CallName, options: object, name: string = call): void {
  if (options !== NO_OPTIONS) checkValues(options, known[call], name);
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
    shardSelector: options.shardSelector,
  });
}

export function watchQuery(options: WatchOptions): string {
  const { resourceVersion, resourceVersionMatch, timeoutSeconds } = options;
  return queryOf({
    watch: 1,
    ...selectionParameters(options),
    resourceVersion,
    // The server requires `resourceVersionMatch` together with `sendInitialEvents`.
    resourceVersionMatch:
      resourceVersionMatch ?? (options.sendInitialEvents === true ? 'NotOlderThan' : undefined),
    sendInitialEvents: options.sendInitialEvents,
    allowWatchBookmarks: options.allowWatchBookmarks,
    timeoutSeconds,
    shardSelector: options.shardSelector,
  });
}

export function writeQuery(options: ApplyOptions, fieldManager: string | undefined): string {
  return queryOf({
    dryRun: options.dryRun !== undefined && isDryRun(options.dryRun) ? 'All' : undefined,
    fieldManager: options.fieldManager ?? fieldManager,
    fieldValidation: options.fieldValidation,
    force: options.force,
  });
}

/** The field manager of a server-side apply without another one, because the server requires one. */
const DEFAULT_FIELD_MANAGER = 'keelson';

/** Returns the query of a server-side apply, which takes over fields by default. */
export function applyQuery(options: ApplyOptions, fieldManager: string | undefined): string {
  const { force = true } = options;
  return writeQuery({ ...options, force }, fieldManager ?? DEFAULT_FIELD_MANAGER);
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
