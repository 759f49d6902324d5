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

/** Reads the files of a variant, with the names of the template. The README consists of the parts of all layers. */
export function readTemplate(variant: Variant): Files {
  const files = new Map<string, string>();
  for (const layer of layers[variant]) {
    for (const [path, text] of filesOf(join(folder, layer))) {
      if (path !== 'README.part.md') files.set(path, text);
      else files.set('README.md', `${files.get('README.md')}\n${text}`);
    }
  }
  return files;
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
