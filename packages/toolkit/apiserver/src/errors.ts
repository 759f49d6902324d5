/** Every error code of this package, with its constant message; `docs/errors.md` gives cause and cure. */
export const apiserverErrors = {
  LISTEN_FAILED: 'the server cannot listen on its address',
  PORT_IN_USE: 'another process listens on the port',
  RESOURCE_NOT_SERVED: 'the resource is not served',
  SERVER_CLOSED: 'the server is closed',
  SNAPSHOT_INVALID: 'a line of the snapshot is invalid',
  SNAPSHOT_KIND_UNKNOWN: 'the server has no such kind as an object of the snapshot',
  SNAPSHOT_NOT_WRITTEN: 'the file of the snapshot cannot be written',
  SNAPSHOT_UNREADABLE: 'the file of the snapshot cannot be read',
  TOKEN_FILE_INVALID: 'a line of the token file is invalid',
  WEBHOOK_NEEDED: 'a conversion webhook has to be called first',
} as const;

/** The `code` of an error of this package; user code may compare it. */
export type ApiServerErrorCode = keyof typeof apiserverErrors;
