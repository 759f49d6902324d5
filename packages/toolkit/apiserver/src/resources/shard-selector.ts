import { fieldHash } from '@keelson/apimachinery';
import { type Expression, parseExpression, quoteText, UnsignedInt } from '@keelson/cel/internal';
import { failure } from '../status-errors/status-errors.ts';

/** A parsed `shardSelector`: ranges of the hash of one field. */
export interface ShardSelector {
  /** The normal form of the selector. */
  readonly text: string;
  selects(metadata: ShardedMetadata): boolean;
}

interface ShardedMetadata {
  readonly uid?: string | undefined;
  readonly namespace?: string | undefined;
}

interface ShardRange {
  readonly field: string;
  /** `0x` and 16 digits; the first hash of the range. */
  readonly start: string;
  /** `0x` and 16 digits, or 2^64; the first hash after the range. */
  readonly end: string;
}

const UID = 'object.metadata.uid';
const NAMESPACE = 'object.metadata.namespace';
/** The end of the last range, 2^64. */
const END = '0x10000000000000000';

/** Parses the parameter of a request; `undefined` if it is missing or empty. Throws 500 as kube-apiserver. */
export function shardSelector(parameter: string | null): ShardSelector | undefined {
  if (parameter === null || parameter === '') return undefined;
  const ranges = parsedRanges(parameter.trim());
  const field = ranges[0]?.field ?? UID;
  const other = ranges.find((range) => range.field !== field);
  if (other !== undefined) {
    const [one, two] = [field, other.field].map(quoteText);
    throw invalid(`all shard ranges must use the same field, got ${one} and ${two}`);
  }
  return {
    text: ranges.map(textOf).join(' || '),
    selects: (metadata) => {
      const value = field === UID ? metadata.uid : metadata.namespace;
      const hash = hexOf(value ?? '');
      return ranges.some(({ start, end }) => !isLess(hash, start) && isLess(hash, end));
    },
  };
}

function textOf({ field, start, end }: ShardRange): string {
  return `shardRange(${field}, '${start}', '${end}')`;
}

function hexOf(value: string): string {
  const { high, low } = fieldHash(value);
  const [first, second] = [high, low].map((word) => word.toString(16).padStart(8, '0'));
  return `0x${first}${second}`;
}

function isLess(one: string, other: string): boolean {
  return one.length === other.length ? one < other : one.length < other.length;
}

function parsedRanges(source: string): ShardRange[] {
  if (source === '') {
    throw invalid('empty shard selector is not allowed; omit the parameter for unfiltered lists');
  }
  const { expression, issues } = parseExpression(source, { macros: false });
  if (issues[0] !== undefined || expression === undefined) {
    throw invalid(`CEL parse error: ${issues[0]?.message}`);
  }
  return rangesOf(expression);
}

function rangesOf(expression: Expression): ShardRange[] {
  if (expression.kind !== 'call') {
    const kind = kindNumber(expression);
    throw invalid(`unexpected expression kind ${kind}; expected shardRange() call or || operator`);
  }
  const { name, args } = expression;
  if (name === '_||_') return args.flatMap(rangesOf);
  if (name === 'shardRange') return [rangeOf(args)];
  throw invalid(`unsupported function ${quoteText(name)}; only shardRange() and || are allowed`);
}

function rangeOf(args: readonly Expression[]): ShardRange {
  const [path, first, last] = args;
  if (args.length !== 3 || path === undefined || first === undefined || last === undefined) {
    throw invalid(`shardRange() requires exactly 3 arguments, got ${args.length}`);
  }
  const field = pathOf(path);
  if (field !== UID && field !== NAMESPACE) {
    const supported = `supported: ${UID}, ${NAMESPACE}`;
    throw invalid(`unsupported field path ${quoteText(field)}; ${supported}`);
  }
  const start = hexLiteral(first, 'hexStart');
  const end = hexLiteral(last, 'hexEnd');
  if (!isLess(start, end)) {
    throw invalid(`shard range start ${start} must be less than end ${end}`);
  }
  return { field, start, end };
}

function pathOf(expression: Expression): string {
  if (expression.kind === 'identifier') return expression.name;
  if (expression.kind === 'select') return `${pathOf(expression.operand)}.${expression.field}`;
  const what = 'expected field path (e.g. object.metadata.uid)';
  const kind = kindNumber(expression);
  throw invalid(`shardRange() first argument: ${what}, got expression kind ${kind}`);
}

function hexLiteral(expression: Expression, name: string): string {
  if (expression.kind !== 'literal') {
    const kind = kindNumber(expression);
    throw invalid(`${name} must be a string literal (e.g. '0xff'), got expression kind ${kind}`);
  }
  const { value } = expression;
  if (typeof value !== 'string') {
    throw invalid(`${name} must be a string literal, got ${goTypeOf(value)}`);
  }
  if (!value.startsWith('0x')) {
    throw invalid(`${name} must have '0x' prefix, got ${quoteText(value)}`);
  }
  checkDigits(value, name);
  return value;
}

function checkDigits(text: string, name: string): void {
  const digits = text.slice(2);
  const { length } = Buffer.from(digits);
  if (length === 0) throw invalid(`${name}: hex value is required after '0x'`);
  if (length > 17) {
    throw invalid(`${name}: hex value too long (${length} chars, max 17): ${quoteText(digits)}`);
  }
  const wrong = Array.from(digits).find((digit) => !/^[0-9a-f]$/.test(digit));
  if (wrong !== undefined) {
    throw invalid(`${name}: invalid hex character ${quoteText(wrong)} in ${quoteText(text)}`);
  }
  if (length === 17 && text !== END) {
    throw invalid(`${name}: 17-digit hex value must be '${END}' (2^64), got ${quoteText(text)}`);
  }
  if (length < 16) {
    const padded = quoteText(`0x${digits.padStart(16, '0')}`);
    const got = `got ${quoteText(text)} (did you mean ${padded}?)`;
    throw invalid(`${name} must be a 0x-prefixed 16-digit hex value, ${got}`);
  }
}

/** The type that cel-go keeps a literal in. */
function goTypeOf(value: Extract<Expression, { kind: 'literal' }>['value']): string {
  if (value === null) return 'structpb.NullValue';
  if (typeof value === 'bigint') return 'int64';
  if (typeof value === 'number') return 'float64';
  if (typeof value === 'boolean') return 'bool';
  return value instanceof UnsignedInt ? 'uint64' : '[]uint8';
}

/** The number of a sort of expression in cel-go, which the messages contain. */
function kindNumber({ kind }: Expression): number {
  return expressionKinds.indexOf(kind) + 1;
}

const expressionKinds: readonly Expression['kind'][] = [
  'call',
  'comprehension',
  'identifier',
  'list',
  'literal',
  'map',
  'select',
  'message',
];

function invalid(why: string): Error {
  return failure(500, '', `invalid shard selector: ${why}`);
}
