import {
  compileExpression,
  CostLimitError,
  Duration,
  isFailed,
  isList,
  outcomesOf,
  MapValue,
  Optional,
  showType,
  typeOfValue,
  type Outcome,
  type Value,
  type CompiledExpression,
} from '@keelson/cel/internal';
import {
  celLibrary,
  compileRules,
  type JsonSchema,
  type JsonValue,
} from '@keelson/structural-schema';

/** The results of one expression on one side. At most one of `issues` and `program` is set. */
export interface Answer {
  /** The errors of the parser or the checker. */
  readonly issues?: string;
  /** The error of the planner, which folds constants. */
  readonly program?: string;
  readonly type?: string;
  /** The estimated cost. */
  readonly least?: string;
  readonly most?: string;
  readonly runs?: readonly Run[];
}

type Program = CompiledExpression['program'];

/** One evaluation: a value or an error, and the cost. */
export interface Run {
  readonly value?: unknown;
  readonly error?: string;
  readonly cost: string;
  /** True for a result that depends on the order of a map, which is random in Go. */
  readonly unstable?: boolean;
}

/** Compiles and evaluates expressions about `self`, as the rules of a schema are. */
export class OurScope {
  readonly #type: NonNullable<NonNullable<ReturnType<typeof compileRules>>['type']>;

  constructor(schema: JsonSchema) {
    const ruled = { ...schema, 'x-kubernetes-validations': [{ rule: 'true' }] };
    const tree = compileRules(celLibrary(), { type: 'object', properties: { self: ruled } });
    const type = tree?.properties.get('self')?.type;
    if (type === undefined) throw new Error('the schema has no type');
    this.#type = type;
  }

  answer(source: string, values: readonly JsonValue[]): Answer {
    const variables = new Map([['self', this.#type.type]]);
    const compiled = compileExpression(celLibrary(), source, { variables, self: this.#type });
    if (typeof compiled === 'string') {
      const program = /^program instantiation failed: (.*)$/s.exec(compiled)?.[1];
      if (program !== undefined) return { program };
      return { issues: namesOfGo(compiled.replace(/^compilation failed: /, '')) };
    }
    const { type, cost, leastCost, program } = compiled;
    const runs = values.map((value) => this.#run(program, value));
    return { type: namesOfGo(showType(type)), least: String(leastCost), most: String(cost), runs };
  }

  #run(program: Program, given: JsonValue): Run {
    try {
      const { value, cost } = program.evaluate([this.#type.valueOf(given)]);
      if (isFailed(value)) return { error: value.message, cost: String(cost) };
      return { value: shown(value), cost: String(cost) };
    } catch (error) {
      if (error instanceof CostLimitError)
        return { error: error.message, cost: String(error.cost) };
      return { error: `THROWN ${String((error as Error).stack)}`, cost: '' };
    }
  }
}

/** The names of types in the judge start at `self`. */
function namesOfGo(text: string): string {
  return text.replaceAll('self.self', 'selfType');
}

/** Writes a value with its type, as the Go program does. */
export function shown(value: Outcome): unknown {
  if (isFailed(value)) return { error: [value.message] };
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'bigint') return { int: [String(value)] };
  if (typeof value === 'number') return { double: [double(value)] };
  if (value instanceof Uint8Array) return { bytes: [Buffer.from(value).toString('base64')] };
  if (isList(value)) return { list: outcomesOf(value).map(shown) };
  if (value instanceof Duration) return { duration: [String(value.nanos)] };
  if (value instanceof Optional) return { optional: value.hasValue ? [shown(value.outcome)] : [] };
  if (value instanceof MapValue) {
    const entries = value.keys().map((key) => [shown(key), shownMember(value, key)]);
    return { map: entries.toSorted(([one], [other]) => Buffer.compare(json(one), json(other))) };
  }
  const name = typeOfValue(value).name;
  const text = String(value);
  return { [names[name] ?? name]: [name === 'kubernetes.NamedFormat' ? text.toLowerCase() : text] };
}

/** A null field of an object is a key without a value. */
function shownMember(map: MapValue, key: Value): unknown {
  const found = map.find(key);
  return found === undefined ? { error: [`no such key: ${String(key)}`] } : shown(found);
}

const names: Readonly<Record<string, string>> = {
  'google.protobuf.Timestamp': 'timestamp',
  'kubernetes.Quantity': 'quantity',
  'kubernetes.Semver': 'semver',
  'kubernetes.URL': 'url',
  'kubernetes.NamedFormat': 'format',
  'net.IP': 'ip',
  'net.CIDR': 'cidr',
};

function double(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  const text = Object.is(value, -0) ? '-0e+0' : value.toExponential();
  return text.replace(/e([+-])(\d)$/, 'e$10$2');
}

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}
