import { readFileSync } from 'node:fs';

/** The version of this package, which all packages of Keelson have. */
export function ownVersion(): string {
  const manifest = new URL(import.meta.resolve('create-keelson/package.json'));
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string }).version;
}
