import { parse } from '@babel/parser';
import type {
  Expression,
  ImportDeclaration,
  ImportSpecifier,
  Node,
  ObjectExpression,
  Program,
  Statement,
} from '@babel/types';
import { CliError } from '../../errors.ts';

/** A declaration `const NAME = FUNCTION(…)`. */
export interface CallDeclaration {
  readonly name: string;
  readonly args: readonly Node[];
  /** The statement of the declaration. */
  readonly statement: Node;
}

/** A text to insert at a position, in the place of the next `removed` characters. */
interface Insertion {
  readonly at: number;
  readonly removed: number;
  readonly text: string;
}

/**
 * A TypeScript module and insertions into it. A parser finds their places, so that the layout, comments and strings of the
 * module do not matter; every other character stays.
 */
export class SourceModule {
  readonly #file: string;
  readonly #text: string;
  readonly #program: Program;
  readonly #statements: readonly Statement[];
  readonly #insertions: Insertion[] = [];

  private constructor(file: string, text: string, program: Program) {
    this.#file = file;
    this.#text = text;
    this.#program = program;
    this.#statements = program.body;
  }

  /** Parses a module. Throws `MODULE_UNREADABLE` for a syntax error. */
  static parse(file: string, text: string): SourceModule {
    try {
      const { program } = parse(text, { sourceType: 'module', plugins: ['typescript'] });
      return new SourceModule(file, text, program);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new CliError('MODULE_UNREADABLE', { file, reason }, { cause });
    }
  }

  /** The text with all insertions. */
  get text(): string {
    let text = this.#text;
    const lastFirst = this.#insertions.toSorted((one, other) => other.at - one.at);
    for (const { at, removed, text: more } of lastFirst) {
      text = text.slice(0, at) + more + text.slice(at + removed);
    }
    return text;
  }

  /** The statements of the module that are not in a function. */
  get statements(): readonly Statement[] {
    return this.#statements;
  }

  /** The relative modules that it imports. */
  get relativeImports(): readonly string[] {
    return this.#statements
      .filter((statement) => statement.type === 'ImportDeclaration')
      .map(({ source }) => source.value)
      .filter((path) => path.startsWith('.'));
  }

  /** The values that it exports by a declaration. */
  get exportedNames(): ReadonlySet<string> {
    return new Set(
      this.#statements
        .filter((statement) => statement.type === 'ExportNamedDeclaration')
        .filter(({ exportKind }) => exportKind !== 'type')
        .flatMap(({ declaration, specifiers }) => [
          ...namesOf(declaration),
          ...specifiers.map(({ exported }) => identifierOf(exported)),
        ]),
    );
  }

  /** The names that the module binds outside of functions, with those of its imports. */
  get boundNames(): ReadonlySet<string> {
    return new Set(this.#statements.flatMap((statement) => namesOf(declarationIn(statement))));
  }

  /** The names that it imports from a module as values: `import type` does not count. */
  importedNames(from: string): ReadonlySet<string> {
    const values = this.#importsOf(from)
      .filter(({ importKind }) => importKind !== 'type')
      .flatMap(namedSpecifiers)
      .filter(({ importKind }) => importKind !== 'type');
    return new Set(values.map(({ local }) => local.name));
  }

  /** The declarations `const NAME = FUNCTION(…)` of the module and its functions. */
  declarationsOf(isFunction: (name: string) => boolean): readonly CallDeclaration[] {
    const found: CallDeclaration[] = [];
    visit(this.#statements, (node) => {
      if (node.type !== 'VariableDeclaration') return;
      for (const { id, init } of node.declarations) {
        const call = init?.type === 'AwaitExpression' ? init.argument : init;
        if (id.type !== 'Identifier' || call?.type !== 'CallExpression') continue;
        if (call.callee.type !== 'Identifier' || !isFunction(call.callee.name)) continue;
        found.push({ name: id.name, args: call.arguments, statement: node });
      }
    });
    return found;
  }

  /** True if the module has a call of this function, or of a method of this name. */
  calls(name: string, within: readonly Node[] = this.#statements): boolean {
    let isFound = false;
    visit(within, (node) => {
      if (node.type !== 'CallExpression') return;
      const { callee } = node;
      const called = callee.type === 'MemberExpression' ? callee.property : callee;
      isFound ||= called.type === 'Identifier' && called.name === name;
    });
    return isFound;
  }

  /** True if the module has a call `….addController({ name: NAME, … })`. */
  namesController(name: string): boolean {
    let isFound = false;
    visit(this.#statements, (node) => {
      if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return;
      const [options] = node.arguments;
      if (identifierOf(node.callee.property) !== 'addController') return;
      if (options?.type !== 'ObjectExpression') return;
      const value = memberValue(options, 'name');
      isFound ||= value?.type === 'StringLiteral' && value.value === name;
    });
    return isFound;
  }

  /**
   * Imports the names that the module does not import from there yet. A name of which it imports the type only becomes a value. Throws
   * `NAME_TAKEN` for a name it uses otherwise.
   */
  import(from: string, names: readonly string[]): void {
    const present = this.importedNames(from);
    const absent = names.filter((name) => !present.has(name));
    const types = this.#importedTypes(from, absent);
    const missing = absent.filter((name) => !types.has(name));
    const taken = missing.find((name) => this.boundNames.has(name));
    if (taken !== undefined) throw new CliError('NAME_TAKEN', { file: this.#file, name: taken });
    for (const declaration of this.#importsOf(from)) this.#importAsValues(declaration, types);
    if (missing.length > 0) {
      this.#insertImport(`import { ${missing.join(', ')} } from '${from}';`);
    }
  }

  /** Inserts lines below a statement, with its indentation. */
  insertBelow(statement: Node, lines: readonly string[]): void {
    const indent = this.#indentOf(startOf(statement));
    const text = lines.map((line) => `${this.#lineEnd}${line === '' ? '' : indent + line}`);
    this.#insert(this.#endOfLine(endOf(statement)), text.join(''));
  }

  /** Inserts lines above a statement and its comments, with its indentation. */
  insertAbove(statement: Node, lines: readonly string[]): void {
    const [comment] = statement.leadingComments ?? [];
    const start = comment?.start ?? startOf(statement);
    const indent = this.#indentOf(start);
    const text = lines
      .map((line) => `${line === '' ? '' : indent + line}${this.#lineEnd}`)
      .join('');
    // The indentation of the first line is there already, and the statement needs one.
    this.#insert(start, text.slice(indent.length) + indent);
  }

  /** Adds a member to an object literal, below the last one. */
  insertMember(object: ObjectExpression, member: string): void {
    const last = object.properties.at(-1);
    if (last === undefined) return this.#insert(startOf(object) + 1, ` ${member} `);
    const isOnOneLine = !this.#text.slice(startOf(object), startOf(last)).includes('\n');
    const gap = isOnOneLine ? ' ' : `${this.#lineEnd}${this.#indentOf(startOf(last))}`;
    const hasComma = /^\s*,/.test(this.#text.slice(endOf(last), endOf(object)));
    const end = hasComma ? this.#text.indexOf(',', endOf(last)) + 1 : endOf(last);
    const place = isOnOneLine ? end : this.#endOfLine(end);
    this.#insert(place, `${gap}${member}${hasComma ? ',' : ''}`);
    // Of two insertions at one position the later one is the first in the text.
    if (!hasComma) this.#insert(end, ',');
  }

  #importsOf(from: string): readonly ImportDeclaration[] {
    return this.#statements
      .filter((statement) => statement.type === 'ImportDeclaration')
      .filter(({ source }) => source.value === from);
  }

  /** The names of which the module imports only the type. */
  #importedTypes(from: string, names: readonly string[]): ReadonlySet<string> {
    const imported = this.#importsOf(from).flatMap(namedSpecifiers);
    return new Set(names.filter((name) => imported.some(({ local }) => local.name === name)));
  }

  /** Removes `type` from names of an import. The others of an `import type` get one of their own. */
  #importAsValues(declaration: ImportDeclaration, names: ReadonlySet<string>): void {
    const specifiers = namedSpecifiers(declaration);
    const wanted = specifiers.filter(({ local }) => names.has(local.name));
    if (wanted.length === 0) return;
    if (declaration.importKind !== 'type') {
      for (const specifier of wanted) this.#removeType(startOf(specifier));
      return;
    }
    this.#removeType(startOf(declaration) + 'import'.length);
    const all = declaration.specifiers as readonly ImportSpecifier[];
    for (const other of all.filter((one) => !wanted.includes(one))) {
      this.#insert(startOf(other), 'type ');
    }
  }

  #removeType(at: number): void {
    const keyword = this.#text.indexOf('type', at);
    const { length } = /^type\s*/.exec(this.#text.slice(keyword))?.[0] ?? '';
    this.#insert(keyword, '', length);
  }

  /** Inserts an import below the last one, or below the lines that must be the first: `#!` and directives. */
  #insertImport(line: string): void {
    const { directives, interpreter } = this.#program;
    const imports = this.#statements.filter(({ type }) => type === 'ImportDeclaration');
    const above = imports.at(-1) ?? directives.at(-1) ?? interpreter;
    if (above) this.#insert(this.#endOfLine(endOf(above)), `${this.#lineEnd}${line}`);
    else this.#insert(this.#text.startsWith('\uFEFF') ? 1 : 0, `${line}${this.#lineEnd}`);
  }

  /** The end of the comments that follow a position on its line, if nothing else does; else the position. */
  #endOfLine(at: number): number {
    const comments =
      /^(?:[ \t]*\/\*(?:(?!\*\/)[^\r\n])*\*\/)*(?:[ \t]*\/\/[^\r\n]*)?(?=[ \t]*(?:\r?\n|$))/;
    return at + (comments.exec(this.#text.slice(at))?.[0].length ?? 0);
  }

  get #lineEnd(): string {
    return this.#text.includes('\r\n') ? '\r\n' : '\n';
  }

  #insert(at: number, text: string, removed = 0): void {
    this.#insertions.push({ at, removed, text });
  }

  #indentOf(at: number): string {
    const line = this.#text.slice(this.#text.lastIndexOf('\n', at - 1) + 1, at);
    return /^[ \t]*/.exec(line)?.[0] ?? '';
  }
}

/** Returns the object literal of a member; undefined if the object has no such member, or another value there. */
export function memberObject(object: ObjectExpression, name: string): ObjectExpression | undefined {
  const value = memberValue(object, name);
  return value?.type === 'ObjectExpression' ? value : undefined;
}

/** Returns the value of a member of an object literal. */
export function memberValue(object: ObjectExpression, name: string): Expression | undefined {
  for (const member of object.properties) {
    if (member.type !== 'ObjectProperty' || identifierOf(member.key) !== name) continue;
    return member.value as Expression;
  }
  return undefined;
}

/** Calls a function for each node below these. */
function visit(nodes: readonly Node[], onNode: (node: Node) => void): void {
  for (const node of nodes) {
    onNode(node);
    const members = Object.entries(node).filter(([name]) => !name.endsWith('omments'));
    for (const [, member] of members) visit(nodesIn(member), onNode);
  }
}

function nodesIn(member: unknown): readonly Node[] {
  if (Array.isArray(member)) return member.flatMap(nodesIn);
  const isNode = typeof member === 'object' && member !== null && 'type' in member;
  return isNode && 'start' in member && 'loc' in member ? [member as Node] : [];
}

function declarationIn(statement: Statement): Node | null | undefined {
  const isExport =
    statement.type === 'ExportNamedDeclaration' || statement.type === 'ExportDefaultDeclaration';
  return isExport ? statement.declaration : statement;
}

/** The names that an import takes under their own name. */
function namedSpecifiers({ specifiers }: ImportDeclaration): readonly ImportSpecifier[] {
  return specifiers
    .filter((specifier) => specifier.type === 'ImportSpecifier')
    .filter(({ imported, local }) => identifierOf(imported) === local.name);
}

function namesOf(node: Node | null | undefined): readonly string[] {
  switch (node?.type) {
    case 'ImportDeclaration':
      return node.specifiers.map(({ local }) => local.name);
    case 'VariableDeclaration':
      return node.declarations.flatMap(({ id }) => namesInPattern(id));
    case 'TSEnumDeclaration':
    case 'TSModuleDeclaration':
    case 'TSImportEqualsDeclaration':
      return namesInPattern(node.id);
    case 'TSDeclareFunction':
    case 'FunctionDeclaration':
    case 'ClassDeclaration':
    case 'TSTypeAliasDeclaration':
    case 'TSInterfaceDeclaration':
      return node.id ? [node.id.name] : [];
    default:
      return [];
  }
}

/** The names that a pattern such as `{ a, b: [c], ...d }` binds. */
function namesInPattern(node: Node | null): readonly string[] {
  switch (node?.type) {
    case 'Identifier':
      return [node.name];
    case 'ObjectPattern':
      return node.properties.flatMap(namesInPattern);
    case 'ObjectProperty':
      return namesInPattern(node.value);
    case 'ArrayPattern':
      return node.elements.flatMap(namesInPattern);
    case 'AssignmentPattern':
      return namesInPattern(node.left);
    case 'RestElement':
      return namesInPattern(node.argument);
    default:
      return [];
  }
}

function identifierOf(node: Node): string {
  if (node.type === 'Identifier') return node.name;
  return node.type === 'StringLiteral' ? node.value : '';
}

/** The parser gives every node a position. */
function startOf({ start }: Node): number {
  return start ?? 0;
}

function endOf({ end }: Node): number {
  return end ?? 0;
}
