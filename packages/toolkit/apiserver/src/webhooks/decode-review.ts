import { isJsonObject, type JsonObject } from '@keelson/structural-schema';
import { goKind, typeMeta } from '../json/json-syntax-error.ts';
import { parseJson } from '../json/parse-json.ts';
import { parseYaml } from '../json/parse-yaml.ts';
import { WebhookCallError } from './webhook-call-error.ts';
import type { WebhookResponse } from './webhook-response.ts';

/** Decodes the body of a response with a review. Rejects with `WebhookCallError` with the words of Go's decoder. */
export async function decodeReview({
  code,
  body,
  contentType,
}: WebhookResponse): Promise<JsonObject> {
  if (body === '') {
    throw new WebhookCallError(
      `0-length response with status code: ${code} and content type: ${contentType}`,
    );
  }
  // Go reads null as a review without members.
  const value = (await parsed(body)) ?? {};
  if (!isJsonObject(value)) {
    throw undecodable(`json: cannot unmarshal ${goKind(value)} into Go value of type ${typeMeta}`);
  }
  for (const member of ['apiVersion', 'kind']) {
    const type = value[member] ?? '';
    if (typeof type === 'string') continue;
    throw undecodable(
      `json: cannot unmarshal ${goKind(type)} into Go struct field .${member} of type string`,
    );
  }
  return value;
}

async function parsed(body: string): Promise<unknown> {
  try {
    return parseJson(body);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // Go's decoder takes another text for YAML, in which a page of HTML is a string.
    if (/^\s*[[{]/.test(body)) throw undecodable(error.message);
  }
  try {
    return (await parseYaml(body)).value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new WebhookCallError(error.message, undefined, { cause: error });
  }
}

function undecodable(why: string): WebhookCallError {
  return new WebhookCallError(`couldn't get version/kind; json parse error: ${why}`);
}

/** Returns the type of a review as Go prints it: `admission.k8s.io/v1, Kind=AdmissionReview`. */
export function typeOfReview(review: JsonObject): string {
  const { apiVersion, kind } = review;
  const shown = typeof apiVersion === 'string' && apiVersion !== '' ? apiVersion : '/';
  return `${shown.includes('/') ? shown : `/${shown}`}, Kind=${typeof kind === 'string' ? kind : ''}`;
}
