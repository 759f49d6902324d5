import { decodeProtobuf, protobufMediaType } from '../protobuf/decode-protobuf.ts';
import { isJsonObject } from '../patch/json-value.ts';
import {
  isStackOverflow,
  mostNested,
  NestingError,
  parseJson as parseJsonValue,
} from '../patch/parse-json.ts';
import { contentTypeOf } from '../http/media-type.ts';
import { badRequest, unsupportedMediaType } from '../status-answers.ts';

/** A decoded body, and its text where it was JSON. */
export interface DecodedBody {
  readonly value: Record<string, unknown>;
  /** Empty for other formats. */
  readonly json: string;
}

const accepted =
  'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf';

/** Decodes the object in the body of a write. Throws 400 for what is no object, 415 for other formats. */
export async function decodeObject(
  body: Buffer,
  contentType: string | undefined,
  kind: string,
): Promise<DecodedBody> {
  const type = contentTypeOf(contentType) || 'application/json';
  if (type === protobufMediaType) return decodedProtobuf(body, kind);
  if (type !== 'application/json' && type !== 'application/yaml') {
    throw unsupportedMediaType(accepted);
  }
  const text = body.toString();
  const value = type === 'application/yaml' ? await parseYaml(text, kind) : parseJson(text, kind);
  // Go decodes null into an object of which nothing is set.
  if (value === null) return { value: {}, json: '' };
  if (!isJsonObject(value)) throw unrecognized(kind, 'the body is not an object');
  return { value, json: type === 'application/json' ? text : '' };
}

async function decodedProtobuf(body: Buffer, kind: string): Promise<DecodedBody> {
  const value = await decodeProtobuf(body).catch((error: unknown) => {
    throw unrecognized(kind, `proto: ${messageOf(error)}`);
  });
  if (value === undefined) throw unsupportedMediaType(accepted);
  return { value, json: '' };
}

function parseJson(text: string, kind: string): unknown {
  try {
    return parseJsonValue(text);
  } catch (error) {
    throw unrecognized(kind, `json parse error: ${messageOf(error)}`);
  }
}

/** YAML is a superset of JSON; most bodies that call themselves YAML are JSON. Of several documents the first counts. */
export async function parseYaml(text: string, kind: string): Promise<unknown> {
  if (text.trimStart().startsWith('{')) {
    try {
      return parseJsonValue(text);
    } catch (error) {
      if (error instanceof NestingError) throw unrecognized(kind, tooDeep);
      // Flow style of YAML, which the parser below reads.
    }
  }
  const { loadAll, Schema, timestampTag, YAML11_SCHEMA } = await import('js-yaml');
  // As Go reads it: YAML 1.1, in which 0644 is octal and y is true; but JSON has no times.
  const schema = new Schema(YAML11_SCHEMA.tags.filter((tag) => tag !== timestampTag));
  const value = parsed(() => loadAll(text, { schema, maxDepth: mostNested })[0] ?? null, kind);
  if (text.includes('*') && hasMoreNodes(value, mostNodes)) {
    throw unrecognized(kind, 'yaml: document contains excessive aliasing');
  }
  return value;
}

const tooDeep = `yaml: exceeded max depth of ${mostNested}`;

function parsed(parse: () => unknown, kind: string): unknown {
  try {
    return parse();
  } catch (error) {
    if (isStackOverflow(error) || messageOf(error).startsWith('nesting exceeded')) {
      throw unrecognized(kind, tooDeep);
    }
    throw unrecognized(kind, `yaml parse error: ${messageOf(error)}`);
  }
}

/** Aliases of aliases double what they stand for; Go's parser lets them make so many nodes before it looks at them. */
const mostNodes = 400_000;

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

function unrecognized(kind: string, why: string): Error {
  return badRequest(
    `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; ${why}`,
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
