/** A webhook could not be called, or sent a response that is not a review. The message is that of client-go. */
export class WebhookCallError extends Error {
  override readonly name = 'WebhookCallError';
  /** The status code of an error response of the webhook; `undefined` if no response arrived. */
  readonly code: number | undefined;

  constructor(message: string, code?: number, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
