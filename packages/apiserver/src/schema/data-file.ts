import { readFileSync } from 'node:fs';

/** Reads one of the package's data files; the path is the same from `src` and from `dist`. */
export function readDataFile(name: string): Buffer {
  return readFileSync(new URL(`../../data/${name}`, import.meta.url));
}
