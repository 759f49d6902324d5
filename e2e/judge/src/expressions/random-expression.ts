import { leaf, type Node } from './expression.ts';
import { randomLiteral, textKinds } from './literals.ts';
import type { RandomSource } from './random-source.ts';
import {
  boolType,
  dynType,
  entryTypes,
  intType,
  keyTypes,
  randomRange,
  randomType,
} from './random-type.ts';
import { fields, objects } from './resource.ts';
import { type Template, templates } from './templates.ts';
import { applied, sameStaticType, type StaticType, staticType, unify } from './static-type.ts';

/** How far an expression departs from a well-typed one. */
export interface Manner {
  /** Share of operands of another type. */
  readonly illTyped: number;
  /** Share of operands whose type the checker does not know. */
  readonly dynamic: number;
}

/** Creates random expressions of a wanted type. */
export class ExpressionSource {
  readonly #random: RandomSource;
  readonly #manner: Manner;
  #variables: readonly (readonly [string, StaticType])[] = [];
  #count = 0;

  constructor(random: RandomSource, manner: Manner) {
    this.#random = random;
    this.#manner = manner;
  }

  expression(): Node {
    return this.#node(randomType(this.#random, 2), 2 + this.#random.below(3));
  }

  #node(wanted: StaticType, depth: number, kind?: string): Node {
    const random = this.#random;
    if (random.chance(this.#manner.illTyped))
      return this.#typed(randomType(this.#random, 1), depth, undefined);
    if (wanted.name !== 'dyn' && random.chance(this.#manner.dynamic)) {
      const type = random.chance(0.7) ? wanted : randomType(this.#random, 1);
      return this.#dynamic(type, depth);
    }
    return this.#typed(wanted, depth, kind);
  }

  #dynamic(type: StaticType, depth: number): Node {
    const operand = this.#typed(type, depth - 1, undefined);
    return { template: 'dyn($)', operands: [operand] };
  }

  #typed(wanted: StaticType, depth: number, kind: string | undefined): Node {
    const random = this.#random;
    if (wanted.name === 'dyn') return this.#anything(depth);
    const way = random.below(20);
    if (depth <= 0 || way < 2) return this.#leaf(wanted, depth, kind);
    if (way < 5) return this.#known(wanted) ?? this.#leaf(wanted, depth, kind);
    if (way < 8) return this.#macro(wanted, depth) ?? this.#call(wanted, depth, kind);
    return this.#call(wanted, depth, kind);
  }

  #anything(depth: number): Node {
    const random = this.#random;
    if (depth > 0 && random.chance(0.05)) return this.#call(dynType, depth, undefined);
    const known = random.chance(0.3) ? this.#known(dynType) : undefined;
    return known ?? this.#dynamic(randomType(this.#random, 2), depth);
  }

  /** A field or a variable of the type. */
  #known(wanted: StaticType): Node | undefined {
    const random = this.#random;
    const matching = [...fields, ...this.#variables, ...this.#variables].filter(([, type]) =>
      sameStaticType(type, wanted),
    );
    return matching.length === 0 ? undefined : leaf(random.pick(matching)[0]);
  }

  #leaf(wanted: StaticType, depth: number, kind: string | undefined): Node {
    const random = this.#random;
    const [first = intType, second = intType] = wanted.parameters;
    switch (wanted.name) {
      case 'list':
        return this.#list(first, depth);
      case 'map': {
        const count = random.below(3);
        const operands = Array.from({ length: count }, () => [
          this.#node(first, depth - 1),
          this.#node(second, depth - 1),
        ]).flat();
        return {
          template: `{${Array.from({ length: count }, () => '$: $').join(', ')}}`,
          operands,
        };
      }
      case 'optional':
        if (random.chance(0.3)) return leaf('optional.none()');
        return { template: 'optional.of($)', operands: [this.#node(first, depth - 1)] };
      case 'duration':
      case 'timestamp':
      case 'ip':
      case 'cidr':
      case 'quantity':
      case 'semver':
      case 'url':
        return { template: `${wanted.name}($)`, operands: [leaf(this.#text(wanted.name))] };
      case 'format':
        return leaf(
          `format.${random.pick(['dns1123Label', 'uuid', 'date', 'uri', 'labelValue'])}()`,
        );
      case 'type':
        return leaf(random.pick(['int', 'string', 'type', 'bool', 'list', 'net.CIDR', 'duration']));
      default:
        return leaf(objects[wanted.name] ?? randomLiteral(random, wanted.name, kind) ?? 'null');
    }
  }

  #list(item: StaticType, depth: number): Node {
    const random = this.#random;
    const operands = Array.from({ length: random.below(4) }, () => this.#node(item, depth - 1));
    const optional = random.chance(0.05) && operands.length > 0;
    const holes = operands.map((_, index) => (optional && index === 0 ? '?$' : '$'));
    const filled = optional
      ? operands.with(0, this.#node({ name: 'optional', parameters: [item] }, depth - 1))
      : operands;
    return { template: `[${holes.join(', ')}]`, operands: filled };
  }

  #text(kind: string): string {
    const known = textKinds().includes(kind) ? kind : 'any';
    return randomLiteral(this.#random, 'string', known) ?? "''";
  }

  #call(wanted: StaticType, depth: number, kind: string | undefined): Node {
    const random = this.#random;
    const matching = templates.flatMap((template) => {
      const bound = new Map<string, StaticType>();
      return unify(template.result, wanted, bound) ? [{ template, bound }] : [];
    });
    // Every type can be the result of `?:` and of an index, which would crowd out its own functions.
    const own = matching.filter(({ template }) => !/^[A-Z]$/.test(template.result.name));
    const choices = own.length > 0 && random.chance(0.75) ? own : matching;
    if (choices.length === 0) return this.#leaf(wanted, depth, kind);
    const { template, bound } = random.pick(choices);
    return this.#filled(template, bound, depth);
  }

  #filled(template: Template, bound: Map<string, StaticType>, depth: number): Node {
    const random = this.#random;
    const other = (): StaticType =>
      template.template.includes('$[')
        ? staticType(random.pick(keyTypes))
        : randomType(this.#random, 1);
    const operands = template.parameters.map((parameter, index) => {
      const type = applied(parameter, bound, other);
      const kind = template.texts[index];
      if (template.template === '$.format($)' && index === 1) return this.#formatArguments(depth);
      // A larger range takes all memory of the Go program.
      if (template.template === 'lists.range($)') return this.#leaf(intType, 0, 'small');
      if (kind !== undefined && random.chance(0.8)) return this.#node(type, 0, kind);
      return this.#node(type, depth - 1, kind);
    });
    return { template: template.template, operands };
  }

  #formatArguments(depth: number): Node {
    const operands = Array.from({ length: this.#random.below(4) }, () =>
      this.#node(randomType(this.#random, 1), depth - 1),
    );
    return { template: `[${operands.map(() => '$').join(', ')}]`, operands };
  }

  #macro(wanted: StaticType, depth: number): Node | undefined {
    const random = this.#random;
    const [item = intType, value = intType] = wanted.parameters;
    const range = randomRange(this.#random);
    const name = this.#name();
    const second = this.#name();
    const two = random.chance(0.35);
    const [key, entry] = entryTypes(range, two);
    const scope: (readonly [string, StaticType])[] = two
      ? [
          [name, key],
          [second, entry],
        ]
      : [[name, key]];
    const names = two ? `${name}, ${second}` : name;
    const source = this.#node(range, depth - 1);
    const within = (type: StaticType): Node => this.#within(scope, type, depth - 1);
    switch (wanted.name) {
      case 'bool': {
        const one = two ? 'existsOne' : 'exists_one';
        const macro = random.pick(['all', 'exists', one, 'exists_one']);
        return { template: `$.${macro}(${names}, $)`, operands: [source, within(boolType)] };
      }
      case 'list':
        return this.#listMacro({ wanted, item, two, names, name, source, within, depth });
      case 'map': {
        if (!two) return undefined;
        const filter = random.chance(0.3) ? [within(boolType)] : [];
        if (random.chance(0.5)) {
          const list = { name: 'list', parameters: [value] };
          const map =
            random.chance(0.5) || item.name !== 'int'
              ? { name: 'map', parameters: [item, value] }
              : list;
          const operands = [this.#node(map, depth - 1), ...filter];
          const [, mapValue] = entryTypes(map, true);
          const result = this.#within(
            [
              [name, item],
              [second, mapValue],
            ],
            value,
            depth - 1,
          );
          return {
            template: `$.transformMap(${names}, ${filter.map(() => '$, ').join('')}$)`,
            operands: [...operands, result],
          };
        }
        return {
          template: `$.transformMapEntry(${names}, ${filter.map(() => '$, ').join('')}{$: $})`,
          operands: [source, ...filter, within(item), within(value)],
        };
      }
      case 'optional': {
        const inner = randomType(this.#random, 1);
        const optional = this.#node({ name: 'optional', parameters: [inner] }, depth - 1);
        const body = random.chance(0.5);
        const type = body ? item : wanted;
        return {
          template: `$.${body ? 'optMap' : 'optFlatMap'}(${name}, $)`,
          operands: [optional, this.#within([[name, inner]], type, depth - 1)],
        };
      }
      default:
        return undefined;
    }
  }

  #listMacro(parts: ListMacro): Node {
    const random = this.#random;
    const { wanted, item, two, names, name, source, within, depth } = parts;
    const filter = random.chance(0.3) ? [within(boolType)] : [];
    if (two) {
      const template = `$.transformList(${names}, ${filter.map(() => '$, ').join('')}$)`;
      return { template, operands: [source, ...filter, within(item)] };
    }
    const way = random.below(4);
    if (way < 2) {
      const template = `$.map(${name}, ${filter.map(() => '$, ').join('')}$)`;
      return { template, operands: [source, ...filter, within(item)] };
    }
    const list = this.#node(wanted, depth - 1);
    const key =
      way === 2 ? boolType : staticType(random.pick(['int', 'string', 'double', 'timestamp']));
    const operands = [list, this.#within([[name, item]], key, depth - 1)];
    return { template: `$.${way === 2 ? 'filter' : 'sortBy'}(${name}, $)`, operands };
  }

  #within(
    scope: readonly (readonly [string, StaticType])[],
    type: StaticType,
    depth: number,
  ): Node {
    const outer = this.#variables;
    this.#variables = [...outer, ...scope];
    const node = this.#random.chance(0.3)
      ? (this.#known(type) ?? this.#node(type, depth))
      : this.#node(type, depth);
    this.#variables = outer;
    return node;
  }

  #name(): string {
    this.#count += 1;
    return `v${this.#count}`;
  }
}

interface ListMacro {
  readonly wanted: StaticType;
  readonly item: StaticType;
  readonly two: boolean;
  readonly names: string;
  readonly name: string;
  readonly source: Node;
  readonly within: (type: StaticType) => Node;
  readonly depth: number;
}
