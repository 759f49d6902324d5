import { jsonText } from '@keelson/structural-schema';
import { respond, sendJson, sendNoSuchPath, sendText } from '../http/response.ts';
import type { ApiRequest } from '../http/api-request.ts';
import { compressed } from '../http/compression.ts';
import { failure } from '../status-errors/status-errors.ts';
import {
  openApiHash,
  openApiV2Document,
  openApiV3Document,
  openApiV3Index,
  type OpenApiSource,
} from './openapi-document.ts';
import {
  openApiV2ContentType,
  openApiV2MediaType,
  openApiV2Protobuf,
} from './openapi-v2-protobuf.ts';

/** Handles requests below `/openapi`. */
export async function handleOpenApi(request: ApiRequest, source: OpenApiSource): Promise<void> {
  const { path } = request.info;
  switch (path) {
    case '/openapi/v2':
      return sendV2(request, source);
    case '/openapi/v3':
      return sendText(request.response, 200, JSON.stringify(openApiV3Index(source)));
    default:
      if (path.startsWith(documents)) return sendV3(request, path.slice(documents.length), source);
      return sendNoSuchPath(request.response);
  }
}

const documents = '/openapi/v3/';

async function sendV2(request: ApiRequest, source: OpenApiSource): Promise<void> {
  const { headers, response } = request;
  const asJson = acceptsJson(headers.accept);
  if (!asJson && !headers.accept?.includes(openApiV2MediaType)) throw notServed();
  if (isKnown(request, openApiHash(source))) return undefined;
  const document = openApiV2Document(source);
  const whole = asJson ? `${jsonText(document)}\n` : await openApiV2Protobuf(document);
  const contentType = asJson ? 'application/json' : openApiV2ContentType;
  const { body, headers: encoding } = compressed(headers, whole);
  const vary = { Vary: 'Accept-Encoding, Accept' };
  return respond(response, 200, body, { contentType, headers: { ...encoding, ...vary } });
}

/**
 * A document with the requested hash never changes, so clients may cache it. Another hash redirects to the current one.
 */
function sendV3(request: ApiRequest, path: string, source: OpenApiSource): void {
  const { query, response } = request;
  const document = openApiV3Document(path, source);
  if (document === undefined) return void response.writeHead(404).end();
  const hash = openApiHash(source, path);
  const requestedHash = query.get('hash');
  if (requestedHash !== null && requestedHash !== hash) {
    response.writeHead(301, { Location: `/openapi/v3/${path}?hash=${hash}` }).end();
    return undefined;
  }
  if (isKnown(request, hash)) return undefined;
  if (requestedHash === null) return sendJson(response, 200, document);
  response.setHeader('Expires', new Date(Date.now() + YEAR_MS).toUTCString());
  return sendJson(response, 200, document, { cacheControl: 'public, immutable' });
}

const YEAR_MS = 365 * 86_400_000;

/** Sets the ETag of the response. Returns true after a 304, if the client has this version already. */
function isKnown({ headers, response }: ApiRequest, hash: string): boolean {
  const tag = `"${hash}"`;
  response.setHeader('ETag', tag);
  response.setHeader('Vary', 'Accept');
  if (headers['if-none-match'] !== tag) return false;
  response.writeHead(304).end();
  return true;
}

function acceptsJson(accept = '*/*'): boolean {
  return accept.split(',').some((clause) => /^\s*(?:application\/json|\*\/\*)/.test(clause));
}

function notServed(): Error {
  const types = `application/json, ${openApiV2MediaType}`;
  return failure(406, 'NotAcceptable', `only the following media types are accepted: ${types}`, {});
}
