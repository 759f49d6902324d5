import { decodeProtobuf, protobufMediaType } from '../../protobuf/decode-protobuf.ts';
import { goKind, typeMeta } from '../../json/json-syntax-error.ts';
import { isJsonObject } from '@keelson/structural-schema';
import { parseJson as parseJsonValue } from '../../json/parse-json.ts';
import { parseYaml, repeatedText } from '../../json/parse-yaml.ts';
import { contentTypeOf } from '../../http/media-type.ts';
import { badRequest, unsupportedMediaType } from '../../status-errors/status-errors.ts';
import type { WriteOptions } from './write-options.ts';

/** A decoded body with its JSON text. */
export interface DecodedBody {
  readonly value: Record<string, unknown>;
  /** Empty for other formats. */
  readonly json: string;
  /** A line for each repeated key of a YAML body. */
  readonly repeated: readonly string[];
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
    if (!isYaml) return { ...objectOf(parseJson(text), text), repeated: [] };
    const { value, repeated } = await parseYaml(text);
    return { ...objectOf(value, ''), repeated };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw unrecognized(error.message, kind, body);
  }
}

/**
 * Decodes the configuration in the body of an apply. Throws 400 for an invalid object, and with `Strict` for repeated keys.
 * With `Warn` it appends these to `warnings`.
 */
export async function decodeAppliedBody(
  body: Buffer,
  { fieldValidation }: Pick<WriteOptions, 'fieldValidation'>,
  warnings: string[],
): Promise<Record<string, unknown>> {
  const { value: parsed, repeated } = await parseYaml(body.toString()).catch(refuseYaml);
  if (repeated.length > 0 && fieldValidation !== 'Ignore') {
    if (fieldValidation === 'Strict') {
      throw badRequest(
        `error strict decoding YAML: error converting YAML to JSON: ${repeatedText(repeated)}`,
      );
    }
    warnings.push(...repeated);
  }
  const value = parsed ?? {};
  if (isJsonObject(value)) return value;
  throw badRequest(
    `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${goKind(value)} into Go value of type map[string]interface {}`,
  );
}

function refuseYaml(error: unknown): never {
  throw badRequest(`error decoding YAML: error converting YAML to JSON: ${messageOf(error)}`);
}

/** Accepts objects, with or without a kind. Go decodes null as an empty object. */
function objectOf(value: unknown, json: string): Omit<DecodedBody, 'repeated'> {
  if (value === null) return { value: {}, json: '' };
  if (!isJsonObject(value)) throw unreadable(value, `Go value of type ${typeMeta}`);
  checkTypeMeta(value);
  return { value, json };
}

/** Checks the form of apiVersion and kind. Throws a `SyntaxError` with the reason of Go. */
export function checkTypeMeta({ apiVersion, kind }: Readonly<Record<string, unknown>>): void {
  refuseOtherThanText('apiVersion', apiVersion);
  refuseOtherThanText('kind', kind);
  if (typeof apiVersion === 'string' && /\/.*\//s.test(apiVersion)) {
    throw new SyntaxError(`unexpected GroupVersion string: ${apiVersion}`);
  }
}

function refuseOtherThanText(name: string, value: unknown): void {
  if (typeof value === 'string' || value === undefined || value === null) return;
  throw unreadable(value, `Go struct field .${name} of type string`);
}

function unreadable(value: unknown, into: string): SyntaxError {
  return new SyntaxError(
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${goKind(value)} into ${into}`,
  );
}

async function decodedProtobuf(body: Buffer): Promise<DecodedBody> {
  const value = await decodeProtobuf(body).catch((error: unknown) => {
    if (error instanceof SyntaxError) throw error;
    throw new SyntaxError(`couldn't get version/kind; proto: ${messageOf(error)}`);
  });
  return { value, json: '', repeated: [] };
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
