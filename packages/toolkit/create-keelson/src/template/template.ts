import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Variant } from './variant.ts';

/** The texts of files, by their paths with `/`. */
export type Files = ReadonlyMap<string, string>;

/** The folders of each variant. A file of a later folder replaces the same of an earlier one. */
export const layers: Readonly<Record<Variant, readonly string[]>> = {
  plain: ['shared', 'plain'],
  webhook: ['shared', 'plain', 'webhook'],
  external: ['shared', 'external'],
  dynamic: ['shared', 'dynamic'],
};

// By its name: the bundle is in another folder than this source.
const folder = fileURLToPath(
  new URL('templates/', import.meta.resolve('create-keelson/package.json')),
);

/** Reads the files of a variant, with the names of the template. The `part` files of layers extend those of the others. */
export function readTemplate(variant: Variant): Files {
  const files = new Map<string, string>();
  for (const layer of layers[variant]) {
    for (const [path, text] of filesOf(join(folder, layer))) {
      const whole = path.replace('.part.', '.');
      files.set(whole, path === whole ? text : extended(whole, files.get(whole) ?? '', text));
    }
  }
  return files;
}

/** A part of a page follows it; a part of `package.json` has further settings of the commands. */
function extended(path: string, whole: string, part: string): string {
  if (path !== 'package.json') return `${whole}\n${part}`;
  const manifest = JSON.parse(whole) as { readonly keelson?: object };
  const { keelson } = JSON.parse(part) as typeof manifest;
  const result = { ...manifest, keelson: { ...manifest.keelson, ...keelson } };
  return `${JSON.stringify(result, null, 2)}\n`;
}

function filesOf(layer: string): [string, string][] {
  return readdirSync(layer, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const file = join(entry.parentPath, entry.name);
      const path = file.slice(layer.length + 1).replaceAll(sep, '/');
      // npm packs no .gitignore.
      return [path === 'gitignore' ? '.gitignore' : path, readFileSync(file, 'utf8')];
    });
}
