import { CodedError, thrownReason, type ErrorFacts } from '@keelson/apimachinery';

/** Every error code of this package, with its constant message; `docs/errors.md` gives cause and cure. */
export const informerErrors = {
  BODY_NOT_KEPT: 'the body of the object was not kept, because of a memory budget',
  CACHE_CLOSED: 'the informer cache is closed',
  HANDLE_RELEASED: 'the handle was released',
  INDEXER_CONFLICT: 'another indexer of the kind has this name',
  INDEXER_RESULT: 'the indexer returned something other than an array of strings',
  INDEX_UNKNOWN: 'no index has this name',
  LIST_ENDLESS: 'the list repeats its pages',
  LIST_WENT_BACK: 'the list has an older version than the request',
  LIST_WITHOUT_VERSION: 'the list has no resourceVersion',
  MEMORY_BUDGET_EXCEEDED: 'the memory budget is used up',
  NAMESPACE_NOT_ALLOWED: 'the resource is cluster-scoped and a namespace was given',
  NAMESPACE_REQUIRED: 'the resource is namespaced and no namespace was given',
  NOT_SYNCED: 'the watch has not synced yet',
  NOT_WATCHED: 'no held watch serves this read',
  OBJECT_MALFORMED: 'an object on the wire cannot be read',
  REGISTRATION_REMOVED: 'the event handler was removed before it had received the initial objects',
  TABLE_RESPONSE: 'the server responded with a Table instead of objects',
  TRANSFORM_CONFLICT: 'another transform of the kind has this name',
  TRANSFORM_RESULT: 'the transform returned something other than an object with metadata',
  VIEW_EXPIRED: 'the object has left the store, and its view was not kept',
  WAIT_TIMEOUT: 'the object did not reach the expected state in time',
  WATCH_ENDED: 'the watch ended too early',
  WATCH_IDLE: 'the watch was silent for too long',
  WATCH_LIST_SILENT: 'the initial state was not finished in time',
  WATCH_WENT_BACK: 'the watch sent an older version than before',
} as const;

/** The `code` of an error of this package; user code may compare it. */
export type InformerErrorCode = keyof typeof informerErrors;

export function informerError(
  code: InformerErrorCode,
  facts: ErrorFacts = {},
  cause?: unknown,
): CodedError<InformerErrorCode> {
  return new CodedError(code, informerErrors[code], facts, cause === undefined ? {} : { cause });
}

/** Returns a thrown value as an error. Never throws, also for a value that cannot be read. */
export function asError(thrown: unknown): Error {
  try {
    if (thrown instanceof Error) return thrown;
  } catch {
    // A revoked proxy has no class.
  }
  return new Error(thrownReason(thrown));
}
