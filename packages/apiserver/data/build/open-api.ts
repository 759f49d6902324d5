import { brotliCompressSync, constants } from 'node:zlib';
import { openApiFiles, readJson } from './resources.ts';

type Json = Record<string, unknown>;

interface Document {
  paths: Record<string, Json>;
  components: { schemas: Record<string, Json> };
}

const verbs = new Set(['get', 'put', 'post', 'patch', 'delete']);

/**
 * All stable documents of `api/openapi-spec/v3` in one: the schemas once and whole (they are what
 * `kubectl explain` reads), of the paths what clients look up there.
 */
export function compressOpenApi(kubernetes: string, version: string): Buffer {
  const schemas: Record<string, Json> = {};
  const paths: Record<string, Record<string, Json>> = {};
  for (const [groupVersion, file] of openApiFiles(kubernetes)) {
    const document = readJson(file) as Document;
    Object.assign(schemas, document.components.schemas);
    paths[groupVersion] = Object.fromEntries(
      Object.entries(document.paths)
        .filter(([path]) => !path.includes('/watch/'))
        .map(([path, item]) => [path, reduceItem(item)]),
    );
  }
  const text = JSON.stringify({ kubernetes: version, schemas, paths });
  return brotliCompressSync(text, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 },
  });
}

function reduceItem(item: Json): Json {
  const reduced: Json = {};
  if (item.parameters !== undefined) reduced.parameters = reduceParameters(item.parameters);
  for (const [verb, operation] of Object.entries(item)) {
    if (verbs.has(verb)) reduced[verb] = reduceOperation(operation as Json);
  }
  return reduced;
}

function reduceOperation(operation: Json): Json {
  const { description: _, responses, parameters, ...kept } = operation;
  return {
    ...kept,
    ...(parameters !== undefined && { parameters: reduceParameters(parameters) }),
    responses: reduceResponses(responses as Record<string, Json>),
  };
}

function reduceParameters(parameters: unknown): Json[] {
  return (parameters as Json[]).map(({ name, in: place, required, schema }) => ({
    name,
    in: place,
    ...(required === true && { required }),
    schema: { type: (schema as Json | undefined)?.type ?? 'string' },
  }));
}

/** Of each answer the JSON form stands for all. */
function reduceResponses(responses: Record<string, Json>): Json {
  return Object.fromEntries(
    Object.entries(responses).map(([code, response]) => {
      const json = (response.content as Json | undefined)?.['application/json'];
      const content = json === undefined ? {} : { content: { 'application/json': json } };
      return [code, { description: response.description, ...content }];
    }),
  );
}
