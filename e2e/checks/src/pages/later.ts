import type { LaterEntry } from './conformance.ts';
import { readSource } from '../sources/source-file.ts';

/** Reads the list of behaviours that are left for later work. */
export function readLater(): LaterEntry[] {
  return readEntries('later');
}

/** Reads the cases of other projects that do not apply to Keelson. */
export function readNotApplicable(): LaterEntry[] {
  return readEntries('not-applicable').map((entry) => ({ ...entry, owner: undefined }));
}

function readEntries(name: string): LaterEntry[] {
  return JSON.parse(readSource(`e2e/checks/data/${name}.json`).text) as LaterEntry[];
}
