import { readdirSync, readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import { parseDocuments } from '../sources/parse-documents.ts';

const folder = new URL('../../../testdata/', import.meta.url);

/** The definitions of each project; the README of the folder names versions and licences. */
export async function readProjects(): Promise<readonly (readonly [string, readonly unknown[]])[]> {
  const files = readdirSync(folder).filter((name) => name.endsWith('.yaml.br'));
  return Promise.all(
    files.map(async (file) => {
      const text = brotliDecompressSync(readFileSync(new URL(file, folder))).toString();
      return [file.replace('.yaml.br', ''), await parseDocuments(text, file)] as const;
    }),
  );
}
