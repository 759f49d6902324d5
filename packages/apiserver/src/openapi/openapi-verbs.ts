import { answerJson, answerNoSuchPath } from '../http/answer.ts';
import type { ApiRequest } from '../http/api-request.ts';
import { failure } from '../status-answers.ts';
import {
  openApiV2Document,
  openApiV3Document,
  openApiV3Index,
  type OpenApiSource,
} from './openapi-document.ts';

/**
 * Answers what is below `/openapi`. Version 2 is asked for by kubectl as protobuf, which is not
 * made here: 406 makes it ask for JSON.
 */
export function answerOpenApi(
  request: ApiRequest,
  rest: readonly string[],
  source: OpenApiSource,
): void {
  const [version, ...path] = rest;
  if (version === 'v2' && path.length === 0) {
    if (!acceptsJson(request.headers.accept)) throw onlyJson();
    answerJson(request.response, 200, openApiV2Document(source));
    return;
  }
  const document =
    path.length === 0 ? openApiV3Index(source) : openApiV3Document(path.join('/'), source);
  if (version !== 'v3' || document === undefined) answerNoSuchPath(request.response);
  else answerJson(request.response, 200, document);
}

function acceptsJson(accept = '*/*'): boolean {
  return accept.split(',').some((clause) => /^\s*(?:application\/json|\*\/\*)/.test(clause));
}

function onlyJson(): Error {
  return failure(406, 'NotAcceptable', 'only application/json is served here', {});
}
