import { brotliDecompressSync } from 'node:zlib';
import { readDataFile } from '../data-file.ts';
import type { ApiObject } from '../storage/api-object.ts';

let recorded: readonly ApiObject[] | undefined;

/** The priority levels and then the flow schemas of a new kube-apiserver 1.36 (`npm run record:policy`). */
export function bootstrapFlows(): readonly ApiObject[] {
  recorded ??= JSON.parse(
    brotliDecompressSync(readDataFile('flow-control.json.br')).toString(),
  ) as ApiObject[];
  return recorded;
}
