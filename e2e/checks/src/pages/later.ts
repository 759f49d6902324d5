import type { LaterEntry } from './conformance.ts';
import { readSource } from '../sources/source-file.ts';

/** The hand-kept list of behaviours that later work owns. */
export function readLater(): LaterEntry[] {
  return JSON.parse(readSource('e2e/checks/data/later.json').text) as LaterEntry[];
}
