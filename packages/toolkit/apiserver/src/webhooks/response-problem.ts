import { isJsonObject } from '@keelson/structural-schema';
import type { WebhookResponse } from './webhook-response.ts';

/** Messages of client-go for error responses. Source: `NewGenericServerResponse` in `pkg/api/errors` of apimachinery. */
const messages: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  409: 'the server reported a conflict',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
};

/** Returns the error that client-go makes of an error response; `undefined` for a response without an error. */
export function responseProblem(
  response: WebhookResponse,
): { readonly message: string; readonly code: number } | undefined {
  const { code, body } = response;
  if (code >= 200 && code <= 206) return undefined;
  return { code, message: statusMessage(body) ?? messageOf(response) };
}

/** The message of a Status in the body. */
function statusMessage(body: string): string | undefined {
  try {
    const value: unknown = JSON.parse(body);
    if (!isJsonObject(value) || value['kind'] !== 'Status' || value['status'] === 'Success')
      return undefined;
    return typeof value['message'] === 'string' ? value['message'] : undefined;
  } catch {
    return undefined;
  }
}

function messageOf({ code, body, contentType }: WebhookResponse): string {
  const isText = contentType === '' || contentType.startsWith('text/');
  const sent = isText && body.trim() !== '' ? body.trim() : 'unknown';
  if (code === 403 || code === 415) return sent;
  if (code === 406 && sent !== 'unknown') return sent;
  if (code === 406)
    return 'the server was unable to respond with a content type that the client supports';
  const generic = `the server responded with the status code ${code} but did not return more information`;
  const failed = `an error on the server (${JSON.stringify(sent)}) has prevented the request from succeeding`;
  return messages[code] ?? (code >= 500 ? failed : generic);
}
