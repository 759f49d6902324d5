import { parseJson } from '../values/parse-json.ts';
import { isRecord } from '../values/record.ts';

/** The path of Secrets: a collection, or an object of it. */
const SECRETS_PATH = /^\/api\/v1\/(?:namespaces\/[^/]+\/)?secrets(?:\/|$)/;
/** The path to which a server posts the token of its reader. */
const TOKEN_REVIEWS_PATH = /^\/apis\/authentication\.k8s\.io\/[^/]+\/tokenreviews$/;

/**
 * The values of the Secret in the body of a request, in plain text and in base64, and the token of a TokenReview. A
 * server quotes an invalid value in its error, and the error may be logged. Empty for every other request.
 */
export function sentSecrets({
  path,
  body,
}: {
  readonly path: string;
  readonly body?: string | undefined;
}): readonly string[] {
  if (body === undefined) return [];
  if (TOKEN_REVIEWS_PATH.test(path)) return tokenOf(parseJson(body));
  if (!SECRETS_PATH.test(path)) return [];
  const sent = parseJson(body);
  const texts = Array.isArray(sent) ? sent.flatMap(textsIn) : isRecord(sent) ? dataOf(sent) : [];
  return texts.flatMap((text) => {
    const plain = Buffer.from(text, 'base64').toString();
    return [text, plain, Buffer.from(text).toString('base64')];
  });
}

function tokenOf(review: unknown): readonly string[] {
  const spec = isRecord(review) ? review['spec'] : undefined;
  return isRecord(spec) ? textsIn(spec['token']) : [];
}

function dataOf({ data, stringData }: Readonly<Record<string, unknown>>): readonly string[] {
  return [...textsIn(data), ...textsIn(stringData)];
}

/** The texts of a value, such as the values of a map or the operations of a JSON patch. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  const { op: _, path: _path, from: _from, ...members } = value as Record<string, unknown>;
  return Object.values(members).flatMap(textsIn);
}
