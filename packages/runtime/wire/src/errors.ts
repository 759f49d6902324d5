/** Every error code of this package, with its constant message; `docs/errors.md` gives cause and cure. */
export const wireErrors = {
  FRAME_TOO_LARGE: 'an object of a response is too large',
  MALFORMED_LIST: 'the list response is malformed',
  MALFORMED_OBJECT: 'the object is malformed',
  MALFORMED_WATCH_EVENT: 'the watch event is malformed',
  TRUNCATED_RESPONSE: 'the response is truncated',
  UNKNOWN_EVENT_TYPE: 'the watch event has an unknown type',
} as const;

/** The `code` of an error of this package; user code may compare it. */
export type WireErrorCode = keyof typeof wireErrors;
