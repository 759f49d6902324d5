/** A response of a webhook before it is decoded. */
export interface WebhookResponse {
  readonly code: number;
  readonly contentType: string;
  readonly body: string;
}
