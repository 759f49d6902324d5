/** Every error code of this package, with its constant message; `docs/errors.md` gives cause and cure. */
export const apimachineryErrors = {
  ALREADY_CONTROLLED: 'the object has another controller',
  API_STATUS: 'the API server responded with an error',
  FRAME_TOO_LARGE: 'an object of a response is too large',
  INVALID_FIELD_SELECTOR: 'the field selector is invalid',
  INVALID_LABEL_SELECTOR: 'the label selector is invalid',
  INVALID_NAME: 'the name is invalid',
  INVALID_OPTION: 'the option is invalid',
  INVALID_OWNER: 'the owner is invalid',
  MALFORMED_LIST: 'the list response is malformed',
  MALFORMED_OBJECT: 'the object is malformed',
  MALFORMED_WATCH_EVENT: 'the watch event is malformed',
  TRUNCATED_RESPONSE: 'the response is truncated',
  UNKNOWN_EVENT_TYPE: 'the watch event has an unknown type',
  UNSUPPORTED_RUNTIME: 'the runtime is not supported',
} as const;

/** The `code` of an error of this package; user code may compare it. */
export type ApimachineryErrorCode = keyof typeof apimachineryErrors;
