/** One webhook of a server: what it responds at its path. */
export interface Endpoint {
  /** The name in logs and errors. */
  readonly name: string;
  readonly path: string;
  /** The deadline of a request that names none, in seconds. */
  readonly timeoutSeconds: number;
  /**
   * Returns the body of the response to the body of a request. Rejects with a `WebhookError`, or with another error of
   * user code, which is reported as `WEBHOOK_FAILED`.
   */
  respond(body: unknown, signal: AbortSignal): Promise<object>;
  /**
   * Returns the response with the digits of the integers beyond 2^53 that the request has. `body` is the result of
   * `parseExactly`. Not called for a request without such integers. Throws `WEBHOOK_RESULT`.
   */
  restoreIntegers(response: object, body: unknown): object;
}
