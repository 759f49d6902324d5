/** Every error code of this package, with its constant message; `docs/errors.md` gives cause and cure. */
export const apimachineryErrors = {
  ALREADY_CONTROLLED: 'the object has another controller',
  API_STATUS: 'the API server responded with an error',
  INVALID_FIELD_SELECTOR: 'the field selector is invalid',
  INVALID_LABEL_SELECTOR: 'the label selector is invalid',
  INVALID_NAME: 'the name is invalid',
  INVALID_OPTION: 'the option is invalid',
  INVALID_OWNER: 'the owner is invalid',
  UNSUPPORTED_RUNTIME: 'the runtime is not supported',
} as const;

/** The `code` of an error of this package; user code may compare it. */
export type ApimachineryErrorCode = keyof typeof apimachineryErrors;
