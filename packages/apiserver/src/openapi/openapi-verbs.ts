import { answer, answerJson, answerNoSuchPath } from '../http/answer.ts';
import type { ApiRequest } from '../http/api-request.ts';
import { failure } from '../status-answers.ts';
import {
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

/** Answers what is below `/openapi`. */
export async function answerOpenApi(
  request: ApiRequest,
  rest: readonly string[],
  source: OpenApiSource,
): Promise<void> {
  const [version, ...path] = rest;
  if (version === 'v2' && path.length === 0) {
    return answerV2(request, source);
  }
  const document =
    path.length === 0 ? openApiV3Index(source) : openApiV3Document(path.join('/'), source);
  if (version !== 'v3' || document === undefined) answerNoSuchPath(request.response);
  else answerJson(request.response, 200, document);
}

async function answerV2({ headers, response }: ApiRequest, source: OpenApiSource): Promise<void> {
  if (acceptsJson(headers.accept)) return answerJson(response, 200, openApiV2Document(source));
  if (!headers.accept?.includes(openApiV2MediaType)) throw notServed();
  const body = await openApiV2Protobuf(source.resources, source.kubernetesVersion);
  return answer(response, 200, body, { contentType: openApiV2ContentType });
}

function acceptsJson(accept = '*/*'): boolean {
  return accept.split(',').some((clause) => /^\s*(?:application\/json|\*\/\*)/.test(clause));
}

function notServed(): Error {
  const types = `application/json, ${openApiV2MediaType}`;
  return failure(406, 'NotAcceptable', `only the following media types are accepted: ${types}`, {});
}
