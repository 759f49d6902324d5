import { CodedError, type ErrorFacts } from '@keelson/apimachinery';

/** Every error code of this package, with its constant message; `docs/errors.md` gives cause and cure. */
export const clientErrors = {
  KUBECONFIG_NOT_FOUND: 'no kubeconfig was found',
  KUBECONFIG_INVALID: 'the kubeconfig is invalid',
  KUBECONFIG_REFUSED: 'the kubeconfig uses a plugin or a file that is not allowed',
  NO_CURRENT_CONTEXT: 'the kubeconfig names no current context',
  CONTEXT_NOT_FOUND: 'the kubeconfig has no context of this name',
  INVALID_CLUSTER: 'the options of the cluster are invalid',
  CREDENTIALS_FAILED: 'the credentials for the cluster could not be obtained',
  UNAUTHORIZED: 'the API server refused the credentials',
  CERTIFICATE_NOT_TRUSTED: "the API server's certificate is not trusted",
  SERVER_UNREACHABLE: 'the API server cannot be reached',
  CONNECTION_LOST: 'the connection to the API server broke during a request',
  REQUEST_TIMEOUT: 'the request did not end in time',
  UNEXPECTED_RESPONSE: 'the response has an unexpected body',
  DISCOVERY_FAILED: 'the discovery of an API group failed',
  RESPONSE_TOO_LARGE: 'the response exceeds the memory limit of the client',
  CLIENT_CLOSED: 'the client is closed',
  INVALID_RESOURCE: 'the resource token lacks its group, version or plural',
  NAMESPACE_REQUIRED: 'the resource is namespaced and no namespace was given',
  NAMESPACE_NOT_ALLOWED: 'the resource is cluster-scoped and a namespace was given',
  NAME_REQUIRED: 'the object has no name',
  UNSAFE_PATH: 'the path is not a valid path of the API',
  UNSUPPORTED_BODY: 'unsupported request body',
  WRONG_OBJECT: 'the object does not match the resource',
  KIND_NOT_SERVED: 'the server does not serve the kind of an object',
  APPLY_ALL_FAILED: 'some objects of a set could not be applied or deleted',
  APPLY_SET_OWNER_DELETING: 'the owner of a set of objects is being deleted with its objects',
  APPLY_SET_OWNER_GONE: 'the owner of a set of objects does not exist any more',
  APPLY_SET_ID_INVALID: 'the owner of a set of objects has the id of another set',
  APPLY_SET_OTHER_TOOL: 'another tool changes the set of objects',
  APPLY_SET_MEMBER_CONFLICT: 'the object belongs to another owner',
  MIGRATION_FAILED: 'not all objects could be stored in the storage version',
} as const;

/** The `code` of an error of this package; user code may compare it. */
export type ClientErrorCode = keyof typeof clientErrors;

/**
 * An error that the client found, such as a lost connection or an invalid option. An error response of the API is a
 * `StatusError`.
 */
export class ClientError extends CodedError<ClientErrorCode> {
  override readonly name: string = 'ClientError';

  constructor(code: ClientErrorCode, facts: ErrorFacts = {}, options: { cause?: unknown } = {}) {
    super(code, clientErrors[code], facts, options);
  }
}
