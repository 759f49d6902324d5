import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A field of a Go struct, with the facts that the OpenAPI document does not have. */
export interface GoField {
  /** The JSON name. */
  name: string;
  /** The Go type as written: `*int32`, `[]Container`, `metav1.Time`. */
  type: string;
  omitEmpty: boolean;
  omitZero: boolean;
  /** The field's number in protobuf, 0 where it has none. */
  number: number;
}

/** The exported types of one Go package, as far as the data needs them. */
export interface GoPackage {
  structs: Map<string, GoField[]>;
  /** Named types that are not structs: `Protocol` → `string`. */
  aliases: Map<string, string>;
  /** The values of string types marked `+enum`. */
  enums: Map<string, string[]>;
  /** The definition packages behind the names that its files import: `metav1`. */
  imports: Map<string, string>;
}

/** Reads Go packages of a module cache by the names that OpenAPI definitions carry. */
export class GoSource {
  readonly #cache = new Map<string, GoPackage>();
  readonly #folder: string;
  readonly #version: string;

  /** `folder` is `…/k8s.io` of the module cache, `version` that of the staging modules (`v0.36.3`). */
  constructor(folder: string, version: string) {
    this.#folder = folder;
    this.#version = version;
  }

  /** The package behind `io.k8s.api.apps.v1`. */
  package(definitionPackage: string): GoPackage {
    const known = this.#cache.get(definitionPackage);
    if (known !== undefined) return known;
    const read = parsePackage(this.#pathOf(definitionPackage));
    this.#cache.set(definitionPackage, read);
    return read;
  }

  #pathOf(definitionPackage: string): string {
    const [module, ...rest] = definitionPackage.replace(/^io\.k8s\./, '').split('.');
    return join(this.#folder, `${module}@${this.#version}`, ...rest);
  }
}

function parsePackage(folder: string): GoPackage {
  const result: GoPackage = {
    structs: new Map(),
    aliases: new Map(),
    enums: new Map(),
    imports: new Map(),
  };
  if (!existsSync(folder)) return result;
  for (const name of readdirSync(folder)) {
    if (!name.endsWith('.go') || /_test\.go$|^zz_generated|^generated/.test(name)) continue;
    parseFile(readFileSync(join(folder, name), 'utf8'), result);
  }
  return result;
}

function parseFile(text: string, into: GoPackage): void {
  for (const match of text.matchAll(/^(?:import )?\s*(\w+)? ?"k8s\.io\/([\w/.-]+)"$/gm)) {
    const path = match[2] ?? '';
    into.imports.set(
      match[1] ?? path.slice(path.lastIndexOf('/') + 1),
      `io.k8s.${path.replaceAll('/', '.')}`,
    );
  }
  for (const match of text.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm)) {
    into.structs.set(match[1] ?? '', fieldsOf(match[2] ?? ''));
  }
  for (const match of text.matchAll(/^type (\w+) struct ?\{\}/gm)) {
    into.structs.set(match[1] ?? '', []);
  }
  for (const match of text.matchAll(/^type (\w+) ([\w.[\]*]+)/gm)) {
    if (match[2] !== 'struct') into.aliases.set(match[1] ?? '', match[2] ?? '');
  }
  for (const match of text.matchAll(/^\/\/ \+enum\n(?:\/\/.*\n)*type (\w+) string/gm)) {
    const type = match[1] ?? '';
    const values = [...text.matchAll(new RegExp(`^\\s+\\w+\\s+${type}\\s+= "([^"]*)"`, 'gm'))];
    into.enums.set(
      type,
      values.map((value) => value[1] ?? ''),
    );
  }
}

function fieldsOf(body: string): GoField[] {
  const fields: GoField[] = [];
  for (const line of body.split('\n')) {
    const match = /^\s+(?:\w+\s+)?([\w.[\]*]+)\s+`.*?json:"([^"]*)"/.exec(line);
    if (match === null) continue;
    const [name = '', ...options] = (match[2] ?? '').split(',');
    fields.push({
      name,
      type: match[1] ?? '',
      omitEmpty: options.includes('omitempty'),
      omitZero: options.includes('omitzero'),
      number: Number(/protobuf:"\w+,(\d+)/.exec(line)?.[1] ?? 0),
    });
  }
  return fields;
}
