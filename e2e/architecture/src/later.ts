import type { LaterEntry } from './conformance.ts';
import { readSource } from './source-file.ts';

/** The hand-kept list of behaviours that later work owns. */
export function readLater(): LaterEntry[] {
  return JSON.parse(readSource('e2e/architecture/data/later.json').text) as LaterEntry[];
}
