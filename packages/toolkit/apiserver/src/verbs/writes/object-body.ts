import { decodeProtobuf, protobufMediaType } from '../../protobuf/decode-protobuf.ts';
import { goKind, typeMeta } from '../../json/json-syntax-error.ts';
import { isJsonObject } from '@keelson/structural-schema';
import {
  isStackOverflow,
  MAX_NESTING,
  NestingError,
  parseJson as parseJsonValue,
} from '../../json/parse-json.ts';
import { contentTypeOf } from '../../http/media-type.ts';
import { badRequest, unsupportedMediaType } from '../../status-errors/status-errors.ts';
import { decodeNumbers } from '../../json/decode-numbers.ts';
import { withGoNumbers } from '../../json/yaml-numbers.ts';

/** A decoded body with its JSON text. */
export interface DecodedBody {
  readonly value: Record<string, unknown>;
  /** Empty for other formats. */
  readonly json: string;
}

const accepted =
  'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf';

/**
 * Decodes the object in the body of a write. Throws 400 for an invalid object, 415 for an unsupported format. The
 * refusal contains the kind, if known, and quotes the body.
 */
export async function decodeObject(
  body: Buffer,
  contentType: string | undefined,
  kind?: string,
): Promise<DecodedBody> {
  // Only an empty body lacks a Content-Type.
  const isTyped = contentType !== undefined && contentType.trim() !== '';
  const type = isTyped ? contentTypeOf(contentType) : 'application/json';
  const isYaml = type === 'application/yaml';
  if (type !== protobufMediaType && type !== 'application/json' && !isYaml) {
    throw unsupportedMediaType(accepted);
  }
  try {
    if (type === protobufMediaType) return await decodedProtobuf(body);
    const text = body.toString();
    return objectOf(isYaml ? await parseYaml(text) : parseJson(text), isYaml ? '' : text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw unrecognized(error.message, kind, body);
  }
}

/** Decodes the configuration in the body of an apply. Throws 400 for an invalid object. */
export async function decodeAppliedBody(body: Buffer): Promise<Record<string, unknown>> {
  const value = (await parseYaml(body.toString()).catch(refuseYaml)) ?? {};
  if (isJsonObject(value)) return value;
  throw badRequest(
    `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${goKind(value)} into Go value of type map[string]interface {}`,
  );
}

function refuseYaml(error: unknown): never {
  throw badRequest(`error decoding YAML: error converting YAML to JSON: ${messageOf(error)}`);
}

/** Accepts objects, with or without a kind. Go decodes null as an empty object. */
function objectOf(value: unknown, json: string): DecodedBody {
  if (value === null) return { value: {}, json: '' };
  if (!isJsonObject(value)) throw unreadable(value, `Go value of type ${typeMeta}`);
  const { apiVersion, kind } = value;
  for (const [name, text] of Object.entries({ apiVersion, kind })) {
    if (typeof text === 'string' || text === undefined || text === null) continue;
    throw unreadable(text, `Go struct field .${name} of type string`);
  }
  if (typeof apiVersion === 'string' && /\/.*\//s.test(apiVersion)) {
    throw new SyntaxError(`unexpected GroupVersion string: ${apiVersion}`);
  }
  return { value, json };
}

function unreadable(value: unknown, into: string): SyntaxError {
  return new SyntaxError(
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${goKind(value)} into ${into}`,
  );
}

async function decodedProtobuf(body: Buffer): Promise<DecodedBody> {
  const value = await decodeProtobuf(body).catch((error: unknown) => {
    throw new SyntaxError(`couldn't get version/kind; proto: ${messageOf(error)}`);
  });
  if (value === undefined) throw unsupportedMediaType(accepted);
  return { value, json: '' };
}

function parseJson(text: string): unknown {
  try {
    return parseJsonValue(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new SyntaxError(`couldn't get version/kind; json parse error: ${error.message}`, {
      cause: error,
    });
  }
}

/**
 * Parses YAML. Tries JSON first, because most YAML bodies are JSON. Reads only the first of several documents. Throws a
 * `SyntaxError`.
 */
async function parseYaml(text: string): Promise<unknown> {
  if (text.trimStart().startsWith('{')) {
    try {
      // Go parses the number as YAML first, and a number beyond the range of doubles becomes a string.
      return decodeNumbers(parseJsonValue(text), String);
    } catch (error) {
      if (error instanceof NestingError) throw tooDeep();
      // The body is YAML in flow style, which the parser below reads.
    }
  }
  const yaml = await import('js-yaml');
  const { loadAll, Schema, timestampTag, YAML11_SCHEMA } = yaml;
  // Like Go: YAML 1.1, with octal 0644 and y as true, but without timestamps, which JSON lacks.
  const plain = new Schema(YAML11_SCHEMA.tags.filter((tag) => tag !== timestampTag));
  const schema = withGoNumbers(yaml, plain);
  const value = parsed(() => loadAll(text, { schema, maxDepth: MAX_NESTING })[0] ?? null);
  if (text.includes('*') && hasMoreNodes(value, MAX_NODES)) {
    throw new SyntaxError('yaml: document contains excessive aliasing');
  }
  return value;
}

function tooDeep(): SyntaxError {
  return new SyntaxError(`yaml: exceeded max depth of ${MAX_NESTING}`);
}

function parsed(parse: () => unknown): unknown {
  try {
    return parse();
  } catch (error) {
    if (isStackOverflow(error) || messageOf(error).startsWith('nesting exceeded')) throw tooDeep();
    throw new SyntaxError(`yaml: ${yamlProblem(error)}`, { cause: error });
  }
}

/** Frequent syntax errors in the words of Go's parser. It reports the line only from the second line on. */
const yamlProblems: Readonly<Record<string, string>> = {
  'bad indentation of a mapping entry': 'mapping values are not allowed in this context',
  'tab characters must not be used in indentation': 'found character that cannot start any token',
};

function yamlProblem(error: unknown): string {
  const { reason, mark } = error as { reason?: string; mark?: { line: number } };
  if (reason === undefined || mark === undefined) return messageOf(error);
  const line = mark.line === 0 ? '' : `line ${mark.line + 1}: `;
  return `${line}${yamlProblems[reason] ?? reason}`;
}

/** Most nodes of a document with aliases, as in Go's parser. Aliases of aliases can grow a document exponentially. */
const MAX_NODES = 400_000;

function hasMoreNodes(value: unknown, most: number): boolean {
  const open: unknown[] = [value];
  let count = 0;
  while (open.length > 0 && count <= most) {
    const node = open.pop();
    count += 1;
    if (typeof node === 'object' && node !== null) {
      for (const each of Object.values(node)) open.push(each);
    }
  }
  return count > most;
}

/** Most bytes of a body that a refusal quotes. */
const MAX_QUOTED_BYTES = 30;

function unrecognized(why: string, kind: string | undefined, body: Buffer): Error {
  if (kind === undefined) return badRequest(why);
  return badRequest(
    `the object provided is unrecognized (must be of type ${kind}): ${why} (${quoted(body)})`,
  );
}

/** Quotes a body; if it is not a JSON object, in hexadecimal digits. */
function quoted(body: Buffer): string {
  if (body.length === 0) return '<empty>';
  const start = body.subarray(0, MAX_QUOTED_BYTES);
  const text = start.toString(body[0] === '{'.charCodeAt(0) ? 'utf8' : 'hex');
  return body.length > MAX_QUOTED_BYTES ? `${text} ...` : text;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
