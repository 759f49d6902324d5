import { brotliCompressSync } from 'node:zlib';
import type { MessageField, MessagesFile } from '../../src/protobuf/message-type.ts';
import type { GoPackage, GoSource } from './go-types.ts';

const scalars: Readonly<Record<string, string>> = {
  string: 'string',
  bool: 'bool',
  int: 'int',
  int32: 'int',
  int64: 'int',
  uint32: 'int',
  uint64: 'int',
  float64: 'double',
};

/** Reduces the Go types behind the given definitions to what decoding protobuf needs. */
export function compressMessages(go: GoSource, definitions: readonly string[]): Buffer {
  const builder = new MessagesBuilder(go);
  for (const definition of definitions) builder.add(definition);
  return brotliCompressSync(JSON.stringify(builder.messages));
}

class MessagesBuilder {
  readonly messages: MessagesFile = {};
  readonly #go: GoSource;

  constructor(go: GoSource) {
    this.#go = go;
  }

  /** Adds a message and what it consists of. */
  add(definition: string): void {
    if (this.messages[definition] !== undefined) return;
    const dot = definition.lastIndexOf('.');
    const packageName = definition.slice(0, dot);
    const go = this.#go.package(packageName);
    const fields: MessageField[] = [];
    this.messages[definition] = fields;
    // A type without fields has no struct here; it is a message all the same.
    for (const { name, number, type } of go.structs.get(definition.slice(dot + 1)) ?? []) {
      if (number > 0) fields.push([number, name, this.#type(type, packageName, go)]);
    }
  }

  /** A Go type in the notation of the data: `*` pointer, `[]` list, `{}` map of texts. */
  #type(type: string, packageName: string, go: GoPackage): string {
    if (type === '[]byte') return 'bytes';
    if (type.startsWith('*')) return `*${this.#type(type.slice(1), packageName, go)}`;
    if (type.startsWith('[]')) return `[]${this.#type(type.slice(2), packageName, go)}`;
    const map = /^map\[[\w.]+\](.+)$/.exec(type);
    if (map !== null) return `{}${this.#type(map[1] ?? '', packageName, go)}`;
    return scalars[type] ?? this.#named(type, packageName, go);
  }

  #named(type: string, packageName: string, go: GoPackage): string {
    const [first = '', second] = type.split('.');
    const home = second === undefined ? packageName : go.imports.get(first);
    if (home === undefined) throw new Error(`${packageName} imports no ${first}`);
    const name = second ?? first;
    const alias = this.#go.package(home).aliases.get(name);
    if (alias === undefined) {
      this.add(`${home}.${name}`);
      return `${home}.${name}`;
    }
    // A named list is a message of its own: its type has methods for that.
    const inner = this.#type(alias, home, this.#go.package(home));
    return alias.startsWith('[]') ? `(${inner.slice(2)})` : inner;
  }
}
