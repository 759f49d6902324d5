/** Every code that this package throws, with its constant message; `docs/errors.md` gives cause and cure. */
export const apimachineryErrors = {
  ALREADY_CONTROLLED: 'another object is the controller of this one',
  API_STATUS: 'the API server responded with an error',
  FRAME_TOO_LARGE: 'an object of a response is too large',
  INVALID_FIELD_SELECTOR: 'the field selector is invalid',
  INVALID_LABEL_SELECTOR: 'the label selector is invalid',
  INVALID_NAME: 'the name is not one that the API accepts',
  INVALID_OPTION: 'the option is not valid',
  INVALID_OWNER: 'the object cannot be an owner',
  MALFORMED_LIST: 'the bytes are not a list',
  MALFORMED_OBJECT: 'the bytes are not an object',
  MALFORMED_WATCH_EVENT: 'the bytes are not a watch event',
  TRUNCATED_RESPONSE: 'the response ended in the middle',
  UNKNOWN_EVENT_TYPE: 'the watch event has an unknown type',
} as const;

export type ApimachineryErrorCode = keyof typeof apimachineryErrors;
