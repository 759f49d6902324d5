import { decodeProtobuf, protobufMediaType } from '../../protobuf/decode-protobuf.ts';
import { goKind } from '../../json/json-syntax-error.ts';
import { isJsonObject } from '../../json/json-value.ts';
import {
  isStackOverflow,
  MAX_NESTING,
  NestingError,
  parseJson as parseJsonValue,
} from '../../json/parse-json.ts';
import { contentTypeOf } from '../../http/media-type.ts';
import { badRequest, unsupportedMediaType } from '../../failures/status-answers.ts';
import { settleNumbers } from '../../json/settle-numbers.ts';
import { withGoNumbers } from '../../json/yaml-numbers.ts';

/** A decoded body, and its text where it was JSON. */
export interface DecodedBody {
  readonly value: Record<string, unknown>;
  /** Empty for other formats. */
  readonly json: string;
}

const accepted =
  'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf';

/**
 * Decodes the object in the body of a write. Throws 400 for what is no object, 415 for other formats. The refusal
 * names the kind if there is one, and quotes the body.
 */
export async function decodeObject(
  body: Buffer,
  contentType: string | undefined,
  kind?: string,
): Promise<DecodedBody> {
  const type = contentTypeOf(contentType) || 'application/json';
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

/** Decodes the configuration in the body of an apply. Throws 400 for what is no object. */
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

/** An object that says of what kind it is, if anything. Go decodes null into one of which nothing is set. */
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

const typeMeta =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

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
 * YAML is a superset of JSON; most bodies that call themselves YAML are JSON. Of several documents the first counts.
 * Throws a `SyntaxError`.
 */
async function parseYaml(text: string): Promise<unknown> {
  if (text.trimStart().startsWith('{')) {
    try {
      // Go reads a number of YAML before it makes JSON; one that no double holds is a text.
      return settleNumbers(parseJsonValue(text), String);
    } catch (error) {
      if (error instanceof NestingError) throw tooDeep();
      // Flow style of YAML, which the parser below reads.
    }
  }
  const yaml = await import('js-yaml');
  const { loadAll, Schema, timestampTag, YAML11_SCHEMA } = yaml;
  // As Go reads it: YAML 1.1, in which 0644 is octal and y is true; but JSON has no times.
  const plain = new Schema(YAML11_SCHEMA.tags.filter((tag) => tag !== timestampTag));
  const schema = withGoNumbers(yaml, plain);
  const value = parsed(() => loadAll(text, { schema, maxDepth: MAX_NESTING })[0] ?? null);
  if (text.includes('*') && hasMoreNodes(value, mostNodes)) {
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

/** The mistakes that people make most often, in the words of Go's parser; it names no line but for the second and later ones. */
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

/** As much of a body as a refusal quotes. */
const mostQuoted = 30;

function unrecognized(why: string, kind: string | undefined, body: Buffer): Error {
  if (kind === undefined) return badRequest(why);
  return badRequest(
    `the object provided is unrecognized (must be of type ${kind}): ${why} (${quoted(body)})`,
  );
}

/** What is no JSON object is quoted in hexadecimal digits. */
function quoted(body: Buffer): string {
  if (body.length === 0) return '<empty>';
  const start = body.subarray(0, mostQuoted);
  const text = start.toString(body[0] === '{'.charCodeAt(0) ? 'utf8' : 'hex');
  return body.length > mostQuoted ? `${text} ...` : text;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
