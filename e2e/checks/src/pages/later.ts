import type { LaterEntry } from './conformance.ts';
import { readSource } from '../sources/source-file.ts';

/** Reads the list of behaviours that are left for later work. */
export function readLater(): LaterEntry[] {
  return JSON.parse(readSource('e2e/checks/data/later.json').text) as LaterEntry[];
}
