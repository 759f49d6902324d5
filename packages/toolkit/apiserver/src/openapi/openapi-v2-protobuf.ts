import {
  any,
  anys,
  double,
  type Encode,
  type Fields,
  integer,
  mapOf,
  message,
  text,
  truth,
  wrapped,
} from './swagger-message.ts';

/** The media type by which Go clients request `/openapi/v2`. */
export const openApiV2MediaType = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';

/**
 * The `Content-Type` of the response. It differs from the requested type because Go's media type parser rejects `@`.
 */
export const openApiV2ContentType = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

/** Encodes a Swagger document in the protobuf of gnostic's `OpenAPIv2.proto`. */
export async function openApiV2Protobuf(document: object): Promise<Buffer> {
  const { BinaryWriter } = await import('@bufbuild/protobuf/wire');
  const writer = new BinaryWriter();
  for (const [name, [number, encode]] of Object.entries(documentFields)) {
    const value: unknown = Reflect.get(document, name);
    if (value !== undefined) encode(writer, number, value);
  }
  return Buffer.from(writer.finish());
}

const schemaFields: Fields = {
  $ref: [1, text],
  format: [2, text],
  title: [3, text],
  description: [4, text],
  default: [5, any],
  multipleOf: [6, double],
  maximum: [7, double],
  exclusiveMaximum: [8, truth],
  minimum: [9, double],
  exclusiveMinimum: [10, truth],
  maxLength: [11, integer],
  minLength: [12, integer],
  pattern: [13, text],
  maxItems: [14, integer],
  minItems: [15, integer],
  uniqueItems: [16, truth],
  maxProperties: [17, integer],
  minProperties: [18, integer],
  required: [19, text],
  enum: [20, anys],
  additionalProperties: [21, (writer, field, value) => additional(writer, field, value)],
  type: [22, wrapped(1, text)],
  items: [23, wrapped(1, (writer, field, value) => schema(writer, field, value))],
  allOf: [24, (writer, field, value) => schema(writer, field, value)],
  properties: [25, mapOf((writer, field, value) => schema(writer, field, value))],
  example: [30, any],
  'x-': [31, any],
};

const schema: Encode = message(() => schemaFields);

/** `additionalProperties` is a schema or a boolean. */
const additional: Encode = (writer, field, value) => {
  const encode = typeof value === 'boolean' ? wrapped(2, truth) : wrapped(1, schema);
  encode(writer, field, value);
};

const reference: Encode = wrapped(
  2,
  message(() => ({ $ref: [1, text] })),
);

const bodyParameter: Encode = message(() => ({
  description: [1, text],
  name: [2, text],
  in: [3, text],
  required: [4, truth],
  schema: [5, schema],
}));

const queryParameter: Encode = message(() => ({
  required: [1, truth],
  in: [2, text],
  description: [3, text],
  name: [4, text],
  type: [6, text],
  format: [7, text],
  uniqueItems: [20, truth],
}));

const pathParameter: Encode = message(() => ({
  required: [1, truth],
  in: [2, text],
  description: [3, text],
  name: [4, text],
  type: [5, text],
  format: [6, text],
  uniqueItems: [19, truth],
}));

/** Each location of a parameter has its own message type; Kubernetes uses body, query and path. */
const parameter: Encode = (writer, field, value) => {
  const { in: place } = value as { in?: string };
  if (place === 'body') return wrapped(1, bodyParameter)(writer, field, value);
  const one = place === 'path' ? wrapped(4, pathParameter) : wrapped(3, queryParameter);
  return wrapped(2, one)(writer, field, value);
};

const parameters: Encode = (writer, field, value) => {
  for (const item of value as object[]) {
    const encode = '$ref' in item ? reference : wrapped(1, parameter);
    encode(writer, field, item);
  }
};

const response: Encode = message(() => ({
  description: [1, text],
  schema: [2, wrapped(1, schema)],
}));

const operation: Encode = message(() => ({
  tags: [1, text],
  summary: [2, text],
  description: [3, text],
  operationId: [5, text],
  produces: [6, text],
  consumes: [7, text],
  parameters: [8, parameters],
  responses: [9, mapOf(wrapped(1, response))],
  schemes: [10, text],
  deprecated: [11, truth],
  'x-': [13, any],
}));

const pathItem: Encode = message(() => ({
  get: [2, operation],
  put: [3, operation],
  post: [4, operation],
  delete: [5, operation],
  options: [6, operation],
  head: [7, operation],
  patch: [8, operation],
  parameters: [9, parameters],
}));

const apiKey: Encode = message(() => ({
  type: [1, text],
  name: [2, text],
  in: [3, text],
  description: [4, text],
}));

const documentFields: Fields = {
  swagger: [1, text],
  info: [2, message(() => ({ title: [1, text], version: [2, text] }))],
  paths: [8, mapOf(pathItem, 2)],
  definitions: [9, mapOf(schema)],
  parameters: [10, mapOf(parameter)],
  security: [12, requirements],
  securityDefinitions: [13, mapOf(wrapped(2, apiKey))],
};

/** Each requirement maps the name of a security definition to a list of scopes. */
function requirements(...[writer, field, value]: Parameters<Encode>): void {
  for (const item of value as object[]) mapOf(wrapped(1, text))(writer, field, item);
}
