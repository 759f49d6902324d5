import { readFileSync } from 'node:fs';

/** Reads a data file of the package. The relative path is the same from `src` and from the bundle in `dist`. */
export function readDataFile(name: string): Buffer {
  return readFileSync(new URL(`../data/${name}`, import.meta.url));
}
